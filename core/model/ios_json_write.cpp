#include "model/ios_json.h"
#include "operators/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace stagecraft {
namespace {

using Json = nlohmann::json;

tl::unexpected<Error> inexpressible(const Operator &op, const std::string &reason)
{
    return within("operator " + op.name, Error{ErrorCode::InvalidInput,
                                               "the IOS JSON format cannot express " + reason,
                                               "Write the model as ONNX instead",
                                               {}});
}

std::string_view activationName(ActivationKind kind)
{
    switch (kind) {
    case ActivationKind::None: return "identity";
    case ActivationKind::Relu: return "relu";
    case ActivationKind::Sigmoid: return "sigmoid";
    case ActivationKind::Tanh: return "tanh";
    default: return {};
    }
}

Json imageShape(const Shape &shape)
{
    return {shape.channels(), shape.height(), shape.width()};
}

class Writer {
public:
    explicit Writer(const Graph &graph) : m_graph(graph) {}

    Result<Json> node(OperatorId id)
    {
        const Operator &op = m_graph.op(id);
        if (m_graph.outputShape(id).dims.size() != 4)
            return inexpressible(op, "an output of shape " + toString(m_graph.outputShape(id)));
        const Json inputs = expression(op.inputs);
        switch (op.kind) {
        case OperatorKind::Conv: return conv(id, inputs);
        case OperatorKind::SepConv: return sepConv(id, inputs);
        case OperatorKind::Pool: return pool(id, inputs);
        case OperatorKind::Join: return simple(id, op.name, "identity", inputs);
        case OperatorKind::Activation: return activation(id, inputs);
        default: return inexpressible(op, displayType(op));
        }
    }

    [[nodiscard]] Json placeholder(TensorId id) const
    {
        const Tensor &tensor = m_graph.tensor(id);
        return {{"type", "placeholder"},
                {"name", tensor.name},
                {"hint_name", tensor.name},
                {"output_shape", imageShape(tensor.shape)}};
    }

    [[nodiscard]] std::string tensorName(TensorId id) const
    {
        const Tensor &tensor = m_graph.tensor(id);
        return tensor.producer.isValid() ? m_graph.op(tensor.producer).name : tensor.name;
    }

private:
    [[nodiscard]] Json value(TensorId id) const { return {tensorName(id), 0, m_graph.tensor(id).shape.channels()}; }
    [[nodiscard]] Json expression(const InputExpression &inputs) const
    {
        Json terms = Json::array();
        for (const auto &part : inputs) {
            Json term = Json::array();
            for (const TensorId input : part)
                term.push_back(value(input));
            terms.push_back(std::move(term));
        }
        return terms;
    }

    static Json named(const std::string &type, const std::string &name, const Json &inputs, const Json &shape)
    {
        return {{"type", type}, {"name", name}, {"hint_name", name}, {"inputs", inputs}, {"output_shape", shape}};
    }

    [[nodiscard]] Json simple(OperatorId id, const std::string &name, const std::string &type, const Json &inputs) const
    {
        return named(type, name, inputs, imageShape(m_graph.outputShape(id)));
    }

    static bool isEven(const Window &window)
    {
        return window.dilation == std::array<std::int64_t, 2>{1, 1} && window.padding[0] == window.padding[2] &&
               window.padding[1] == window.padding[3];
    }

    static void addWindow(Json &json, const Window &window)
    {
        json["kernel"] = window.kernel;
        json["stride"] = window.stride;
        json["padding"] = {window.padding[0], window.padding[1]};
    }

    static Json convNode(const std::string &name, const Json &inputs, const Json &shape, std::int64_t outChannels,
                         const Window &window, std::int64_t groups, ActivationKind act)
    {
        Json json = named("conv", name, inputs, shape);
        json["out_channels"] = outChannels;
        addWindow(json, window);
        json["groups"] = groups;
        json["act"] = activationName(act);
        return json;
    }

    Result<Json> conv(OperatorId id, const Json &inputs) const
    {
        const Operator &op = m_graph.op(id);
        const ConvAttributes &conv = *op.conv();
        if (!isEven(conv.window))
            return inexpressible(op, "dilation or uneven padding");
        if (activationName(conv.after.kind).empty())
            return inexpressible(op, "the activation " + std::string(toString(conv.after.kind)));
        const Json shape = imageShape(m_graph.outputShape(id));
        if (conv.before.kind == ActivationKind::None)
            return convNode(op.name, inputs, shape, conv.outChannels, conv.window, conv.groups, conv.after.kind);
        if (conv.before.kind != ActivationKind::Relu)
            return inexpressible(op, "the activation " + std::string(toString(conv.before.kind)) + " before it");
        const Shape inputShape = m_graph.inputShape(id);
        const Json read = {{{op.name + "/relu", 0, inputShape.channels()}}};
        Json sequence = simple(id, op.name, "sequential", nullptr);
        sequence.erase("inputs");
        sequence["nodes"] = {
            named("relu", op.name + "/relu", inputs, imageShape(inputShape)),
            convNode(op.name + "/conv", read, shape, conv.outChannels, conv.window, conv.groups, conv.after.kind)};
        return sequence;
    }

