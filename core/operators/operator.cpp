#include "operators/operator.h"

#include <algorithm>

namespace stagecraft {

std::string_view toString(ActivationKind kind)
{
    switch (kind) {
    case ActivationKind::None: return "None";
    case ActivationKind::Relu: return "Relu";
    case ActivationKind::Relu6: return "Relu6";
    case ActivationKind::LeakyRelu: return "LeakyRelu";
    case ActivationKind::Sigmoid: return "Sigmoid";
    case ActivationKind::Tanh: return "Tanh";
    case ActivationKind::HardSwish: return "HardSwish";
    case ActivationKind::HardSigmoid: return "HardSigmoid";
    case ActivationKind::Silu: return "SiLU";
    case ActivationKind::Elu: return "Elu";
    case ActivationKind::Gelu: return "Gelu";
    case ActivationKind::PRelu: return "PRelu";
    case ActivationKind::Other: return "Activation";
    }
    return "";
}

const Parameter *Operator::parameter(std::string_view role) const
{
    const auto found = std::ranges::find(parameters, role, &Parameter::role);
    return found == parameters.end() ? nullptr : &*found;
}

} // namespace stagecraft
