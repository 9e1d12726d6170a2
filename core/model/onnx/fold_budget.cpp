#include "model/onnx/fold_budget.h"

namespace stagecraft {

void FoldBudget::addOwn(std::int64_t elements)
{
    m_made += kPerOwn * elements;
    m_goneOver += kPerOwn * elements;
}

bool FoldBudget::take(std::int64_t made, std::int64_t goneOver)
{
    if (made > m_made || goneOver > m_goneOver) {
        ++m_refusals;
        return false;
    }
    m_made -= made;
    m_goneOver -= goneOver;
    return true;
}

std::string FoldBudget::refusalText() const
{
    const std::string others = m_refusals > 1 ? ", and so do " + std::to_string(m_refusals - 1) + " more" : "";
    return "It reads constants alone, but to compute it here goes beyond what is computed for a file (" +
           std::to_string(kMade) + " elements, and " + std::to_string(kPerOwn) +
           " for each that the file holds); it stays an operator" + others;
}

} // namespace stagecraft
