#pragma once

// An operator of the graph. After fusion (core/rewrite) every operator is a schedule unit: what the search treats as
// one.
//
// An operator reads an *input expression*: a concatenation along channels of sums of tensors, as the published IOS
// graphs have it (`{{a, b}, {c}}` is concat(a + b, c)). Operators whose operands are neither added nor joined (Gemm
// with two tensors, unknown operators) list each operand as a part of its own; their kind says that the parts stay
// apart.

#include "operators/activation.h"
#include "operators/values/attribute_value.h"
#include "operators/values/constant.h"
#include "operators/values/tensor.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

enum class OperatorKind {
    Conv,       // convolution, with optional activation before (Relu-Conv) and after (Conv-Relu)
    SepConv,    // depthwise then pointwise convolution, with optional activation before (Relu-SepConv)
    Pool,       // max or average, windowed or global
    Activation, // stand-alone activation
    Join,       // add, concat, or both: only its input expression (shown as Add, Concat or Identity)
    BatchNorm,  // stand-alone, if it could not be folded
    Gemm,       // matrix product with a weight (fully connected) or of two tensors
    Softmax,
    Elementwise, // other element-wise arithmetic on one or two tensors: Mul, Sub, Div, Clip with tensors, ...
    Reshape,     // Flatten, Reshape, Squeeze, Unsqueeze: same bytes, other shape
    Transpose,
    Slice,
    Split,
    Pad,
    Resize,
    Reduce,
    Normalize, // LRN, InstanceNorm, LayerNorm
    ConvTranspose,
    Unknown, // an operator the program has no rule for; kept, shown and scheduled
    Fused,   // several operators that are scheduled as one (model/rewrite/fuse_by_class.cpp)
};

// A window over height and width. padding: top, left, bottom, right.
struct Window {
    std::array<std::int64_t, 2> kernel{1, 1};
    std::array<std::int64_t, 2> stride{1, 1};
    std::array<std::int64_t, 2> dilation{1, 1};
    std::array<std::int64_t, 4> padding{0, 0, 0, 0};

    friend bool operator==(const Window &, const Window &) = default;
};

struct ConvAttributes {
    std::int64_t outChannels = 0;
    Window window;
    std::int64_t groups = 1;
    Activation before; // applied to the input (Relu-Conv)
    Activation after;  // applied to the output (Conv-Relu)

    friend bool operator==(const ConvAttributes &, const ConvAttributes &) = default;
};

// A depthwise convolution with this window, then a 1x1 convolution to outChannels.
struct SepConvAttributes {
    std::int64_t outChannels = 0;
    Window window;
    Activation before;
    Activation between;
    Activation after;

    friend bool operator==(const SepConvAttributes &, const SepConvAttributes &) = default;
};

struct PoolAttributes {
    enum class Mode { Max, Average };

    Mode mode = Mode::Max;
    bool global = false; // the window is the whole image; `window` then has its size
    bool ceilMode = false;
    bool countIncludePad = false;
    Window window;

    friend bool operator==(const PoolAttributes &, const PoolAttributes &) = default;
};

struct GemmAttributes {
    std::int64_t outFeatures = 0; // columns of the result
    std::int64_t inFeatures = 0;  // the reduced dimension
    bool transposeB = false;
    Activation after;

    friend bool operator==(const GemmAttributes &, const GemmAttributes &) = default;
};

// Everything else: the attributes of the model file, sorted by name. What they may be and what they are where the file
// does not give them is in the schema (operators/schema.h).
struct GenericAttributes {
    std::vector<NamedAttribute> values;
    std::int64_t opset = 0; // whose form of the type this is; 0: that of opsets 13 to 17 (canonical_form.h)
    // The place that each output has among those of the node; empty: in order, none left out.
    std::vector<std::int64_t> outputPlaces = {};
    // The place of each tensor among the operands; empty: those that constants leave, in order.
    std::vector<std::int64_t> inputPlaces = {};

    friend bool operator==(const GenericAttributes &, const GenericAttributes &) = default;
};

class Graph; // of core/graph: an operator only passes it on

// The operators of a unit, as a graph that reads what the unit reads, each operand a part of its own, in order, and
// makes what the unit makes.
struct FusedAttributes {
    std::shared_ptr<const Graph> body;

    friend bool operator==(const FusedAttributes &, const FusedAttributes &) = default;
};

using Attributes = std::variant<GenericAttributes, ConvAttributes, SepConvAttributes, PoolAttributes, GemmAttributes,
                                Activation, FusedAttributes>;

// A constant an operator owns: weight, bias, scale... Values are shared, or, where `values` is null, drawn from a fixed
// generator seeded with `name` (operators/parameter_values.h), so that built-in networks cost no memory until executed.
struct Parameter {
    std::string role; // "weight", "bias", "depthwise_weight", "pointwise_weight", "scale", ...
    std::string name;
    Shape shape;
    DataType type = DataType::Float32;
    SharedValues values;
    std::optional<DataType> storedType = {}; // Constant::storedType
};

using InputExpression = std::vector<std::vector<TensorId>>;

struct Operator {
    std::string name;
    std::string type; // the field's name for it, "Conv", "Relu-SepConv", "MaxPool", or the type in the model file
    OperatorKind kind = OperatorKind::Unknown;
    Attributes attributes;
    InputExpression inputs;
    std::vector<TensorId> outputs;
    std::vector<Parameter> parameters;

    // Null unless the operator is of the kind.
    [[nodiscard]] const ConvAttributes *conv() const;
    [[nodiscard]] ConvAttributes *conv();
    [[nodiscard]] const ConvAttributes *convTranspose() const;
    [[nodiscard]] const Activation *activation() const { return std::get_if<Activation>(&attributes); }
    [[nodiscard]] const SepConvAttributes *sepConv() const { return std::get_if<SepConvAttributes>(&attributes); }
    [[nodiscard]] const PoolAttributes *pool() const { return std::get_if<PoolAttributes>(&attributes); }
    [[nodiscard]] const GemmAttributes *gemm() const { return std::get_if<GemmAttributes>(&attributes); }
    [[nodiscard]] const Graph *body() const; // of a Fused unit
    [[nodiscard]] bool isConcat() const;     // of tensors or of sums
    [[nodiscard]] bool isSum() const;
    [[nodiscard]] bool isCopy() const; // of one tensor
    [[nodiscard]] const Parameter *parameter(std::string_view role) const;
};

} // namespace stagecraft
