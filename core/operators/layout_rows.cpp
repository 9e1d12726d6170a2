#include "operators/fold_rules.h"
#include "operators/schema_rows.h"
#include "operators/shape_rules.h"

namespace stagecraft::schema_rows {
namespace {

namespace shape = shape_rules;
namespace fold = fold_rules;
using Kind = OperatorKind;

OperatorSchema moves(std::string_view type, Kind kind, ShapeRule shapes, std::vector<OperandSchema> operands,
                     std::vector<AttributeSchema> attributes, FoldRule folds = nullptr)
{
    return {.type = type,
            .kind = kind,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .shapes = shapes,
            .cost = Cost::Moves,
            .fold = folds,
            .fusion = FusionClass::Injective};
}

// Shapes are known, where there is a rule, and nothing else.
OperatorSchema other(std::string_view type, std::vector<OperandSchema> operands, ShapeRule shapes, Cost cost,
                     FusionClass fusion = FusionClass::Opaque)
{
    return {.type = type,
            .operands = std::move(operands),
            .listsAttributes = false,
            .outputs = shapes ? 1U : 0U,
            .shapes = shapes,
            .cost = cost,
            .fusion = fusion};
}

std::vector<AttributeSchema> resizing()
{
    return {text("mode", "nearest"),
            text("coordinate_transformation_mode", "half_pixel"),
            text("nearest_mode", "round_prefer_floor"),
            text("keep_aspect_ratio_policy", "stretch"),
            whole("antialias", 0),
            whole("exclude_outside", 0),
            real("cubic_coeff_a", -0.75F),
            real("extrapolation_value", 0.0F),
            given("axes"),
            given("scales"),       // before opset 9
            given("height_scale"), // Upsample before opset 7
            given("width_scale")};
}

} // namespace

std::vector<OperatorSchema> layoutRows()
{
    return {
        moves("Flatten", Kind::Reshape, shape::reshaped, {{"input"}}, {whole("axis", 1)}, fold::reshape),
        moves("Reshape", Kind::Reshape, shape::reshaped, {{"data"}, optionalConstant("shape")},
              {whole("allowzero", 0), given("shape")}, fold::reshape),
        moves("Squeeze", Kind::Reshape, shape::reshaped, {{"data"}, optionalConstant("axes")}, {given("axes")},
              fold::reshape),
        moves("Unsqueeze", Kind::Reshape, shape::reshaped, {{"data"}, optionalConstant("axes")}, {given("axes")},
              fold::reshape),
        moves("Transpose", Kind::Transpose, shape::transposed, {{"data"}}, {given("perm")}, fold::transpose),
        moves("DepthToSpace", Kind::Transpose, shape::inBlocks, {{"input"}}, {given("blocksize"), text("mode", "DCR")}),
        moves("SpaceToDepth", Kind::Transpose, shape::inBlocks, {{"input"}}, {given("blocksize"), text("mode", "DCR")}),
        moves("Slice", Kind::Slice, shape::sliced,
              {{"data"},
               optionalConstant("starts"),
               optionalConstant("ends"),
               optionalConstant("axes"),
               optionalConstant("steps")},
              {given("starts"), given("ends"), given("axes")}, fold::slice),
        moves("Gather", Kind::Slice, shape::gathered, {{"data"}, {"indices"}}, {whole("axis", 0)}, fold::gather),
        withOutputs(0, moves("Split", Kind::Split, shape::split, {{"input"}, optionalConstant("split")},
                             {whole("axis", 0), given("split"), given("num_outputs")}, fold::split)),
        moves("Pad", Kind::Pad, shape::padded,
              {{"data"}, optionalConstant("pads"), optional("constant_value"), optionalConstant("axes")},
              {text("mode", "constant"), given("pads"), given("paddings"), real("value", 0.0F)}),
        {.type = "Concat",
         .kind = Kind::Elementwise,
         .operands = {several("inputs")},
         .attributes = {whole("axis", 1)}, // has to be given since opset 4
         .shapes = shape::joined,
         .cost = Cost::Elements,
         .fold = fold::concat,
         .fusion = FusionClass::Injective},
        {.type = "Resize",
         .kind = Kind::Resize,
         .operands = {{"X"}, optional("roi"), optional("scales"), optionalConstant("sizes")},
         .attributes = resizing(),
         .shapes = shape::resized,
         .cost = Cost::Elements,
         .fusion = FusionClass::Injective},
        {.type = "Upsample",
         .kind = Kind::Resize,
         .operands = {{"X"}, optional("scales")},
         .attributes = {text("mode", "nearest"), given("scales"), given("height_scale"), given("width_scale")},
         .shapes = shape::resized,
         .cost = Cost::Elements,
         .fusion = FusionClass::Injective},
        {.type = "Expand",
         .kind = Kind::Resize,
         .operands = {{"input"}, constant("shape")},
         .shapes = shape::expanded,
         .cost = Cost::Elements,
         .fold = fold::expand,
         .fusion = FusionClass::Injective},
        {.type = "Tile",
         .kind = Kind::Resize,
         .operands = {{"input"}, constant("repeats")},
         .shapes = shape::tiled,
         .cost = Cost::Elements,
         .fusion = FusionClass::Injective},
        {.type = "Identity",
         .operands = {{"input"}},
         .shapes = shape::likeFirst,
         .cost = Cost::Bytes,
         .fold = fold::identity,
         .fusion = FusionClass::Injective},
        {.type = "Dropout",
         .operands = {{"data"}, optional("ratio"), optional("training_mode")},
         .attributes = {ignored("is_test"), ignored("ratio"), ignored("seed")}, // only for training
         .outputs = 2,
         .shapes = shape::normalized,
         .cost = Cost::Bytes,
         .fusion = FusionClass::Injective},
        other("GatherElements", {{"data"}, {"indices"}}, shape::likeSecond, Cost::Bytes),
        other("ScatterND", {{"data"}, {"indices"}, {"updates"}}, shape::likeFirst, Cost::Bytes),
        other("ScatterElements", {{"data"}, {"indices"}, {"updates"}}, shape::likeFirst, Cost::Bytes),
        other("ReverseSequence", {{"input"}, {"sequence_lens"}}, shape::likeFirst, Cost::Bytes),
        other("Trilu", {{"input"}, optional("k")}, shape::likeFirst, Cost::Bytes, FusionClass::Injective),
        other("EyeLike", {{"input"}}, shape::likeFirst, Cost::Bytes, FusionClass::Injective),
        other("GatherND", {{"data"}, {"indices"}}, nullptr, Cost::Bytes),
        other("OneHot", {{"indices"}, {"depth"}, {"values"}}, nullptr, Cost::Bytes),
        {.type = "Range",
         .operands = {{"start"}, {"limit"}, {"delta"}},
         .listsAttributes = false,
         .outputs = 0,
         .cost = Cost::Bytes,
         .fold = fold::range},
        other("ConstantOfShape", {{"input"}}, nullptr, Cost::Bytes),
        resulting(ResultType::Integer,
                  withAttributes({whole("start", 0), given("end")}, other("Shape", {{"data"}}, nullptr, Cost::None))),
        resulting(ResultType::Integer, other("Size", {{"data"}}, nullptr, Cost::None)),
        resulting(ResultType::Integer, other("NonZero", {{"X"}}, nullptr, Cost::None)),
    };
}

} // namespace stagecraft::schema_rows
