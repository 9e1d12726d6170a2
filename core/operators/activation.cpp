#include "operators/activation.h"

#include <algorithm>
#include <array>

namespace stagecraft {
namespace {

using enum ActivationKind;

constexpr std::array kActivations{
    ActivationSchema{.kind = None, .enumerator = "None", .name = "None", .operations = 0},
    ActivationSchema{.kind = Relu, .enumerator = "Relu", .name = "Relu", .isNode = true},
    ActivationSchema{.kind = Relu6, .enumerator = "Relu6", .name = "Relu6"},
    ActivationSchema{.kind = LeakyRelu, .enumerator = "LeakyRelu", .name = "LeakyRelu", .isNode = true, .alpha = true},
    ActivationSchema{.kind = Sigmoid, .enumerator = "Sigmoid", .name = "Sigmoid", .isNode = true},
    ActivationSchema{.kind = Tanh, .enumerator = "Tanh", .name = "Tanh", .isNode = true},
    ActivationSchema{.kind = HardSwish,
                     .enumerator = "HardSwish",
                     .name = "HardSwish",
                     .isNode = true,
                     .operations = 4}, // x * clip(x + 3) / 6
    ActivationSchema{.kind = HardSigmoid,
                     .enumerator = "HardSigmoid",
                     .name = "HardSigmoid",
                     .isNode = true,
                     .alpha = true,
                     .beta = true,
                     .operations = 3},                                                     // clip(alpha * x + beta)
    ActivationSchema{.kind = Silu, .enumerator = "Silu", .name = "SiLU", .operations = 2}, // x * sigmoid(x)
    ActivationSchema{.kind = Elu, .enumerator = "Elu", .name = "Elu", .isNode = true, .alpha = true},
    ActivationSchema{.kind = Gelu,
                     .enumerator = "Gelu",
                     .name = "Gelu",
                     .isNode = true,
                     .operations = 5}, // x * 0.5 * (1 + erf(x / sqrt(2)))
    ActivationSchema{.kind = PRelu, .enumerator = "PRelu", .name = "PRelu"},
    ActivationSchema{.kind = Other, .enumerator = "Other", .name = "Activation"},
    ActivationSchema{
        .kind = Mish, .enumerator = "Mish", .name = "Mish", .isNode = true, .operations = 3}, // x * tanh(softplus(x))
};

} // namespace

std::span<const ActivationSchema> activationSchemas()
{
    return kActivations;
}

const ActivationSchema &activationSchema(ActivationKind kind)
{
    return kActivations[static_cast<std::size_t>(kind)];
}

ActivationKind activationOfNode(std::string_view type)
{
    const auto *found =
        std::ranges::find_if(kActivations, [&](const ActivationSchema &one) { return one.isNode && one.name == type; });
    return found == kActivations.end() ? Other : found->kind;
}

std::string_view toString(ActivationKind kind)
{
    return activationSchema(kind).name;
}

} // namespace stagecraft
