#include "model/onnx/read/inline_functions.h"

#include "model/onnx/read/graph_rewriter.h"
#include "model/onnx/refusal.h"
#include "model/opening_budget.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace stagecraft {
namespace {

using namespace rewriting;

constexpr int kDeepest = 64; // functions within functions

// Fields that came after ONNX 1.12; the library keeps them as it does not know them.
constexpr int kOverloadOfNode = 8;
constexpr int kOverloadOfFunction = 13;
constexpr int kDefaultsOfFunction = 11; // FunctionProto.attribute_proto

template <typename Visit>
void forUnknownTexts(const google::protobuf::UnknownFieldSet &fields, int number, const Visit &visit)
{
    for (int i = 0; i < fields.field_count(); ++i) {
        const auto &field = fields.field(i);
        if (field.number() == number && field.type() == field.TYPE_LENGTH_DELIMITED)
            visit(field.length_delimited());
    }
}

// Templates: `Message` has the field or not, by the version of the ONNX library.
template <typename Message>
std::string overloadOf(const Message &message, int number)
{
    std::string overload;
    if constexpr (requires { message.overload(); })
        overload = message.overload();
    else
        forUnknownTexts(message.unknown_fields(), number, [&](const std::string &text) { overload = text; });
    return overload;
}

template <typename Function>
std::vector<onnx::AttributeProto> defaultsOf(const Function &function)
{
    std::vector<onnx::AttributeProto> defaults;
    if constexpr (requires { function.attribute_proto(); }) {
        defaults.assign(function.attribute_proto().begin(), function.attribute_proto().end());
    } else {
        forUnknownTexts(function.unknown_fields(), kDefaultsOfFunction, [&](const std::string &text) {
            onnx::AttributeProto attribute;
            if (attribute.ParseFromString(text))
                defaults.push_back(std::move(attribute));
        });
    }
    return defaults;
}

std::string domainOf(const std::string &domain)
{
    return domain == "ai.onnx" ? std::string() : domain;
}

// Attributes that refer to those of the call take their values; without one, the operator's own default holds.
void resolveAttributes(onnx::NodeProto &node, const onnx::NodeProto &call)
{
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> kept;
    for (auto &attribute : *node.mutable_attribute()) {
        const auto *given =
            attribute.ref_attr_name().empty() ? &attribute : attributeOf(call, attribute.ref_attr_name());
        if (!given)
            continue;
        onnx::AttributeProto copy = *given;
        copy.set_name(attribute.name());
        if (copy.has_g()) {
            for (auto &inner : *copy.mutable_g()->mutable_node())
                resolveAttributes(inner, call);
        }
        *kept.Add() = std::move(copy);
    }
    node.mutable_attribute()->Swap(&kept);
}

void copyFunction(GraphRewriter &rewriter, onnx::NodeProto call, const onnx::FunctionProto &function)
{
    for (onnx::AttributeProto &attribute : defaultsOf(function)) {
        if (!attributeOf(call, attribute.name()))
            *call.add_attribute() = std::move(attribute);
    }
    NewNames names;
    for (int i = 0; i < function.input_size(); ++i)
        names[function.input(i)] = i < call.input_size() ? call.input(i) : std::string();
    std::set<std::string> direct; // outputs that a node of the function makes
    for (const auto &node : function.node())
        direct.insert(node.output().begin(), node.output().end());
    for (int i = 0; i < function.output_size() && i < call.output_size(); ++i) {
        if (direct.contains(function.output(i)) && !call.output(i).empty())
            names.emplace(function.output(i), call.output(i));
    }
    for (const auto &node : function.node()) {
        for (const auto &output : node.output())
            rewriter.name(output, labelOf(call), names);
    }
    for (const auto &node : function.node()) {
        onnx::NodeProto copy = node;
        resolveAttributes(copy, call);
        rename(copy, names);
        copy.set_name(fmt::format("{}/{}", labelOf(call), labelOf(node)));
        rewriter.keep(copy);
    }
    for (int i = 0; i < function.output_size() && i < call.output_size(); ++i) {
        const std::string made = renamed(function.output(i), names);
        if (made != call.output(i) && !call.output(i).empty()) // an input, or an output that it has twice
            rewriter.addNode("Identity", {made}, call.output(i));
    }
}

// Attributes that take those of the call, in nodes and the graphs within.
std::int64_t referencesIn(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes)
{
    std::int64_t count = 0;
    for (const auto &node : nodes) {
        for (const auto &attribute : node.attribute()) {
            count += attribute.ref_attr_name().empty() ? 0 : 1;
            count += attribute.has_g() ? referencesIn(attribute.g().node()) : 0;
        }
    }
    return count;
}

// What a call of a function is written out to.
struct Called {
    const onnx::FunctionProto *function = nullptr;
    std::int64_t nodes = 0;
    std::int64_t bytes = 0;
    std::int64_t references = 0;

