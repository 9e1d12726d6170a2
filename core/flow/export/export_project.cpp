#include "flow/export/export_project.h"

#include "export/pytorch_module/pytorch_module.h"
#include "flow/open_model.h"
#include "operators/generic_operands.h"
#include "operators/kernels/scalar_functions.h"
#include "operators/schema.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

Result<void> checkOutputs(const Model &model)
{
    const Graph &graph = *model.graph;
    if (!model.report.inTraining.empty())
        return within("operator " + model.report.inTraining.front(),
                      Error{ErrorCode::InvalidInput,
                            "it is in training mode, which is scheduled but not executed",
                            "Export the model for inference",
                            {}});
    for (const TensorId output : graph.outputs()) {
        if (!graph.tensor(output).producer.isValid())
            return fail(ErrorCode::InvalidInput,
                        "the output " + graph.tensor(output).name + " is an input: no operator writes it",
                        "Export the model without this output");
    }
    return {};
}

// An exported project has the kernels of oneDNN and those beside it, not the program's own definition of the other
// operators (operators/kernels).
Result<void> checkEngine(const Graph &graph)
{
    static const std::set<std::string_view> kOthers{"Gemm", "Identity", "MatMul"};
    const auto isPlain = [&](TensorId id) {
        const Tensor &tensor = graph.tensor(id);
        return tensor.type == DataType::Float32 && !tensor.shape.atMost && tensor.shape.elements() > 0;
    };
    for (const Operator &op : graph.operators()) {
        bool runs = std::ranges::all_of(op.outputs, isPlain) &&
                    (op.kind != OperatorKind::Unknown || kOthers.contains(op.type) ||
                     kernels::unaryFunctions<float>().contains(op.type)) &&
                    !(op.kind == OperatorKind::Normalize && op.outputs.size() > 1);
        for (const auto &part : op.inputs)
            runs = runs && std::ranges::all_of(part, isPlain);
        if (op.type == "Resize" && std::holds_alternative<GenericAttributes>(op.attributes)) {
            const std::string places = generic::text(op, "coordinate_transformation_mode");
            runs = runs && generic::text(op, "mode") != "cubic" && !places.starts_with("tf_") &&
                   generic::integer(op, "antialias") == 0 && generic::text(op, "keep_aspect_ratio_policy") == "stretch";
        }
        if (!runs)
            return within("operator " + op.name, Error{ErrorCode::InvalidInput,
                                                       "an exported project has no kernel for this operator of type " +
                                                           displayType(op) + ", or not for the type of its tensors",
                                                       "Run it with stagecraft-cli run, or convert the operator away",
                                                       {}});
    }
    return {};
}

Result<void> checkOnCpu(const ExportRequest &request, Device &cpu, const std::stop_token &stop)
{
    const Graph &graph = request.graph();
    TRY_AS(const auto session, cpu.open(request.model->graph));
    TRY(checkOutputs(*request.model));
    std::vector<HostTensor> inputs;
    for (const TensorId input : graph.inputs()) {
        const Tensor &tensor = graph.tensor(input);
        inputs.push_back({tensor.name, tensor.shape, {}});
        inputs.back().values.resize(static_cast<std::size_t>(std::max<std::int64_t>(tensor.shape.elements(), 0)));
    }
    TRY(runOn(*session, request.schedule(), std::move(inputs), stop));
    return checkEngine(graph);
}

} // namespace

Result<WrittenFolder> exportCppProject(const ExportRequest &request, const std::string &folder,
                                       const ExportTools &tools, const std::stop_token &stop)
{
    const Model &model = *request.model;
    const bool isForCpu = request.target == CppTarget::Cpu;
    TRY_AS(const auto cpu, isForCpu ? tools.findDevice("cpu") : Result<std::unique_ptr<Device>>());
    auto runs = isForCpu
                    ? checkOnCpu(request, *cpu, stop)
                    : checkOutputs(model).and_then([&] { return tools.checkOnCuda(*model.graph, request.schedule()); });
    if (!runs)
        return withinModel(model, std::move(runs.error()));
    return writeCppProject(cppProject(*model.graph, request.schedule(), model.name, request.target), folder);
}

Result<WrittenFolder> exportPytorchModule(const ExportRequest &request, const std::string &folder)
{
    const Model &model = *request.model;
    auto module =
        checkOutputs(model).and_then([&] { return pytorchModule(*model.graph, request.schedule(), model.name); });
    if (!module)
        return withinModel(model, std::move(module.error()));
    return writePytorchModule(*module, folder);
}

} // namespace stagecraft
