// Graphs as messages.

#include "device/worker/protocol/message_parts.h"
#include "device/worker/protocol/messages.h"
#include "operators/attribute_members.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <unordered_map>

namespace stagecraft::worker {
namespace {

// Values of attributes.

void write(const stagecraft::Subgraph &graph, Subgraph &message);

struct ValueWriter {
    Attribute &message;

    void operator()(std::int64_t value) const { message.set_whole(value); }
    void operator()(float value) const { message.set_real(value); }
    void operator()(const std::string &value) const { message.set_text(value); }
    void operator()(const std::vector<std::int64_t> &values) const
    {
        message.mutable_wholes()->mutable_values()->Add(values.begin(), values.end());
    }
    void operator()(const std::vector<float> &values) const
    {
        message.mutable_reals()->mutable_values()->Add(values.begin(), values.end());
    }
    void operator()(const std::vector<std::string> &values) const
    {
        for (const std::string &value : values)
            message.mutable_texts()->add_values(value);
        if (values.empty())
            (void)message.mutable_texts();
    }
    void operator()(const NotKept &value) const { message.set_not_kept(value.what); }
    void operator()(const SharedSubgraph &value) const { write(*value.graph, *message.mutable_subgraph()); }
};

void write(const std::vector<NamedAttribute> &values, google::protobuf::RepeatedPtrField<Attribute> &messages)
{
    for (const auto &[name, value] : values) {
        Attribute &attribute = *messages.Add();
        attribute.set_name(name);
        std::visit(ValueWriter{attribute}, value);
    }
}

void write(const std::vector<stagecraft::SubgraphSource> &sources,
           google::protobuf::RepeatedPtrField<SubgraphSource> &messages)
{
    for (const stagecraft::SubgraphSource &source : sources) {
        SubgraphSource &to = *messages.Add();
        to.set_kind(static_cast<int>(source.kind));
        to.set_place(source.place);
        to.set_output(source.output);
    }
}

void write(const stagecraft::Subgraph &graph, Subgraph &message)
{
    for (const stagecraft::SubgraphNode &node : graph.nodes) {
        SubgraphNode &to = *message.add_nodes();
        to.set_type(node.type);
        write(node.attributes, *to.mutable_attributes());
        write(node.inputs, *to.mutable_inputs());
        to.set_outputs(node.outputs);
    }
    write(graph.results, *message.mutable_results());
    message.set_opset(graph.opset);
}

Result<std::vector<NamedAttribute>> valuesFrom(const google::protobuf::RepeatedPtrField<Attribute> &messages);

// Of a node behind those in `before`.
Result<std::vector<stagecraft::SubgraphSource>>
sourcesFrom(const google::protobuf::RepeatedPtrField<SubgraphSource> &messages,
            const std::vector<stagecraft::SubgraphNode> &before)
{
    using Kind = stagecraft::SubgraphSource::Kind;
    std::vector<stagecraft::SubgraphSource> sources;
    for (const SubgraphSource &message : messages) {
        TRY_AS(const auto kind, enumFrom(message.kind(), Kind::Node));
        const bool isBehind = kind == Kind::Node &&
                              (message.place() >= before.size() || message.output() >= before[message.place()].outputs);
        if (isBehind)
            return refuse("a subgraph that reads what is not made yet");
        sources.push_back({kind, message.place(), message.output()});
    }
    return sources;
}

Result<AttributeValue> subgraphFrom(const Subgraph &message)
{
    stagecraft::Subgraph graph;
    graph.opset = message.opset();
    for (const SubgraphNode &node : message.nodes()) {
        TRY_AS(auto attributes, valuesFrom(node.attributes()));
        TRY_AS(auto inputs, sourcesFrom(node.inputs(), graph.nodes));
        graph.nodes.push_back({node.type(), std::move(attributes), std::move(inputs), node.outputs()});
    }
    TRY_AS(auto results, sourcesFrom(message.results(), graph.nodes));
    graph.results = std::move(results);
    return SharedSubgraph{std::make_shared<const stagecraft::Subgraph>(std::move(graph))};
}

Result<AttributeValue> valueFrom(const Attribute &message)
{
    switch (message.value_case()) {
    case Attribute::kWhole: return message.whole();
    case Attribute::kReal: return message.real();
    case Attribute::kText: return message.text();
    case Attribute::kWholes:
        return std::vector<std::int64_t>(message.wholes().values().begin(), message.wholes().values().end());
    case Attribute::kReals: return std::vector<float>(message.reals().values().begin(), message.reals().values().end());
    case Attribute::kTexts:
        return std::vector<std::string>(message.texts().values().begin(), message.texts().values().end());
    case Attribute::kNotKept: return NotKept(message.not_kept());
    case Attribute::kSubgraph: return subgraphFrom(message.subgraph());
    default: return refuse("an attribute without a value");
    }
}

Result<std::vector<NamedAttribute>> valuesFrom(const google::protobuf::RepeatedPtrField<Attribute> &messages)
{
    std::vector<NamedAttribute> values;
    for (const Attribute &message : messages) {
        TRY_AS(auto value, valueFrom(message));
        values.emplace_back(message.name(), std::move(value));
    }
    return values;
}

// Members of typed attributes, each as an attribute; those of a member of its own as "window.kernel".

template <typename Member>
void writeMember(Operator &message, const std::string &name, const Member &member)
{
    if constexpr (HasMembers<Member>) {
        eachMember(member,
                   [&](const char *inner, const auto &each) { writeMember(message, name + '.' + inner, each); });
    } else {
        Attribute &attribute = *message.add_attributes();
        attribute.set_name(name);
        if constexpr (std::is_same_v<Member, float>)
            attribute.set_real(member);
        else if constexpr (requires { member.begin(); })
            attribute.mutable_wholes()->mutable_values()->Add(member.begin(), member.end());
        else
            attribute.set_whole(static_cast<std::int64_t>(member));
    }
}

// Members that the message does not have keep their values.
class MemberReader {
public:
    explicit MemberReader(const Operator &message)
    {
        for (const Attribute &attribute : message.attributes())
            m_byName.emplace(attribute.name(), &attribute);
    }

