#include "wiring/pytorch_worker.h"

#include "device/worker/transports/pytorch.h"
#include "export/pytorch_module/operator_python.h"
#include "operators/parameter_roles.h"
#include "schedule/merge.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace stagecraft {
namespace {

// Loading its libraries from a disk takes long, and holds all threads up.
constexpr std::chrono::milliseconds kPytorchSilence{30'000};
constexpr std::chrono::milliseconds kPytorchDeadline{120'000};
constexpr std::chrono::milliseconds kListed{10'000};

Result<PythonStatements> statementsOf(const Graph &graph)
{
    PythonNetwork network(graph);
    PythonStatements made;
    for (std::size_t i = 0; i < graph.tensors().size(); ++i)
        made.tensors.push_back(network.name(TensorId::fromIndex(i)));
    for (const Operator &op : graph.operators()) {
        auto lines = operatorPython(network, op);
        if (!lines)
            return within("operator " + op.name, std::move(lines.error()));
        made.operators.push_back(std::move(*lines));
    }
    for (const PythonNetwork::Stored &stored : network.stored())
        made.constants.push_back({stored.name, *graph.find(stored.op->name),
                                  static_cast<std::size_t>(stored.parameter - stored.op->parameters.data())});
    return made;
}

Result<PythonMergeStatements> mergeStatementsOf(const Graph &graph, const std::vector<OperatorId> &operators)
{
    TRY_AS(auto merged, mergedOperator(graph, operators));
    for (const std::string_view role : {role::kWeight, role::kBias}) { // the worker makes their values
        if (std::ranges::any_of(operators, [&](OperatorId id) { return graph.op(id).parameter(role); }))
            merged.parameters.push_back({std::string(role), merged.name, {}, DataType::Float32, nullptr});
    }
    PythonNetwork network(graph);
    PythonMergeStatements made{mergedPython(network, merged, operators), {}, {}};
    made.axis = merged.gemm() && !merged.gemm()->transposeB ? 1 : 0;
    for (const PythonNetwork::Stored &stored : network.stored())
        (stored.parameter->role == role::kWeight ? made.weight : made.bias) = stored.name;
    return made;
}

} // namespace

PythonMaker pythonMaker()
{
    return {statementsOf, mergeStatementsOf};
}

WorkerOptions withPytorchWorker(WorkerOptions options)
{
    options.command = pytorchWorkerCommand();
    options.silence = kPytorchSilence;
    options.stageDeadline = kPytorchDeadline;
    options.howToGet = "set STAGECRAFT_PYTHON to a Python that has PyTorch";
    options.python = pythonMaker();
    return options;
}

std::vector<DeviceInfo> listPytorchDevices(const WorkerOptions &options)
{
    WorkerOptions worker = withPytorchWorker(options);
    worker.silence = kListed; // PyTorch is not loaded for a list
    worker.stageDeadline = kListed;
    auto devices = listWorkerDevices(worker);
    if (devices)
        return std::move(*devices);
    DeviceInfo none;
    none.id = "pytorch:cpu";
    none.title = "PyTorch";
    none.provenance = Provenance::Measured;
    none.available = false;
    none.unavailableReason = devices.error().message;
    if (!devices.error().remedy.empty())
        none.unavailableReason += "; " + devices.error().remedy;
    return {std::move(none)};
}

} // namespace stagecraft
