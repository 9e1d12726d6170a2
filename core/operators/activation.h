#pragma once

// Activations that fuse into convolutions and products, as data: a row each. A device has the arithmetic: `eltwise` in
// core/device/cpu/onednn/primitives.cpp, `curved` in gpu/kernels/common.cuh.

#include <cstdint>
#include <span>
#include <string_view>

namespace stagecraft {

// Signatures of stages hold the number: new ones are added at the end.
enum class ActivationKind {
    None,
    Relu,
    Relu6,
    LeakyRelu,
    Sigmoid,
    Tanh,
    HardSwish,
    HardSigmoid,
    Silu,
    Elu,
    Gelu,
    PRelu,
    Other,
    Mish
};

struct Activation {
    ActivationKind kind = ActivationKind::None;
    float alpha = 0; // slope of LeakyRelu, alpha of Elu and HardSigmoid
    float beta = 0;  // beta of HardSigmoid

    friend bool operator==(const Activation &, const Activation &) = default;
};

struct ActivationSchema {
    ActivationKind kind;
    std::string_view enumerator; // "Silu": in exported code
    std::string_view name;       // "SiLU": as the field writes it
    bool isNode = false;         // a node of ONNX files is this function and has this name
    bool alpha = false;          // it has this number, an attribute "alpha" of the node
    bool beta = false;
    // Of arithmetic, for each element: as many as the nodes that older opsets write it with, so that arithmetic does
    // not depend on how a file writes it.
    int operations = 1;
};

// By the number of their kind.
[[nodiscard]] std::span<const ActivationSchema> activationSchemas();
[[nodiscard]] const ActivationSchema &activationSchema(ActivationKind kind);
// The function that a node of this type is; Other if it is none of those that fuse.
[[nodiscard]] ActivationKind activationOfNode(std::string_view type);

[[nodiscard]] std::string_view toString(ActivationKind kind);

} // namespace stagecraft