    template <typename Member>
    Result<void> read(const std::string &name, Member &member) const
    {
        Result<void> done;
        if constexpr (HasMembers<Member>) {
            eachMember(member, [&](const char *inner, auto &each) {
                if (done)
                    done = read(name.empty() ? inner : name + '.' + inner, each);
            });
        } else if (const auto found = m_byName.find(name); found != m_byName.end()) {
            const Attribute &attribute = *found->second;
            if constexpr (std::is_same_v<Member, float>) {
                member = attribute.real();
            } else if constexpr (std::is_enum_v<Member>) {
                TRY_AS(const auto value, enumFrom(static_cast<int>(attribute.whole()), lastOf(member)));
                member = value;
            } else if constexpr (requires { member.begin(); }) {
                const auto &values = attribute.wholes().values();
                if (static_cast<std::size_t>(values.size()) != member.size())
                    return refuse("a member " + name + " of another size");
                std::ranges::copy(values, member.begin());
            } else {
                member = static_cast<Member>(attribute.whole());
            }
        }
        return done;
    }

private:
    std::unordered_map<std::string, const Attribute *> m_byName;
};

template <typename Held>
constexpr bool isFused = std::is_same_v<std::remove_cvref_t<Held>, FusedAttributes>;

void write(const Attributes &attributes, Operator &message)
{
    message.set_form(static_cast<int>(attributes.index()));
    const auto writeEach = [&](const auto &held) {
        if constexpr (HasMembers<std::remove_cvref_t<decltype(held)>>) {
            eachMember(held, [&](const char *name, const auto &member) { writeMember(message, name, member); });
        } else if constexpr (!isFused<decltype(held)>) { // a device never sees units of several operators
            message.set_opset(held.opset);
            message.mutable_output_places()->Add(held.outputPlaces.begin(), held.outputPlaces.end());
            message.mutable_input_places()->Add(held.inputPlaces.begin(), held.inputPlaces.end());
            write(held.values, *message.mutable_attributes());
        }
    };
    std::visit(writeEach, attributes);
}

// The alternative with this index, with its default values.
template <std::size_t index = 0>
Result<Attributes> alternative(int wanted)
{
    if constexpr (index == std::variant_size_v<Attributes>) {
        return refuse("attributes of an unknown form");
    } else {
        if (wanted == static_cast<int>(index))
            return Attributes(std::in_place_index<index>);
        return alternative<index + 1>(wanted);
    }
}

Result<Attributes> attributesFrom(const Operator &message)
{
    auto attributes = alternative(message.form());
    if (!attributes)
        return attributes;
    const auto readEach = [&](auto &held) -> Result<void> {
        if constexpr (HasMembers<std::remove_cvref_t<decltype(held)>>) {
            return MemberReader(message).read("", held);
        } else if constexpr (isFused<decltype(held)>) {
            return refuse("a unit of several operators");
        } else {
            TRY_AS(auto values, valuesFrom(message.attributes()));
            held.values = std::move(values);
            held.opset = message.opset();
            held.outputPlaces.assign(message.output_places().begin(), message.output_places().end());
            held.inputPlaces.assign(message.input_places().begin(), message.input_places().end());
            return {};
        }
    };
    TRY(std::visit(readEach, *attributes));
    return attributes;
}

// Values of constants, as they lie in memory.

std::string bytesOf(const ConstantValues &values)
{
    return std::visit(
        [](const auto &items) {
            return std::string(reinterpret_cast<const char *>(items.data()), items.size() * sizeof(items.front()));
        },
        values);
}

template <typename Item>
Result<SharedValues> valuesFrom(const std::string &bytes, const stagecraft::Shape &shape)
{
    std::vector<Item> values(bytes.size() / sizeof(Item));
    if (bytes.size() % sizeof(Item) != 0 || static_cast<std::int64_t>(values.size()) != shape.elements())
        return refuse("values that do not match their shape");
    if constexpr (std::is_same_v<Item, Truth>) {
        std::ranges::transform(bytes, values.begin(), [](char byte) { return Truth{byte != 0}; });
    } else {
        if (!values.empty()) // memcpy takes no null pointer, not even for zero bytes
            std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return shared(std::move(values));
}

Result<SharedValues> valuesFrom(const Parameter &message, const stagecraft::Shape &shape)
{
    switch (message.stored()) {
    case 0: return valuesFrom<float>(message.values(), shape);
    case 1: return valuesFrom<std::int64_t>(message.values(), shape);
    case 2: return valuesFrom<Truth>(message.values(), shape);
    case 3: return valuesFrom<Half>(message.values(), shape);
    case 4: return valuesFrom<double>(message.values(), shape);
    default: return refuse("values of an unknown type");
    }
}

Result<stagecraft::Parameter> parameterFrom(const Parameter &message)
{
    TRY_AS(const auto type, enumFrom(message.type(), DataType::UInt64));
    stagecraft::Parameter parameter{message.role(), message.name(), shapeFrom(message.shape()), type, nullptr};
    if (message.seeded())
        return parameter;
    TRY_AS(auto values, valuesFrom(message, parameter.shape));
    parameter.values = std::move(values);
    return parameter;
}

// Rebuilds a graph operator by operator; operators keep their ids, tensors get new ones.
class GraphReader {
public:
    explicit GraphReader(const Graph &message)
        : m_message(message), m_builder(message.name()), m_ids(static_cast<std::size_t>(message.tensors_size()))
    {
    }

    Result<stagecraft::Graph> read()
    {
        for (const std::uint32_t input : m_message.inputs()) {
            TRY_AS(const auto tensor, tensorAt(input));
            TRY_AS(const auto id, m_builder.addInput(tensor.name, tensor.shape, tensor.type, tensor.layout));
            m_ids[input] = id;
        }
        for (const Operator &op : m_message.operators()) {
            TRY(addOperator(op));
        }
        std::vector<TensorId> outputs;
        for (const std::uint32_t output : m_message.outputs()) {
            TRY_AS(const auto id, known(output));
            outputs.push_back(id);
        }
        return m_builder.build(std::move(outputs));
    }

private:
    Result<stagecraft::Tensor> tensorAt(std::uint32_t index) const
    {
        if (index >= m_ids.size())
            return refuse("a tensor that does not exist");
        const Tensor &tensor = m_message.tensors(static_cast<int>(index));
        TRY_AS(const auto type, enumFrom(tensor.type(), DataType::UInt64));
        stagecraft::Tensor made{tensor.name(), shapeFrom(tensor.shape()), type, {}};
        if (tensor.has_layout()) {
            TRY_AS(const auto layout, enumFrom(tensor.layout(), kTensorLayouts.back()));
            made.layout = layout;
        }
        return made;
    }

    Result<TensorId> known(std::uint32_t index) const
    {
        if (index >= m_ids.size() || !m_ids[index].isValid())
            return refuse("a tensor that does not exist yet");
        return m_ids[index];
    }

    Result<void> addOperator(const Operator &message)
    {
        TRY_AS(const auto kind, enumFrom(message.kind(), lastOf(OperatorKind{})));
        TRY_AS(auto attributes, attributesFrom(message));
        stagecraft::Operator op{message.name(), message.type(), kind, std::move(attributes), {}, {}, {}};
        for (const Summands &part : message.inputs()) {
            op.inputs.emplace_back();
            for (const std::uint32_t tensor : part.tensors()) {
                TRY_AS(const auto id, known(tensor));
                op.inputs.back().push_back(id);
            }
        }
        for (const Parameter &parameter : message.parameters()) {
            TRY_AS(auto read, parameterFrom(parameter));
            op.parameters.push_back(std::move(read));
        }
        std::vector<stagecraft::Tensor> outputs;
        for (const std::uint32_t output : message.outputs()) {
            TRY_AS(auto tensor, tensorAt(output));
            outputs.push_back(std::move(tensor));
        }
        TRY_AS(const auto ids, m_builder.add(std::move(op), std::move(outputs)));
        for (int i = 0; i < message.outputs_size(); ++i)
            m_ids[message.outputs(i)] = ids[static_cast<std::size_t>(i)];
        return {};
    }

    const Graph &m_message;
    GraphBuilder m_builder;
    std::vector<TensorId> m_ids; // by index in the message
};

} // namespace

void write(const stagecraft::Graph &graph, Graph &message)
{
    message.set_name(graph.name());
    for (const stagecraft::Tensor &tensor : graph.tensors()) {
        Tensor &to = *message.add_tensors();
        to.set_name(tensor.name);
        write(tensor.shape, *to.mutable_shape());
        to.set_type(static_cast<int>(tensor.type));
        if (tensor.layout)
            to.set_layout(static_cast<int>(*tensor.layout));
    }
    for (const TensorId input : graph.inputs())
        message.add_inputs(input.value);
    for (const TensorId output : graph.outputs())
        message.add_outputs(output.value);
    for (const stagecraft::Operator &op : graph.operators()) {
        Operator &to = *message.add_operators();
        to.set_name(op.name);
        to.set_type(op.type);
        to.set_kind(static_cast<int>(op.kind));
        write(op.attributes, to);
        for (const auto &part : op.inputs) {
            Summands &summands = *to.add_inputs();
            for (const TensorId tensor : part)
                summands.add_tensors(tensor.value);
        }
        for (const TensorId output : op.outputs)
            to.add_outputs(output.value);
        for (const stagecraft::Parameter &parameter : op.parameters) {
            Parameter &constant = *to.add_parameters();
            constant.set_role(parameter.role);
            constant.set_name(parameter.name);
            write(parameter.shape, *constant.mutable_shape());
            constant.set_type(static_cast<int>(parameter.type));
            constant.set_seeded(!parameter.values);
            if (parameter.values) {
                constant.set_stored(static_cast<int>(parameter.values->index()));
                constant.set_values(bytesOf(*parameter.values));
            }
        }
    }
}

Result<stagecraft::Graph> read(const Graph &message)
{
    return GraphReader(message).read();
}

} // namespace stagecraft::worker