    explicit Called(const onnx::FunctionProto &of)
        : function(&of), nodes(nodesIn(of.node())), bytes(static_cast<std::int64_t>(of.ByteSizeLong())),
          references(referencesIn(of.node()))
    {
    }

    [[nodiscard]] WorkAmount amountFor(const onnx::NodeProto &call) const
    {
        WorkAmount amount = opening::times(std::max<std::int64_t>(1, nodes), opening::kWrittenNode);
        const auto copied = static_cast<std::int64_t>(references > 0 ? call.ByteSizeLong() : 0);
        amount.bytes += bytes + opening::times(references, {0, copied}).bytes;
        return amount;
    }
};

class Functions {
public:
    Functions(const onnx::ModelProto &model, WorkBudget &work, std::map<std::string, std::int64_t> &writtenOut)
        : m_work(work), m_writtenOut(writtenOut)
    {
        for (const auto &function : model.functions())
            m_byName.emplace(
                std::tuple(domainOf(function.domain()), function.name(), overloadOf(function, kOverloadOfFunction)),
                function);
        addNames(model.graph(), m_taken);
    }

    // `depth`: calls and subgraphs around it.
    Result<void> inlineIn(onnx::GraphProto &graph, int depth = 0)
    {
        const auto calls = [&](const onnx::NodeProto &node) { return find(node) != nullptr; };
        for (; std::ranges::any_of(graph.node(), calls); ++depth) {
            if (depth >= kDeepest)
                return refuse(*std::ranges::find_if(graph.node(), calls), "calls itself, or others too deeply");
            if (auto enough = takeCallsIn(graph); !enough)
                return enough;
            GraphRewriter rewriter(graph, 0, m_taken);
            for (auto &node : rewriter.old()) {
                if (const Called *called = find(node)) {
                    ++m_writtenOut[node.op_type()];
                    copyFunction(rewriter, node, *called->function);
                } else {
                    rewriter.keep(node);
                }
            }
        }
        for (auto &node : *graph.mutable_node()) {
            for (auto &attribute : *node.mutable_attribute()) {
                if (!attribute.has_g())
                    continue;
                if (auto done = inlineIn(*attribute.mutable_g(), depth + 1); !done)
                    return done;
            }
        }
        return {};
    }

private:
    static tl::unexpected<Error> refuse(const onnx::NodeProto &call, const std::string &why)
    {
        return refuseModel(fmt::format("the function {} {}", call.op_type(), why));
    }

    // Before anything is written out.
    Result<void> takeCallsIn(const onnx::GraphProto &graph)
    {
        for (const auto &node : graph.node()) {
            const Called *called = find(node);
            if (!called)
                continue;
            if (auto goesOn = m_work.goOn(); !goesOn)
                return goesOn;
            if (!m_work.take(called->amountFor(node)))
                return refuse(node, fmt::format("calls itself, or writes out to too many operators: {} are more than "
                                                "the program writes out of a file of this size",
                                                m_nodes + called->nodes));
            m_nodes += called->nodes;
        }
        return {};
    }

    [[nodiscard]] const Called *find(const onnx::NodeProto &node) const
    {
        const auto found = m_byName.find({domainOf(node.domain()), node.op_type(), overloadOf(node, kOverloadOfNode)});
        return found == m_byName.end() ? nullptr : &found->second;
    }

    std::map<std::tuple<std::string, std::string, std::string>, Called> m_byName;
    TakenNames m_taken;
    WorkBudget &m_work;
    std::map<std::string, std::int64_t> &m_writtenOut;
    std::int64_t m_nodes = 0; // written out so far
};

} // namespace

Result<void> inlineFunctions(onnx::ModelProto &model, WorkBudget &work, std::map<std::string, std::int64_t> &writtenOut)
{
    return model.functions_size() == 0 ? Result<void>()
                                       : Functions(model, work, writtenOut).inlineIn(*model.mutable_graph());
}

} // namespace stagecraft
