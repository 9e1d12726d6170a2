#include "cpu/onednn/layout_choice.h"

#include "cpu/onednn/emit_convolution.h"
#include "cpu/onednn/no_kernel.h"
#include "operators/parameter_roles.h"

#include <algorithm>

namespace stagecraft::cpu {
namespace {

Desc convDesc(const dnnl::engine &engine, const dnnl::memory::dims &source, const dnnl::memory::dims &destination,
              const Window &window, std::int64_t groups)
{
    return convolution(engine, {source, destination, window, groups, false}, anyDesc(destination), {}).dst_desc();
}

Desc outputDesc(const dnnl::engine &engine, const Graph &graph, const Layouts &layouts, const Operator &op)
{
    const dnnl::memory::dims output = dimsOf(graph.tensor(op.outputs.front()).shape);
    if (op.inputs.empty())
        return plainDesc(output);
    const Desc input = expressionDesc(layouts, graph, op.inputs);
    switch (op.kind) {
    case OperatorKind::Conv: return convDesc(engine, input.dims(), output, op.conv()->window, op.conv()->groups);
    case OperatorKind::SepConv: {
        dnnl::memory::dims between = output;
        between[1] = input.dims()[1];
        return convDesc(engine, between, output, {}, 1);
    }
    case OperatorKind::Pool:
        if (output.size() == 4)
            return pooling(engine, *op.pool(), input, anyDesc(output)).dst_desc();
        return plainDesc(output);
    case OperatorKind::ConvTranspose:
        // A patchwise convolution writes whole patches. With one channel both layouts are the same bytes.
        if (isPatchwise(op, input.dims(), output) && output[1] > 1)
            return arranged(output, Arrangement::ChannelsLast);
        return plainDesc(output);
    case OperatorKind::Resize:
        if (output.size() == 4 && input.dims().size() == 4 && input.dims()[1] == output[1])
            return arranged(output, arrangementOf(input));
        return plainDesc(output);
    case OperatorKind::Activation:
    case OperatorKind::Join:
    case OperatorKind::BatchNorm: return input;
    case OperatorKind::Elementwise: {
        // Keeps the layout of its only image-shaped operand, so that a gate (NxCx1x1) costs no reorder.
        for (const auto &part : op.inputs) {
            const Desc &operand = layouts.tensors[part.front().index()];
            if (operand.dims() == output)
                return operand;
        }
        return plainDesc(output);
    }
    default: return plainDesc(output);
    }
}

void findOnlyJoined(const Graph &graph, Layouts &layouts)
{
    layouts.onlyJoined.assign(graph.tensors().size(), true);
    for (const TensorId output : graph.outputs())
        layouts.onlyJoined[output.index()] = false;
    for (const Operator &op : graph.operators()) {
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part) {
                if (op.inputs.size() < 2 || part.size() > 1 || op.kind != OperatorKind::Join)
                    layouts.onlyJoined[tensor.index()] = false;
            }
        }
    }
}

void chooseConcatAliases(const Graph &graph, Layouts &layouts)
{
    std::vector<int> joinsOf(graph.tensors().size());
    for (const Operator &op : graph.operators()) {
        if (op.kind != OperatorKind::Join || op.inputs.size() < 2)
            continue;
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part)
                ++joinsOf[tensor.index()];
        }
    }
    for (const Operator &op : graph.operators()) {
        if (op.kind != OperatorKind::Join || op.inputs.size() < 2)
            continue;
        const TensorId joined = op.outputs.front();
        std::vector<std::optional<std::size_t>> offsets;
        std::int64_t channel = 0;
        for (const auto &part : op.inputs) {
            const Desc &desc = layouts.tensors[part.front().index()];
            offsets.push_back(sliceOffsetBytes(layouts.tensors[joined.index()], channel, desc));
            channel += graph.tensor(part.front()).shape.channels();
        }
        if (std::ranges::any_of(offsets, [](const auto &offset) { return !offset; }))
            continue;
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const TensorId tensor = op.inputs[i].front();
            if (op.inputs[i].size() == 1 && joinsOf[tensor.index()] == 1 && graph.tensor(tensor).producer.isValid())
                layouts.aliases[tensor.index()] = ConcatAlias{joined, *offsets[i]};
        }
    }
}

