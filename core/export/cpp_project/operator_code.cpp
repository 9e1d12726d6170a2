#include "export/cpp_project/operator_code.h"

#include "export/cpp_project/cpp_text.h"
#include "graph/operator_cost.h"
#include "operators/attribute_members.h"
#include "operators/schema.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <ranges>
#include <type_traits>

namespace stagecraft {
namespace {

// ".outChannels = 64, .groups = 2": what differs from its default.
class Members {
public:
    void add(std::string_view name, const std::string &value)
    {
        m_members.push_back(fmt::format(".{} = {}", name, value));
    }

    [[nodiscard]] std::string in(const std::string &type, const std::string &separator = ", ") const
    {
        return fmt::format("{}{{{}}}", type, fmt::join(m_members, separator));
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

// A value of a member.

std::string code(std::int64_t value)
{
    return fmt::to_string(value);
}

std::string code(float value)
{
    return cppFloat(value);
}

std::string code(bool value)
{
    return value ? "true" : "false";
}

std::string code(ActivationKind kind)
{
    return fmt::format("ActivationKind::{}", activationSchema(kind).enumerator);
}

std::string code(PoolAttributes::Mode mode)
{
    return mode == PoolAttributes::Mode::Max ? "PoolAttributes::Mode::Max" : "PoolAttributes::Mode::Average";
}

template <std::size_t count>
std::string code(const std::array<std::int64_t, count> &values)
{
    return cppList(values);
}

template <HasMembers Attributes>
std::string code(const Attributes &of);

// The members that differ from their defaults, and all enumerators.
template <HasMembers Attributes>
Members membersOf(const Attributes &of)
{
    Members members;
    const Attributes usual;
    std::vector<std::string> usualValues;
    eachMember(usual, [&](const char *, const auto &member) { usualValues.push_back(code(member)); });
    std::size_t next = 0;
    eachMember(of, [&](const char *name, const auto &member) {
        const std::string value = code(member);
        if (value != usualValues[next++] || std::is_enum_v<std::remove_cvref_t<decltype(member)>>)
            members.add(name, value);
    });
    return members;
}

template <HasMembers Attributes>
std::string code(const Attributes &of)
{
    return membersOf(of).in({});
}

// A value of an attribute of the model file.

std::string code(const std::string &value)
{
    return cppString(value);
}

std::string code(const NotKept &value)
{
    return fmt::format("NotKept({})", cppString(value.what));
}

// Operators with subgraphs are not exported.
std::string code(const SharedSubgraph &)
{
    return code(NotKept("(graph)"));
}

template <typename Item>
std::string code(const std::vector<Item> &values)
{
    const auto items = values | std::views::transform([](const Item &value) { return code(value); });
    const char *type = std::is_same_v<Item, float>         ? "float"
                       : std::is_same_v<Item, std::string> ? "std::string"
                                                           : "std::int64_t";
    return fmt::format("std::vector<{}>{{{}}}", type, fmt::join(items, ", "));
}

// With the values of attributes that the file does not give: the exported engine has no schema.
std::string genericCode(const Operator &op)
{
    const auto &generic = std::get<GenericAttributes>(op.attributes);
    std::string values;
    const auto add = [&](const std::string &name, const AttributeValue &value) {
        const std::string text = std::visit([](const auto &held) { return code(held); }, value);
        values += (values.empty() ? "{" : ", {") + cppString(name) + ", " + text + '}';
    };
    for (const auto &[name, value] : generic.values)
        add(name, value);
    const OperatorSchema *schema = kindSchema(op.kind).shape ? nullptr : schemaOf(op.type);
    for (const AttributeSchema &attribute : schema ? schema->attributes : std::vector<AttributeSchema>()) {
        if (attribute.fallback && !find(generic.values, attribute.name))
            add(attribute.name, *attribute.fallback);
    }
    return values.empty() ? "" : "GenericAttributes{{" + values + "}}";
}

struct AttributesCode {
    std::string operator()(const ConvAttributes &of) const { return membersOf(of).inLines("ConvAttributes"); }
    std::string operator()(const SepConvAttributes &of) const { return membersOf(of).inLines("SepConvAttributes"); }
    std::string operator()(const PoolAttributes &of) const { return membersOf(of).inLines("PoolAttributes"); }
    std::string operator()(const GemmAttributes &of) const { return membersOf(of).inLines("GemmAttributes"); }
    std::string operator()(const Activation &of) const { return membersOf(of).in("Activation"); }
    std::string operator()(const GenericAttributes &) const { return genericCode(op); }
    std::string operator()(const FusedAttributes &) const { return {}; } // their operators are exported

    const Operator &op;
};

std::string inputsCode(const NamedNetwork &network, const InputExpression &inputs)
{
    const auto member = [&](TensorId tensor) { return "tensors." + network.tensors[tensor.index()]; };
    const auto sum = [&](const std::vector<TensorId> &part) {
        return fmt::format("{{{}}}", fmt::join(part | std::views::transform(member), ", "));
    };
    return fmt::format("{{{}}}", fmt::join(inputs | std::views::transform(sum), ", "));
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
        text += fmt::format("{}{{{}, {}, {}{}}}", text.empty() ? "" : ", ", cppString(parameter.role),
                            cppList(parameter.shape.dims), network.weights.offset(parameter),
                            parameter.values && !parameter.values.areReal() ? ", true" : "");
    return '{' + text + '}';
}

} // namespace

std::string operatorCode(const NamedNetwork &network, const Operator &op)
{
    const auto id = network.graph.find(op.name);
    const std::string attributes = std::visit(AttributesCode{op}, op.attributes);
    std::string code = "    builder.add({.name = " + cppString(op.name);
    const auto member = [&](std::string_view name, const std::string &value) {
        code += fmt::format(",\n                 .{} = {}", name, value);
    };
    member("type", cppString(op.type));
    member("kind", fmt::format("OperatorKind::{}", kindSchema(op.kind).name));
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
