#include "device/cpu/refusal.h"

#include "device/cpu/executable.h"
#include "operators/schema.h"

#include <fmt/format.h>

namespace stagecraft::cpu {
namespace {

std::string textOf(TensorFault fault)
{
    switch (fault) {
    case TensorFault::UnknownShape: return "sizes of what it reads or makes are not known";
    case TensorFault::OtherType: return "cpu does not execute the type of what it reads or makes";
    case TensorFault::TooManyDimensions:
        return fmt::format("cpu executes tensors of up to {} dimensions", kMostDimensions);
    case TensorFault::NoValues: break;
    }
    return "what it reads or makes has no values";
}

} // namespace

std::string refusalOf(const Graph &graph, const Operator &op)
{
    const bool isEvaluated = isKept(op) || (needsEvaluation(graph, op) && op.kind != OperatorKind::Join);
    if (isEvaluated && (!isKept(op) || !hasKernel(op.type) || !hasArithmetic(op))) {
        const std::string why = whyWithoutRule(op);
        return fmt::format("cpu has no kernel for {}{}", displayType(op), why.empty() ? "" : " (" + why + ")");
    }
    if (const auto attribute = isKept(op) ? unknownAttribute(op) : std::nullopt)
        return "cpu does not know the attribute " + *attribute;
    for (const auto &part : op.inputs) {
        for (const TensorId input : part) {
            if (const auto fault = faultOf(graph.tensor(input)))
                return textOf(*fault);
        }
    }
    const auto faulty = faultOf(graph, op);
    return faulty ? textOf(faulty->fault) : std::string();
}

} // namespace stagecraft::cpu
