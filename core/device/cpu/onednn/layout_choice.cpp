#include "device/cpu/onednn/layout_choice.h"

#include "device/cpu/onednn/emit_convolution.h"
#include "device/cpu/onednn/no_kernel.h"
#include "device/cpu/onednn/planes.h"
#include "device/cpu/onednn/step.h"
#include "operators/parameter_roles.h"
#include "operators/values/narrow_floats.h"

#include <algorithm>

namespace stagecraft::cpu {
namespace {

static_assert(kMostDimensions == DNNL_MAX_NDIMS);

// Of a layout that no plan knows, images have their channels last. Layouts of an image of one pixel are the same bytes:
// that of the input is the one for which the library has its fast kernels.
TensorLayout plannable(const Desc &desc, TensorLayout input)
{
    if (desc == arranged(desc.dims(), input))
        return input;
    return layoutOf(desc).value_or(TensorLayout::ChannelsLast);
}

TensorLayout convLayout(const dnnl::engine &engine, const dnnl::memory::dims &source,
                        const dnnl::memory::dims &destination, const Window &window, std::int64_t groups,
                        TensorLayout input)
{
    const ConvShape shape{source, destination, window, groups, false};
    return plannable(convolution(engine, shape, anyDesc(destination), {}).dst_desc(), input);
}

// That which the first convolution behind an image reads fastest, if it reads the image alone.
TensorLayout layoutForReader(const dnnl::engine &engine, const Graph &graph, TensorId image)
{
    const auto &source = graph.tensor(image).shape.dims;
    if (source.size() != 4)
        return TensorLayout::RowMajor;
    for (const Operator &op : graph.operators()) {
        const bool readsIt = op.inputs.size() == 1 && op.inputs[0].size() == 1 && op.inputs[0][0] == image;
        if (!readsIt || !op.conv() || op.kind != OperatorKind::Conv)
            continue;
        const dnnl::memory::dims destination = graph.tensor(op.outputs.front()).shape.dims;
        const ConvShape shape{source, destination, op.conv()->window, op.conv()->groups, false};
        return plannable(convolution(engine, shape, anyDesc(destination), {}).src_desc(), TensorLayout::RowMajor);
    }
    return TensorLayout::RowMajor;
}

TensorLayout outputLayout(const dnnl::engine &engine, const Graph &graph, const std::vector<TensorLayout> &layouts,
                          const Operator &op)
{
    const dnnl::memory::dims output = dimsOf(graph.tensor(op.outputs.front()).shape);
    if (op.inputs.empty() || output.size() != 4)
        return TensorLayout::RowMajor;
    const dnnl::memory::dims input = plan::jointDims(graph, op.inputs);
    const TensorLayout layout = plan::jointLayout(layouts, op.inputs);
    switch (op.kind) {
    case OperatorKind::Conv: return convLayout(engine, input, output, op.conv()->window, op.conv()->groups, layout);
    case OperatorKind::SepConv: {
        dnnl::memory::dims between = output;
        between[1] = input[1];
        return convLayout(engine, between, output, {}, 1, layout);
    }
    case OperatorKind::Pool:
        return plannable(pooling(engine, *op.pool(), arranged(input, layout), anyDesc(output)).dst_desc(), layout);
    case OperatorKind::ConvTranspose:
        // A patchwise convolution writes whole patches. With one channel both layouts are the same bytes.
        return isPatchwise(op, input, output) && output[1] > 1 ? TensorLayout::ChannelsLast : TensorLayout::RowMajor;
    case OperatorKind::Resize: return input.size() == 4 && input[1] == output[1] ? layout : TensorLayout::RowMajor;
    case OperatorKind::Activation:
    case OperatorKind::Join:
    case OperatorKind::BatchNorm: return layout;
    case OperatorKind::Elementwise: {
        // Keeps the layout of its only image-shaped operand, so that a gate (NxCx1x1) costs no reorder.
        for (const auto &part : op.inputs) {
            if (graph.tensor(part.front()).shape.dims == output)
                return layouts[part.front().index()];
        }
        return TensorLayout::RowMajor;
    }
    default: return TensorLayout::RowMajor;
    }
}

// Whether an operator has kernels for any layout of what it writes; others write the one that follows from their input.
bool writesAnyLayout(const Operator &op)
{
    const bool converts = op.kind == OperatorKind::Join && op.inputs.size() == 1 && op.inputs.front().size() == 1;
    return op.kind == OperatorKind::Conv || op.kind == OperatorKind::SepConv || converts;
}

// The layout that the graph states, or the library's choice.
Result<TensorLayout> statedOrChosen(const dnnl::engine &engine, const Graph &graph,
                                    const std::vector<TensorLayout> &layouts, const Operator &op)
{
    const std::optional<TensorLayout> stated = graph.tensor(op.outputs.front()).layout;
    if (stated && writesAnyLayout(op))
        return *stated;
    const TensorLayout chosen = outputLayout(engine, graph, layouts, op);
    if (stated && *stated != chosen)
        return fail(ErrorCode::InvalidInput,
                    "cpu writes this operator's tensor in " + std::string(toString(chosen)) + ", not in " +
                        std::string(toString(*stated)),
                    "convert the tensor behind the operator");
    return chosen;
}

// Layouts of what an operator writes.
Result<void> chooseLayouts(const dnnl::engine &engine, const Graph &graph, const std::vector<plan::Planes> &planes,
                           const Operator &op, std::vector<TensorLayout> &layouts)
{
    if (needsEvaluation(graph, op)) // which is row-major
        return {};
    if (copiedPlanes(graph, planes, op, 0)) { // to any layout
        for (const TensorId output : op.outputs) {
            const std::optional<TensorLayout> stated = graph.tensor(output).layout;
            layouts[output.index()] = stated ? *stated : layoutForReader(engine, graph, output);
        }
        return {};
    }
    TRY_AS(const auto layout, statedOrChosen(engine, graph, layouts, op));
    layouts[op.outputs.front().index()] = layout;
    return {};
}

tl::unexpected<Error> refuse(const Tensor &tensor, TensorFault fault)
{
    const std::string remedy = "use a simulated device for this model, or export it without this tensor";
    const auto refused = [](std::string what, std::string how) {
        return fail(ErrorCode::InvalidInput, std::move(what), std::move(how));
    };
    switch (fault) {
    case TensorFault::UnknownShape:
        return refused("the shape of tensor " + tensor.name + " is not known", "export the model with fixed shapes");
    case TensorFault::OtherType:
        return refused("tensor " + tensor.name + " is of a type that cpu does not execute", remedy);
    case TensorFault::TooManyDimensions:
        return refused("tensor " + tensor.name + " has " + std::to_string(tensor.shape.dims.size()) +
                           " dimensions; cpu executes up to " + std::to_string(kMostDimensions),
                       remedy);
    case TensorFault::NoValues: break;
    }
    return refused("tensor " + tensor.name + " has no values (" + toString(tensor.shape) +
                       "), which cpu does not execute",
                   remedy);
}

} // namespace

Result<plan::TensorPlan> planTensors(const Graph &graph, const dnnl::engine &engine, const Preparing &preparing)
{
    std::vector<TensorLayout> layouts(graph.tensors().size());
    for (const TensorId input : graph.inputs()) {
        const Tensor &tensor = graph.tensor(input);
        if (const auto fault = faultOf(tensor))
            return refuse(tensor, *fault);
        layouts[input.index()] = tensor.layout.value_or(TensorLayout::RowMajor);
    }
    std::vector<plan::Planes> planes = findPlanes(graph);
    for (const Operator &op : graph.operators()) {
        const auto where = "operator " + op.name;
        preparing(op.name);
        if (const auto faulty = faultOf(graph, op)) {
            if (faulty->fault == TensorFault::UnknownShape && op.kind == OperatorKind::Unknown)
                return within(where, noKernelFor(op).value());
            return within(where, refuse(graph.tensor(faulty->tensor), faulty->fault).value());
        }
        try {
            if (const Result<void> chosen = chooseLayouts(engine, graph, planes, op, layouts); !chosen)
                return within(where, chosen.error());
        } catch (const dnnl::error &error) {
            return within(where, Error{ErrorCode::InvalidInput,
                                       std::string("oneDNN refuses it: ") + error.what(),
                                       "use a simulated device for this model, or convert the operator away",
                                       {}});
        }
    }
    preparing({});
    auto plan = plan::planTensors(graph, std::move(layouts),
                                  {kBufferAlignment, sizeof(float), plan::MemoryRules::Strided::ReadByJoins, 1},
                                  std::move(planes));
    for (const Tensor &tensor : graph.tensors())
        plan.elementBytes.push_back(isNarrowFloat(tensor.type) ? static_cast<std::int64_t>(sizeof(float))
                                                               : sizeBytes(tensor.type));
    return plan;
}

Result<plan::InputForm> inputFormOf(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    if (needsEvaluation(graph, op) && op.kind != OperatorKind::Join)
        return plan::InputForm::Apart;
    return plan::usualInputForm(graph, id);
}

} // namespace stagecraft::cpu
