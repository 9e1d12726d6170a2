#include "operators/kernels/kernels.h"
#include "operators/rows/schema_rows.h"
#include "operators/shapes/shape_rules.h"

namespace stagecraft::schema_rows {
namespace {

namespace shape = shape_rules;
namespace kernel = kernels;
using Kind = OperatorKind;

OperatorSchema moves(std::string_view type, Kind kind, ShapeRule shapes, std::vector<OperandSchema> operands,
                     std::vector<AttributeSchema> attributes, KernelFunction kernel)
{
    return {.type = type,
            .kind = kind,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .shapes = shapes,
            .cost = Cost::Moves,
            .kernel = kernel,
            .fusion = FusionClass::Injective};
}

// Without a kind of its own.
OperatorSchema other(std::string_view type, std::vector<OperandSchema> operands, ShapeRule shapes,
                     KernelFunction kernel, std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .shapes = shapes,
            .cost = Cost::Bytes,
            .kernel = kernel};
}

OperatorSchema injective(OperatorSchema row)
{
    row.fusion = FusionClass::Injective;
    return row;
}

OperatorSchema withCost(Cost cost, OperatorSchema row)
{
    row.cost = cost;
    return row;
}

// Values decide how many elements there are.
OperatorSchema chosen(OperatorSchema row)
{
    row.sizesAreBounds = true;
    return row;
}

std::vector<AttributeSchema> resizing()
{
    return {choice("mode", {"nearest", "linear", "bilinear", "cubic"}),
            choice("coordinate_transformation_mode",
                   {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                    "tf_half_pixel_for_nn", "tf_crop_and_resize"}),
            choice("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}),
            choice("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"}),
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

std::vector<OperatorSchema> movementRows()
{
    return {
        moves("Flatten", Kind::Reshape, shape::reshaped, {{"input"}}, {whole("axis", 1)}, kernel::copied),
        moves("Reshape", Kind::Reshape, shape::reshaped, {{"data"}, optionalConstant("shape")},
              {whole("allowzero", 0), given("shape")}, kernel::copied),
        moves("Squeeze", Kind::Reshape, shape::reshaped, {{"data"}, optionalConstant("axes")}, {given("axes")},
              kernel::copied),
        moves("Unsqueeze", Kind::Reshape, shape::reshaped, {{"data"}, optionalConstant("axes")}, {given("axes")},
              kernel::copied),
        moves("Transpose", Kind::Transpose, shape::transposed, {{"data"}}, {given("perm")}, kernel::transposed),
        moves("DepthToSpace", Kind::Transpose, shape::inBlocks, {{"input"}},
              {given("blocksize"), choice("mode", {"DCR", "CRD"})}, kernel::inBlocks),
        moves("SpaceToDepth", Kind::Transpose, shape::inBlocks, {{"input"}},
              {given("blocksize"), choice("mode", {"DCR", "CRD"})}, kernel::inBlocks),
        moves("Slice", Kind::Slice, shape::sliced,
              {{"data"},
               optionalConstant("starts"),
               optionalConstant("ends"),
               optionalConstant("axes"),
               optionalConstant("steps")},
              {given("starts"), given("ends"), given("axes")}, kernel::sliced),
        moves("Gather", Kind::Slice, shape::gathered, {{"data"}, {"indices"}}, {whole("axis", 0)}, kernel::gather),
        withOutputs(0, moves("Split", Kind::Split, shape::split, {{"input"}, optionalConstant("split")},
                             {whole("axis", 0), given("split"), given("num_outputs")}, kernel::split)),
        moves("Pad", Kind::Pad, shape::padded,
              {{"data"}, optionalConstant("pads"), optional("constant_value"), optionalConstant("axes")},
              {choice("mode", {"constant", "edge", "reflect", "wrap"}), given("pads"), given("paddings"),
               real("value", 0.0F)},
              kernel::padded),
        {.type = "Concat",
         .kind = Kind::Elementwise,
         .operands = {several("inputs")},
         .attributes = {whole("axis", 1)}, // has to be given since opset 4
         .shapes = shape::joined,
         .cost = Cost::Elements,
         .kernel = kernel::joined,
         .fusion = FusionClass::Injective},
        {.type = "Resize",
         .kind = Kind::Resize,
         .operands = {{"X"}, optionalConstant("roi"), optionalConstant("scales"), optionalConstant("sizes")},
         .attributes = resizing(),
         .shapes = shape::resized,
         .cost = Cost::Elements,
         .kernel = kernel::resized,
         .fusion = FusionClass::Injective},
        {.type = "Upsample",
         .kind = Kind::Resize,
         .operands = {{"X"}, optionalConstant("scales")},
         .attributes = {choice("mode", {"nearest", "linear", "bilinear"}), given("scales"), given("height_scale"),
                        given("width_scale")},
         .shapes = shape::resized,
         .cost = Cost::Elements,
         .kernel = kernel::resized,
         .fusion = FusionClass::Injective},
        {.type = "Expand",
         .kind = Kind::Resize,
         .operands = {{"input"}, constant("shape")},
         .shapes = shape::expanded,
         .cost = Cost::Elements,
         .kernel = kernel::expanded,
         .fusion = FusionClass::Injective},
        {.type = "Tile",
         .kind = Kind::Resize,
         .operands = {{"input"}, constant("repeats")},
         .shapes = shape::tiled,
         .cost = Cost::Elements,
         .kernel = kernel::tiled,
         .fusion = FusionClass::Injective},
        {.type = "Identity",
         .operands = {{"input"}},
         .shapes = shape::likeFirst,
         .cost = Cost::Bytes,
         .kernel = kernel::copied,
         .fusion = FusionClass::Injective},
        {.type = "Dropout",
         .operands = {{"data"}, optionalConstant("ratio"), optionalConstant("training_mode")},
         .attributes = {ignored("is_test"), ignored("ratio"), ignored("seed")}, // only for training
         .outputs = 2,
         .shapes = shape::normalized,
         .cost = Cost::Bytes,
         .kernel = kernel::keptWhole,
         .fusion = FusionClass::Injective},
        other("GatherElements", {{"data"}, {"indices"}}, shape::likeSecond, kernel::gatherElements, {whole("axis", 0)}),
        other("ScatterND", {{"data"}, {"indices"}, {"updates"}}, shape::likeFirst, kernel::scatterNd,
              {choice("reduction", {"none", "add", "mul", "max", "min"})}),
        other("ScatterElements", {{"data"}, {"indices"}, {"updates"}}, shape::likeFirst, kernel::scatterElements,
              {whole("axis", 0), choice("reduction", {"none", "add", "mul", "max", "min"})}),
        other("Scatter", {{"data"}, {"indices"}, {"updates"}}, shape::likeFirst, kernel::scatterElements,
              {whole("axis", 0)}),
        other("TensorScatter", {{"past_cache"}, {"update"}, optional("write_indices")}, shape::likeFirst,
              kernel::tensorScatter, {whole("axis", -2), choice("mode", {"linear", "circular"})}),
        other("ReverseSequence", {{"input"}, {"sequence_lens"}}, shape::likeFirst, kernel::reversed,
              {whole("batch_axis", 1), whole("time_axis", 0)}),
        injective(other("Trilu", {{"input"}, optional("k")}, shape::likeFirst, kernel::triangle, {whole("upper", 1)})),
        injective(resulting(ResultType::MaybeAsked, other("EyeLike", {{"input"}}, shape::likeFirst, kernel::eye,
                                                          {whole("dtype", 0), whole("k", 0)}))),
        other("GatherND", {{"data"}, {"indices"}}, shape::gatheredNd, kernel::gatherNd, {whole("batch_dims", 0)}),
        resulting(ResultType::LikeThird, other("OneHot", {{"indices"}, constant("depth"), {"values"}}, shape::oneHot,
                                               kernel::oneHot, {whole("axis", -1)})),
        other("Range", {constant("start"), constant("limit"), constant("delta")}, shape::ranged, kernel::range,
              {ignored("stash_type")}),
        other("CenterCropPad", {{"input_data"}, constant("shape")}, shape::cropped, kernel::cropped, {given("axes")}),
        other("Col2Im", {{"input"}, constant("image_shape"), constant("block_shape")}, shape::columnsToImage,
              kernel::columnsToImage, {given("dilations"), given("pads"), given("strides")}),
        resulting(ResultType::LikeSecond, // the importer makes the value an operand
                  other("ConstantOfShape", {constant("input"), optional("value")}, shape::repeated, kernel::repeated,
                        {given("value")})),
        resulting(ResultType::Integer, withCost(Cost::Moves, other("Shape", {{"data"}}, shape::shapeOf, kernel::shapeOf,
                                                                   {whole("start", 0), given("end")}))),
        resulting(ResultType::Integer,
                  withCost(Cost::Moves, other("Size", {{"data"}}, shape::scalar, kernel::sizeOf, {}))),
        chosen(resulting(ResultType::Integer, other("NonZero", {{"X"}}, shape::nonZero, kernel::nonZero, {}))),
        chosen(other("Compress", {{"input"}, {"condition"}}, shape::compressed, kernel::compress, {given("axis")})),
        chosen(withOutputs(
            4, other("Unique", {{"X"}}, shape::unique, kernel::unique, {given("axis"), whole("sorted", 1)}))),
    };
}

} // namespace stagecraft::schema_rows