    Result<Json> sepConv(OperatorId id, const Json &inputs) const
    {
        const Operator &op = m_graph.op(id);
        const SepConvAttributes &sep = *op.sepConv();
        if (!isEven(sep.window))
            return inexpressible(op, "dilation or uneven padding");
        if (activationName(sep.between.kind).empty() || activationName(sep.after.kind).empty() ||
            (sep.before.kind != ActivationKind::None && sep.before.kind != ActivationKind::Relu))
            return inexpressible(op, "one of its activations");
        const Shape inputShape = m_graph.inputShape(id);
        const std::int64_t channels = inputShape.channels();
        const Shape &outputShape = m_graph.outputShape(id);
        Json nodes = Json::array();
        Json read = inputs;
        if (sep.before.kind == ActivationKind::Relu) {
            nodes.push_back(named("relu", op.name + "/relu", read, imageShape(inputShape)));
            read = {{{op.name + "/relu", 0, channels}}};
        }
        const Json middle = {channels, outputShape.height(), outputShape.width()};
        nodes.push_back(
            convNode(op.name + "/depthwise", read, middle, channels, sep.window, channels, sep.between.kind));
        read = {{{op.name + "/depthwise", 0, channels}}};
        nodes.push_back(convNode(op.name + "/pointwise", read, imageShape(outputShape), sep.outChannels, Window{}, 1,
                                 sep.after.kind));
        Json sequence = simple(id, op.name, "sequential", nullptr);
        sequence.erase("inputs");
        sequence["nodes"] = std::move(nodes);
        return sequence;
    }

    Result<Json> pool(OperatorId id, const Json &inputs) const
    {
        const Operator &op = m_graph.op(id);
        const PoolAttributes &pool = *op.pool();
        if (!isEven(pool.window) || (pool.ceilMode && !pool.global))
            return inexpressible(op, "dilation, uneven padding or rounding up");
        Json json = simple(id, op.name, "pool", inputs);
        const std::string mode = pool.mode == PoolAttributes::Mode::Max ? "max" : "avg";
        json["pool_type"] = (pool.global ? "global_" : "") + mode;
        addWindow(json, pool.window);
        return json;
    }

    Result<Json> activation(OperatorId id, const Json &inputs) const
    {
        const Operator &op = m_graph.op(id);
        const auto kind = std::get<Activation>(op.attributes).kind;
        if (kind == ActivationKind::Relu)
            return simple(id, op.name, "relu", inputs);
        if (kind == ActivationKind::None || activationName(kind).empty())
            return inexpressible(op, "the activation " + displayType(op));
        Json json = simple(id, op.name, "activation", inputs);
        json["act_type"] = activationName(kind);
        json["inplace"] = false;
        return json;
    }

    const Graph &m_graph;
};

} // namespace

Result<std::string> writeIosJson(const Graph &graph, const Blocks &blocks, const std::vector<IosStage> &stages)
{
    if (graph.inputs().size() != 1 || graph.tensor(graph.inputs().front()).shape.dims.size() != 4)
        return fail(ErrorCode::InvalidInput, "the IOS JSON format needs exactly one input of four dimensions",
                    "Write the model as ONNX instead");
    if (blocks.empty())
        return fail(ErrorCode::InvalidInput, "the graph is not cut into blocks");
    Writer writer(graph);
    const Json input = writer.placeholder(graph.inputs().front());
    Json document = {{"name", graph.name()}, {"input", input}, {"blocks", Json::array()}};
    Json enter = input;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        Json nodes = Json::array();
        for (const OperatorId id : blocks[i].operators) {
            TRY_AS(auto node, writer.node(id));
            nodes.push_back(std::move(node));
        }
        Json block = {{"enter_name", enter["name"]}, {"enter_node", enter}, {"exit_node", nodes.back()}};
        enter = nodes.back();
        nodes.erase(nodes.size() - 1);
        block["inner_nodes"] = std::move(nodes);
        Json blockStages = Json::array();
        for (const IosStage &stage : stages) {
            if (stage.block == i)
                blockStages.push_back(stage.groups);
        }
        block["stages"] = blockStages.empty() ? Json(nullptr) : blockStages;
        document["blocks"].push_back(std::move(block));
    }
    return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace stagecraft
