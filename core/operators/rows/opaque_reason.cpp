// Why nothing is known about what an operator computes (declared in schema.h).

#include "operators/composed/composed.h"
#include "operators/composed/subgraph.h"
#include "operators/schema.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {
namespace {

// Types by how they begin, with what they have that graphs of this program do not. Source: the ONNX operator
// specification.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kWithoutRule{{
    {"Adagrad", "it trains"},
    {"Adam", "it trains"},
    {"Bernoulli", "its values are random"},
    {"ConcatFromSequence", "it works on a sequence of tensors"},
    {"Gradient", "it trains"},
    {"If", "its condition is computed"},
    {"ImageDecoder", "it works on the bytes of a file"},
    {"Loop", "how often it runs is computed, or too often to write it out"},
    {"Momentum", "it trains"},
    {"Multinomial", "its values are random"},
    {"Optional", "it works on a value that may be missing"},
    {"Random", "its values are random"},
    {"RegexFullMatch", "it works on text"},
    {"Scan", "what it walks along, or how far, is not known, or too long to write it out"},
    {"Sequence", "it works on a sequence of tensors"},
    {"SplitToSequence", "it works on a sequence of tensors"},
    {"String", "it works on text"},
    {"TfIdfVectorizer", "it works on text"},
    {"ai.onnx.ml::", "it is an operator of classical machine learning"},
}};

} // namespace

std::string whyWithoutRule(const Operator &op)
{
    if (std::string form = composed::unknownForm(op); !form.empty())
        return form;
    const auto found =
        std::ranges::find_if(kWithoutRule, [&](const auto &entry) { return op.type.starts_with(entry.first); });
    std::string why(found == kWithoutRule.end() ? std::string_view() : found->second);
    if (const std::string missing = subgraph::missing(op); !missing.empty())
        why += ", and its " + missing;
    return why;
}

std::string opaqueReason(const Operator &op)
{
    if (hasArithmetic(op))
        return {};
    const OperatorSchema *schema = schemaOf(op.type);
    if (schema && schema->shapes && !schema->hasSubgraphs) {
        const auto attribute = unknownAttribute(op);
        if (attribute)
            return "the program does not know the attribute " + *attribute + " of " + op.type;
        const std::string form = composed::unknownForm(op);
        return "the program has no rule for this form of " + op.type + (form.empty() ? "" : " (" + form + ")");
    }
    const std::string why = whyWithoutRule(op);
    return "the program has no rule for " + op.type + (why.empty() ? "" : " (" + why + ")");
}

} // namespace stagecraft
