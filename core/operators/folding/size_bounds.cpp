#include "operators/folding/size_bounds.h"

#include "operators/kernels/kernel.h"

#include <algorithm>
#include <array>
#include <limits>

namespace stagecraft {
namespace {

constexpr std::size_t kMostSizes = 64; // values of a tensor that holds sizes

struct SizeOperands {
    std::string_view type;
    std::array<std::size_t, 2> places;
    std::size_t count;
};
// Larger values make larger outputs, but for the starts of a Slice.
constexpr std::array kSizeOperands{
    SizeOperands{"ConstantOfShape", {0}, 1},
    SizeOperands{"Expand", {1}, 1},
    SizeOperands{"Range", {1}, 1},
    SizeOperands{"Reshape", {1}, 1},
    SizeOperands{"Slice", {1, 2}, 2},
    SizeOperands{"Tile", {1}, 1},
    SizeOperands{"TopK", {1}, 1},
};

// How results grow with operands.
enum class Growth {
    Moved,     // operand 0 is moved by constants
    Joined,    // all operands are moved
    Increases, // with every operand, where none is negative
    Shrinks,   // as before, but not with operand 1, which has to be constant
};
struct Growing {
    std::string_view type;
    Growth growth;
};
constexpr std::array kGrowing{
    Growing{"Add", Growth::Increases},   Growing{"Cast", Growth::Moved},       Growing{"Ceil", Growth::Increases},
    Growing{"Concat", Growth::Joined},   Growing{"Div", Growth::Shrinks},      Growing{"Floor", Growth::Increases},
    Growing{"Gather", Growth::Moved},    Growing{"Identity", Growth::Moved},   Growing{"Max", Growth::Increases},
    Growing{"Min", Growth::Increases},   Growing{"Mul", Growth::Increases},    Growing{"ReduceMax", Growth::Moved},
    Growing{"ReduceMin", Growth::Moved}, Growing{"ReduceProd", Growth::Moved}, Growing{"ReduceSum", Growth::Moved},
    Growing{"Reshape", Growth::Moved},   Growing{"Slice", Growth::Moved},      Growing{"Sqrt", Growth::Increases},
    Growing{"Squeeze", Growth::Moved},   Growing{"Sub", Growth::Shrinks},      Growing{"Unsqueeze", Growth::Moved},
};

std::shared_ptr<const Constant> sharedInts(std::vector<std::int64_t> dims, std::vector<std::int64_t> values)
{
    return std::make_shared<const Constant>(intConstant(std::move(dims), std::move(values)));
}

std::shared_ptr<const Constant> knownOrLargest(const OperandFacts &operand)
{
    return operand.constant ? operand.constant : operand.bound;
}

bool isNegative(const Constant &constant)
{
    const auto below = [](const auto value) { return value < 0; };
    return constant.isFloat() ? std::ranges::any_of(*constant.asFloats(), below)
                              : std::ranges::any_of(constant.asInts(), below);
}

// The sizes of a tensor, of which some are the largest.
std::shared_ptr<const Constant> shapeValues(const NodeFacts &node)
{
    const Shape &shape = node.shape(0);
    if (!shape.known)
        return nullptr;
    if (node.type == "Size")
        return sharedInts({}, {shape.elements()});
    const auto rank = static_cast<std::int64_t>(shape.dims.size());
    const auto clamped = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t start = clamped(node.integer("start"));
    const std::int64_t end = std::max(start, clamped(node.gives("end") ? node.integer("end") : rank));
    return sharedInts({end - start}, {shape.dims.begin() + start, shape.dims.begin() + end});
}

// For the operand at `place` of a node that is to be as large as it can be.
std::shared_ptr<const Constant> largestOperand(const NodeFacts &node, std::size_t place)
{
    const OperandFacts &operand = *node.inputs[place];
    const std::int64_t count = operand.shape.elements();
    if (node.type == "TopK") {
        const auto axis = axisWithin(node.integer("axis"), node.shape(0).dims.size());
        if (!axis || count != 1)
            return nullptr;
        std::int64_t most = node.shape(0).dims[*axis];
        if (operand.bound)
            most = std::min(most, operand.bound->asInts().front());
        return sharedInts({1}, {most});
    }
    if (node.type == "Slice") {
        const auto steps = node.integersFrom("steps", 4);
        const bool isForward =
            !steps.given ||
            (steps.values && std::ranges::all_of(*steps.values, [](std::int64_t step) { return step > 0; }));
        if (!isForward || count > static_cast<std::int64_t>(kMostSizes))
            return nullptr;
        const std::int64_t farthest = place == 1 ? 0 : std::numeric_limits<std::int64_t>::max();
        if (place == 1 || !operand.bound)
            return sharedInts({count}, std::vector<std::int64_t>(static_cast<std::size_t>(count), farthest));
    }
    return operand.bound;
}

// Of what a Where chooses between, whichever it chooses.
NodeFacts largerOf(const NodeFacts &choice)
{
    NodeFacts larger;
    larger.type = "Max";
    larger.inputs = {choice.inputs[1], choice.inputs[2]};
    return larger;
}

} // namespace

std::span<const std::size_t> sizeOperands(std::string_view type)
{
    const auto found = std::ranges::find(kSizeOperands, type, &SizeOperands::type);
    return found == kSizeOperands.end() ? std::span<const std::size_t>() : std::span(found->places).first(found->count);
}

bool hasComputedSizes(const NodeFacts &node)
{
    const auto isComputed = [&](std::size_t place) { return node.isTensor(place); };
    return std::ranges::any_of(sizeOperands(node.type), isComputed);
}

std::optional<NodeFacts> atItsLargest(const NodeFacts &node)
{
    NodeFacts largest = node;
    for (const std::size_t place : sizeOperands(node.type)) {
        if (!node.isTensor(place))
            continue;
        largest.inputs[place]->constant = largestOperand(node, place);
        if (!largest.inputs[place]->constant)
            return std::nullopt;
    }
    return largest;
}

std::shared_ptr<const Constant> largestValues(const NodeFacts &node)
{
    if (node.type == "Shape" || node.type == "Size")
        return node.has(0) ? shapeValues(node) : nullptr;
    if (node.type == "Where" && node.has(1) && node.has(2))
        return largestValues(largerOf(node));
    const auto found = std::ranges::find(kGrowing, node.type, &Growing::type);
    const auto hasBound = [](const auto &input) { return input && input->bound; };
    if (found == kGrowing.end() || std::ranges::none_of(node.inputs, hasBound))
        return nullptr;
    NodeFacts known = node;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (!node.has(i))
            continue;
        const bool mustBeConstant = i > 0 && (found->growth == Growth::Moved || found->growth == Growth::Shrinks);
        const auto values = mustBeConstant ? node.inputs[i]->constant : knownOrLargest(*node.inputs[i]);
        const bool mayBeNegative = found->growth == Growth::Moved || found->growth == Growth::Joined;
        if (!values || values->size() > kMostSizes || (!mayBeNegative && isNegative(*values)))
            return nullptr;
        known.inputs[i]->constant = values;
        known.inputs[i]->shape = Shape{values->dims};
    }
    known.outputCount = 1;
    auto made = evaluate(known);
    return made && made->size() == 1 ? std::make_shared<const Constant>(std::move(made->front())) : nullptr;
}

} // namespace stagecraft
