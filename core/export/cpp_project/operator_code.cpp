#include "export/cpp_project/operator_code.h"

#include "export/cpp_project/cpp_text.h"
#include "graph/operator_table.h"

#include <algorithm>

namespace stagecraft {
namespace {

// ".outChannels = 64, .groups = 2": what differs from its default.
class Members {
public:
    void add(std::string_view name, const std::string &value)
    {
        m_members.push_back('.' + std::string(name) + " = " + value);
    }

    template <typename T>
    void addUnless(const T &usual, std::string_view name, const T &value, const std::string &text)
    {
        if (value != usual)
            add(name, text);
    }

    [[nodiscard]] std::string in(const std::string &type, const std::string &separator = ", ") const
    {
        std::string text;
        for (const std::string &member : m_members)
            text += (text.empty() ? "" : separator) + member;
        return type + '{' + text + '}';
    }

    // On one line, or, where that is long, a line for each member.
    [[nodiscard]] std::string inLines(const std::string &type) const
    {
        constexpr std::size_t kMaxLine = 90;
        const std::string line = in(type);
        return line.size() <= kMaxLine ? line : in(type, ",\n" + std::string(kAttributesIndent + type.size(), ' '));
    }

private:
    // Of what follows `.attributes = TYPE{`.
    static constexpr std::size_t kAttributesIndent = 17 + std::string_view(".attributes = {").size();

    std::vector<std::string> m_members;
};

std::string enumerator(ActivationKind kind)
{
    switch (kind) {
    case ActivationKind::Silu: return "ActivationKind::Silu";
    case ActivationKind::Other: return "ActivationKind::Other";
    default: return "ActivationKind::" + std::string(toString(kind));
    }
}

std::string activation(const Activation &of, const std::string &type = {})
{
    Members members;
    members.add("kind", enumerator(of.kind));
    members.addUnless(0.0F, "alpha", of.alpha, cppFloat(of.alpha));
    members.addUnless(0.0F, "beta", of.beta, cppFloat(of.beta));
    return members.in(type);
}

std::string window(const Window &of)
{
    const Window usual;
    Members members;
    members.addUnless(usual.kernel, "kernel", of.kernel, cppList(of.kernel));
    members.addUnless(usual.stride, "stride", of.stride, cppList(of.stride));
    members.addUnless(usual.dilation, "dilation", of.dilation, cppList(of.dilation));
    members.addUnless(usual.padding, "padding", of.padding, cppList(of.padding));
    return members.in({});
}

struct AttributesCode {
    std::string operator()(const GenericAttributes &of) const
    {
        std::string values;
        for (const auto &[name, value] : of.values)
            values += (values.empty() ? "{" : ", {") + cppString(name) + ", " + cppString(value) + '}';
        return values.empty() ? "" : "GenericAttributes{{" + values + "}}";
    }

    std::string operator()(const ConvAttributes &of) const
    {
        const ConvAttributes usual;
        Members members;
        members.add("outChannels", std::to_string(of.outChannels));
        members.addUnless(usual.window, "window", of.window, window(of.window));
        members.addUnless(usual.groups, "groups", of.groups, std::to_string(of.groups));
        members.addUnless(usual.before, "before", of.before, activation(of.before));
        members.addUnless(usual.after, "after", of.after, activation(of.after));
        return members.inLines("ConvAttributes");
    }

    std::string operator()(const SepConvAttributes &of) const
    {
        const SepConvAttributes usual;
        Members members;
        members.add("outChannels", std::to_string(of.outChannels));
        members.addUnless(usual.window, "window", of.window, window(of.window));
        members.addUnless(usual.before, "before", of.before, activation(of.before));
        members.addUnless(usual.between, "between", of.between, activation(of.between));
        members.addUnless(usual.after, "after", of.after, activation(of.after));
        return members.inLines("SepConvAttributes");
    }

    std::string operator()(const PoolAttributes &of) const
    {
        const PoolAttributes usual;
        const std::string yes = "true";
        Members members;
        members.add("mode", of.mode == PoolAttributes::Mode::Max ? "PoolAttributes::Mode::Max"
                                                                 : "PoolAttributes::Mode::Average");
        members.addUnless(usual.global, "global", of.global, yes);
        members.addUnless(usual.ceilMode, "ceilMode", of.ceilMode, yes);
        members.addUnless(usual.countIncludePad, "countIncludePad", of.countIncludePad, yes);
        members.addUnless(usual.window, "window", of.window, window(of.window));
        return members.inLines("PoolAttributes");
    }

    std::string operator()(const GemmAttributes &of) const
    {
        const GemmAttributes usual;
        Members members;
        members.add("outFeatures", std::to_string(of.outFeatures));
        members.add("inFeatures", std::to_string(of.inFeatures));
        members.addUnless(usual.transposeB, "transposeB", of.transposeB, std::string("true"));
        members.addUnless(usual.after, "after", of.after, activation(of.after));
        return members.inLines("GemmAttributes");
    }

    std::string operator()(const Activation &of) const { return activation(of, "Activation"); }
};

std::string inputsCode(const NamedNetwork &network, const InputExpression &inputs)
{
    std::string text;
    for (const auto &part : inputs) {
        std::string sum;
        for (const TensorId tensor : part)
            sum += (sum.empty() ? "tensors." : ", tensors.") + network.tensors[tensor.index()];
        text += (text.empty() ? "{" : ", {") + sum + '}';
    }
    return '{' + text + '}';
}

std::string outputsCode(const NamedNetwork &network, const Operator &op)
{
    std::string text;
    for (const TensorId output : op.outputs) {
        const Tensor &tensor = network.graph.tensor(output);
        const bool isPublic = std::ranges::count(network.graph.outputs(), output) > 0;
        text += (text.empty() ? "{tensors." : ", {tensors.") + network.tensors[output.index()];
        text += tensor.shape.known ? ", {" + cppList(tensor.shape.dims) + '}' : ", {{}, false}";
        text += isPublic ? ", " + cppString(tensor.name) + '}' : "}";
    }
    return '{' + text + '}';
}

std::string constantsCode(const NamedNetwork &network, const Operator &op)
{
    std::string text;
    for (const Parameter &parameter : op.parameters)
        text += (text.empty() ? "{" : ", {") + cppString(parameter.role) + ", " + cppList(parameter.shape.dims) + ", " +
                std::to_string(network.weights.offset(parameter)) + '}';
    return '{' + text + '}';
}

} // namespace

std::string operatorCode(const NamedNetwork &network, const Operator &op)
{
    const auto id = network.graph.find(op.name);
    const std::string attributes = std::visit(AttributesCode(), op.attributes);
    std::string code = "    builder.add({.name = " + cppString(op.name);
    const auto member = [&](std::string_view name, const std::string &value) {
        code += ",\n                 ." + std::string(name) + " = " + value;
    };
    member("type", cppString(op.type));
    member("kind", "OperatorKind::" + std::string(factsOf(op.kind).name));
    member("inputs", inputsCode(network, op.inputs));
    if (!attributes.empty())
        member("attributes", attributes);
    member("outputs", outputsCode(network, op));
    if (!op.parameters.empty())
        member("constants", constantsCode(network, op));
    member("flops", cppNumber(flops(network.graph, *id)));
    return code + "});\n";
}

} // namespace stagecraft