Result<void> checkTensor(const Tensor &tensor)
{
    if (!tensor.shape.known)
        return fail(ErrorCode::InvalidInput, "the shape of tensor " + tensor.name + " is not known",
                    "export the model with fixed shapes");
    if (tensor.type != DataType::Float32)
        return fail(ErrorCode::InvalidInput,
                    "tensor " + tensor.name + " is " + std::string(toString(tensor.type)) + "; cpu executes float32",
                    "use a simulated device for this model, or export it without this tensor");
    if (tensor.shape.dims.size() > DNNL_MAX_NDIMS)
        return fail(ErrorCode::InvalidInput,
                    "tensor " + tensor.name + " has " + std::to_string(tensor.shape.dims.size()) +
                        " dimensions; cpu executes up to " + std::to_string(DNNL_MAX_NDIMS),
                    "use a simulated device for this model, or export it without this tensor");
    return {};
}

// Empty parts may be split off and joined again. Any other operator that produces or reads them has no kernel, nor may
// they be outputs.
Result<void> checkEmpty(const Graph &graph, const Operator &op, TensorId id)
{
    const Tensor &tensor = graph.tensor(id);
    const bool isMoved = op.kind == OperatorKind::Split || op.kind == OperatorKind::Slice ||
                         (op.kind == OperatorKind::Elementwise && op.type == "Concat");
    if (!tensor.shape.known || tensor.shape.elements() > 0 || (isMoved && std::ranges::count(graph.outputs(), id) == 0))
        return {};
    return fail(ErrorCode::InvalidInput,
                "tensor " + tensor.name + " has no values (" + toString(tensor.shape) + "), which cpu does not execute",
                "use a simulated device for this model, or export it without this tensor");
}

} // namespace

Desc expressionDesc(const Layouts &layouts, const Graph &graph, const InputExpression &inputs)
{
    const Desc &first = layouts.tensors[inputs.front().front().index()];
    if (inputs.size() == 1)
        return first;
    dnnl::memory::dims dims = first.dims();
    const Arrangement arrangement = arrangementOf(first);
    bool same = true;
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const TensorId tensor = inputs[i].front();
        if (dims.size() > 1)
            dims[1] += graph.tensor(tensor).shape.channels();
        same = same && arrangementOf(layouts.tensors[tensor.index()]) == arrangement;
    }
    return same ? arranged(dims, arrangement) : plainDesc(dims);
}

Result<Layouts> chooseLayouts(const Graph &graph, const dnnl::engine &engine, const Preparing &preparing)
{
    Layouts layouts;
    layouts.tensors.resize(graph.tensors().size());
    layouts.aliases.resize(graph.tensors().size());
    for (const TensorId input : graph.inputs()) {
        if (const Result<void> fine = checkTensor(graph.tensor(input)); !fine)
            return tl::unexpected(fine.error());
        layouts.tensors[input.index()] = plainDesc(dimsOf(graph.tensor(input).shape));
    }
    for (const Operator &op : graph.operators()) {
        const auto where = "operator " + op.name;
        preparing(op.name);
        for (const auto &part : op.inputs) {
            for (const TensorId input : part) {
                if (const Result<void> fine = checkEmpty(graph, op, input); !fine)
                    return within(where, fine.error());
            }
        }
        for (const TensorId output : op.outputs) {
            const Tensor &tensor = graph.tensor(output);
            const bool matters = output == op.outputs.front() || graph.isUsed(output);
            if (matters && !tensor.shape.known && op.kind == OperatorKind::Unknown)
                return within(where, noKernelFor(op).value());
            if (const Result<void> fine = checkTensor(tensor); matters && !fine)
                return within(where, fine.error());
            if (const Result<void> fine = checkEmpty(graph, op, output); !fine)
                return within(where, fine.error());
            layouts.tensors[output.index()] = plainDesc(dimsOf(tensor.shape));
        }
        try {
            layouts.tensors[op.outputs.front().index()] = outputDesc(engine, graph, layouts, op);
        } catch (const dnnl::error &error) {
            return within(where, Error{ErrorCode::InvalidInput,
                                       std::string("oneDNN refuses it: ") + error.what(),
                                       "use a simulated device for this model, or convert the operator away",
                                       {}});
        }
    }
    preparing({});
    findOnlyJoined(graph, layouts);
    chooseConcatAliases(graph, layouts);
    return layouts;
}

} // namespace stagecraft::cpu
