#pragma once

// What the program knows about operators, as data.
//
// Two tables. One has a row per operator type of the model files ("Conv", "Softmax", ...; source: the ONNX operator
// specification): operands, attributes with their defaults, shapes, cost, folding of constants, fusion
// class. The other has a row per kind, for the units that a graph has after fusion and that carry typed attributes
// (Conv-Relu, Relu-SepConv, joins): how they read their operands, shapes, cost. Adding an operator is one row here, a
// kernel per device that executes it, and one row in tests/support/operator_rows.cpp (CONTRIBUTING.md).

#include "operators/kernels/kernel.h"
#include "operators/node_facts.h"
#include "operators/operator.h"
#include "support/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// What a compiler may do with the operator (Chen et al., TVM, OSDI 2018, section 3).
enum class FusionClass {
    Injective, // one-to-one: may join whatever is before or after
    Reduction, // may take injective operators before it
    Complex,   // may take element-wise operators behind it (its output is fusable)
    Opaque,    // stays alone
};

[[nodiscard]] std::string_view toString(FusionClass fusion);

struct OperandSchema {
    enum class Need {
        Always,
        Optional,
        Several, // and any number of further ones
    };

    std::string_view name;
    Need need = Need::Always;
    bool constant = false; // where it is given but not constant, shapes are unknown
};

struct AttributeSchema {
    std::string name;
    std::optional<AttributeValue> fallback;    // empty: has to be given, or means something of its own when it is not
    bool counts = true;                        // false: known, and without effect on what the program does
    std::vector<std::string_view> values = {}; // of a text: all that it may be; empty: any
};

// Arithmetic of an operator that is kept as in the file.
enum class Cost {
    None,  // not known
    Bytes, // that of OperatorSchema::multiplyAdds; or not known, but small: as long as moving what it reads and writes
    Moves, // none: it only moves values, or, without a kind of its own, reads only the sizes of its operand
    Elements, // one operation per element of the output
};

// The element type of outputs.
enum class ResultType {
    LikeFirst,
    LikeSecond,
    LikeThird,
    LikeFifth,
    LikeEighth,
    Truth,
    Integer,
    Int32,
    Composed,  // that of the last of the operators that it stands for
    Branch,    // that of a subgraph's result
    Asked,     // by the attribute "to"
    MaybeAsked // by the attribute "dtype" or "output_datatype"; otherwise like the first
};

// One shape per output; unknown where a shape needs a value that is not constant. Called only if the first operand is
// there, all shapes are known and operands that have to be constant are. Errors: the operands do not fit.
using ShapeRule = Result<std::vector<Shape>> (*)(const NodeFacts &node);

struct OperatorSchema {
    std::string_view type;
    OperatorKind kind = OperatorKind::Unknown; // of operators of this type that are kept as in the file
    std::vector<OperandSchema> operands = {};
    std::vector<AttributeSchema> attributes = {};
    bool listsAttributes = true; // false: it may have others, which nothing is known about
    std::size_t outputs = 1;     // most outputs; 0: as many as the node lists
    ResultType result = ResultType::LikeFirst;
    ShapeRule shapes = nullptr;
    Cost cost = Cost::None;
    // Of one execution of an operator that is kept as in the file, from shapes alone.
    double (*multiplyAdds)(const NodeFacts &node, const Shape &output) = nullptr;
    KernelFunction kernel =
        nullptr; // null: constants are not folded, and only devices with one of their own execute it
    FusionClass fusion = FusionClass::Opaque;
    bool sizesAreBounds = false; // shapes are the largest; values decide how many elements there are
    bool hasSubgraphs = false;   // attributes that have no default are graphs, which have to be known
};

