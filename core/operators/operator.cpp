#include "operators/operator.h"

#include <algorithm>

namespace stagecraft {

const ConvAttributes *Operator::conv() const
{
    return kind == OperatorKind::Conv ? std::get_if<ConvAttributes>(&attributes) : nullptr;
}

ConvAttributes *Operator::conv()
{
    return kind == OperatorKind::Conv ? std::get_if<ConvAttributes>(&attributes) : nullptr;
}

const ConvAttributes *Operator::convTranspose() const
{
    return kind == OperatorKind::ConvTranspose ? std::get_if<ConvAttributes>(&attributes) : nullptr;
}

const Graph *Operator::body() const
{
    const auto *fused = std::get_if<FusedAttributes>(&attributes);
    return fused ? fused->body.get() : nullptr;
}

bool Operator::isConcat() const
{
    return kind == OperatorKind::Join && inputs.size() > 1;
}

bool Operator::isSum() const
{
    return kind == OperatorKind::Join && inputs.size() == 1 && inputs.front().size() > 1;
}

bool Operator::isCopy() const
{
    return kind == OperatorKind::Join && inputs.size() == 1 && inputs.front().size() == 1;
}

const Parameter *Operator::parameter(std::string_view role) const
{
    const auto found = std::ranges::find(parameters, role, &Parameter::role);
    return found == parameters.end() ? nullptr : &*found;
}

} // namespace stagecraft
