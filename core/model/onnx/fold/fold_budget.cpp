#include "model/onnx/fold/fold_budget.h"

#include "model/onnx/fold/fold_rules.h"
#include "model/onnx/shapes/shapes.h"

#include <set>

namespace stagecraft {
namespace {

using namespace fold_rules;

// Whether the node has the same values in the same order, which are not copied.
bool sharesValues(const OnnxNode &node)
{
    static const std::set<std::string> types{"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze"};
    return types.contains(node.type);
}

} // namespace

bool takeFor(const OnnxNode &node, FoldBudget &budget)
{
    if (sharesValues(node))
        return true;
    std::vector<Dims> results;
    if (node.type == "ConstantOfShape") {
        results.push_back(node.constant(0)->asInts());
    } else if (node.type == "Range") {
        results.push_back({rangeLength(node).value_or(0)});
    } else if (const auto shapes = outputShapes(node); shapes && *shapes) {
        for (const Shape &shape : **shapes) {
            if (shape.known)
                results.push_back(shape.dims);
        }
    }
    std::int64_t made = 0;
    std::int64_t visited = 0;
    for (const Dims &dims : results) {
        const std::int64_t count = elementCount(dims).value_or(0); // no rule produces absurd sizes
        made += count;
        visited += count * static_cast<std::int64_t>(dims.size() + 1);
    }
    for (const auto &input : node.inputs)
        visited += input ? static_cast<std::int64_t>(input->constant->size()) : 0;
    return budget.take(made, visited);
}

void FoldBudget::addOwn(std::int64_t elements)
{
    m_made += kPerOwn * elements;
    m_visited += kPerOwn * elements;
}

bool FoldBudget::take(std::int64_t made, std::int64_t visited)
{
    if (made > m_made || visited > m_visited) {
        ++m_refusals;
        return false;
    }
    m_made -= made;
    m_visited -= visited;
    return true;
}

std::string FoldBudget::refusalText() const
{
    const std::string others = m_refusals > 1 ? ", and so do " + std::to_string(m_refusals - 1) + " more" : "";
    return "All its inputs are constants, but folding it exceeds the limit for a file (" + std::to_string(kMade) +
           " elements, and " + std::to_string(kPerOwn) + " per element in the file); it stays an operator" + others;
}

} // namespace stagecraft