// In the order of their names.
[[nodiscard]] std::span<const OperatorSchema> operatorSchemas();
// Null if nothing is known about the type.
[[nodiscard]] const OperatorSchema *schemaOf(std::string_view type);
// The value of an attribute that the file does not give; null if there is none.
[[nodiscard]] const AttributeValue *attributeDefault(std::string_view type, std::string_view attribute);
// Also true for every attribute of a type that lists none: nothing is known about those anyway.
[[nodiscard]] bool isKnownAttribute(std::string_view type, std::string_view attribute);
// What the program does not know of an attribute: its name ("slope"), or its value ("mode=sharp"), which is none of
// those listed, or not of the type that it has to be. `value`: null if only the name matters.
[[nodiscard]] std::optional<std::string> unknownAttribute(std::string_view type, const std::string &name,
                                                          const AttributeValue *value);
// The first unknown attribute of an operator that is kept as in the model file.
[[nodiscard]] std::optional<std::string> unknownAttribute(const Operator &op);
[[nodiscard]] std::optional<std::string> unknownAttribute(const NodeFacts &node);

// What people group operators by; the graph is coloured by it.
enum class OperatorFamily { Convolution, SeparableConvolution, Pooling, Join, Elementwise, Product, Other };

struct KindSchema {
    OperatorKind kind;
    std::string_view name; // "Conv", "Pool", ...
    OperatorFamily family = OperatorFamily::Other;
    bool expressionInput = false; // true: operands form one tensor (a concat of sums); false: they stay apart
    FusionClass fusion = FusionClass::Opaque;
    // Of a unit, from its input. Null: the kind has no typed attributes.
    Result<Shape> (*shape)(const Operator &op, const Shape &input) = nullptr;
    // Multiply-adds times two in one execution, without the sums of the input expression. Null: that of the type.
    double (*flops)(const Operator &op, const Shape &input, const Shape &output) = nullptr;
};

[[nodiscard]] const KindSchema &kindSchema(OperatorKind kind);
[[nodiscard]] FusionClass fusionClass(const Operator &op);

// The name the field uses, from kind and attributes: "Conv-Relu", "Relu-SepConv", "MaxPool", "Concat", "Add", ...
// For Unknown and other operators that are kept as in the file it is `op.type`.
[[nodiscard]] std::string displayType(const Operator &op);

// The shapes of all outputs, from one shape per tensor that the operator reads, in order. Refuses what does not fit: a
// wrong channel count, a window larger than the padded input, summands of different shapes, a size that is not positive
// or absurdly large, a type without a rule.
[[nodiscard]] Result<std::vector<Shape>> inferShapes(const Operator &op, std::span<const Shape> operandShapes);
// The same for a node of a file; empty if its type has no rule.
[[nodiscard]] Result<std::optional<std::vector<Shape>>> inferShapes(const NodeFacts &node);
// Of an operator with one output.
[[nodiscard]] Result<Shape> inferShape(const Operator &op, std::span<const Shape> operandShapes);

// The shape of a concat of sums: parts[i] are the shapes of the summands of part i.
[[nodiscard]] Result<Shape> expressionShape(const InputExpression &inputs, std::span<const Shape> operandShapes);

// The element type of an output of a node.
[[nodiscard]] DataType resultType(const NodeFacts &node, std::size_t output);

// Arithmetic without the sums of the input expression.
[[nodiscard]] double flopsOf(const Operator &op, const Shape &input, const Shape &output);
// Whether the arithmetic of the operator is known.
[[nodiscard]] bool hasArithmetic(const Operator &op);
// Why it is not, naming the type or what is unknown of it: "the program has no rule for If (its condition is
// computed)". Empty if it is.
[[nodiscard]] std::string opaqueReason(const Operator &op);
// What keeps the program from having a rule for an operator, as far as one can say; empty for types that nobody knows.
[[nodiscard]] std::string whyWithoutRule(const Operator &op);
// Of a product, a convolution or a recurrent layer that is kept as in the file; empty for other operators. One shape
// per tensor that the operator reads.
[[nodiscard]] std::optional<double> multiplyAddsOf(const Operator &op, std::span<const Shape> operandShapes,
                                                   const Shape &output);

} // namespace stagecraft
