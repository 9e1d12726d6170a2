#include "model/ios/node_reader.h"

#include <fmt/format.h>

namespace stagecraft::ios {
namespace {

Result<Operator> readConv(const Json &node, Operator op)
{
    ConvAttributes conv;
    TRY_AS(const auto size, window(node));
    conv.window = size;
    const Json *outChannels = member(node, "out_channels");
    const Json *groups = member(node, "groups");
    conv.outChannels = outChannels ? integer(*outChannels).value_or(0) : 0;
    conv.groups = groups ? integer(*groups).value_or(0) : 1;
    if (conv.outChannels < 1 || conv.groups < 1)
        return refused("its out_channels and groups must be whole numbers of at least 1");
    TRY_AS(const auto act, text(node, "act").and_then(activation));
    conv.after = act;
    op.kind = OperatorKind::Conv;
    op.attributes = conv;
    return op;
}

Result<Operator> readPool(const Json &node, Operator op)
{
    PoolAttributes pool;
    const auto type = text(node, "pool_type");
    const auto size = window(node);
    if (!type || !size)
        return tl::unexpected(type ? size.error() : type.error());
    if (*type != "max" && *type != "avg" && *type != "global_max" && *type != "global_avg")
        return refused(fmt::format("its pool_type {} is not one the format has", *type),
                       "max, avg, global_max and global_avg are possible");
    pool.global = type->starts_with("global_");
    pool.mode = type->ends_with("max") ? PoolAttributes::Mode::Max : PoolAttributes::Mode::Average;
    pool.countIncludePad = pool.mode == PoolAttributes::Mode::Average && !pool.global;
    pool.window = *size;
    op.kind = OperatorKind::Pool;
    op.attributes = pool;
    return op;
}

Result<Operator> readElement(const Json &node, Operator op)
{
    TRY_AS(const auto type, text(node, "op_type"));
    if (type == "add") {
        op.kind = OperatorKind::Join;
        return op;
    }
    if (type != "mul" || op.inputs.size() != 1)
        return refused(fmt::format("its op_type {} over {} terms is not supported", type, op.inputs.size()),
                       "add, and mul over one term, are possible");
    op.kind = OperatorKind::Elementwise;
    op.type = "Mul";
    InputExpression apart;
    for (const TensorId factor : op.inputs.front())
        apart.push_back({factor});
    op.inputs = std::move(apart);
    return op;
}

} // namespace

Result<Operator> readOperator(const Json &node, const std::string &name, const std::string &type,
                              InputExpression inputs)
{
    Operator op;
    op.name = name;
    op.inputs = std::move(inputs);
    if (type == "conv")
        return readConv(node, std::move(op));
    if (type == "pool")
        return readPool(node, std::move(op));
    if (type == "relu" || type == "activation") {
        TRY_AS(const auto kind, type == "relu" ? Result<std::string>("relu") : text(node, "act_type"));
        TRY_AS(const auto act, activation(kind));
        op.kind = act.kind == ActivationKind::None ? OperatorKind::Join : OperatorKind::Activation;
        if (act.kind != ActivationKind::None)
            op.attributes = act;
        return op;
    }
    if (type == "identity") {
        op.kind = OperatorKind::Join;
        return op;
    }
    if (type == "element")
        return readElement(node, std::move(op));
    return refused(fmt::format("its type {} is not one the format has", type),
                   "conv, pool, relu, activation, identity, element and sequential are possible");
}

Result<Operator> formUnit(const std::vector<Operator> &chain, const std::string &name)
{
    Operator unit = chain.front();
    unit.name = name;
    std::size_t next = 0;
    Activation before;
    if (const Activation *act = chain.front().activation(); act && chain.front().kind == OperatorKind::Activation) {
        before = *act;
        ++next;
    }
    const auto convAt = [&](std::size_t i) { return i < chain.size() ? chain[i].conv() : nullptr; };
    const ConvAttributes *first = convAt(next);
    const ConvAttributes *second = convAt(next + 1);
    const std::size_t rest = chain.size() - next;
    if (first && rest == 1) {
        ConvAttributes conv = *first;
        conv.before = before;
        unit.kind = OperatorKind::Conv;
        unit.attributes = conv;
        return unit;
    }
    if (first && second && rest == 2 && first->groups > 1 && first->groups == first->outChannels &&
        second->groups == 1 && second->window == Window{}) {
        unit.kind = OperatorKind::SepConv;
        unit.attributes = SepConvAttributes{second->outChannels, first->window, before, first->after, second->after};
        return unit;
    }
    if (chain.size() == 1)
        return unit;
    return refused("its sequence is not one the program knows",
                   "relu and convolution, or relu, depthwise and pointwise convolution, are possible");
}

} // namespace stagecraft::ios
