#include "model/onnx/read/fold_budget.h"

#include <fmt/format.h>

namespace stagecraft {

void FoldBudget::beginReading()
{
    m_made = kMade;
    m_refusals = 0;
}

void FoldBudget::addOwn(std::int64_t elements)
{
    m_made += kPerOwn * elements;
    m_visited += kPerOwn * elements;
    m_work.add({kPerOwn * elements, 0});
}

bool FoldBudget::take(std::int64_t made, std::int64_t visited)
{
    if (made > m_made || visited > m_visited || !m_work.take({visited, 0})) {
        ++m_refusals;
        return false;
    }
    m_made -= made;
    m_visited -= visited;
    return true;
}

std::string FoldBudget::refusalText() const
{
    return fmt::format("All its inputs are constants, but folding it exceeds the limit for a file ({} elements, and {} "
                       "per element in the file); it stays an operator{}",
                       kMade, kPerOwn, m_refusals > 1 ? fmt::format(", and so do {} more", m_refusals - 1) : "");
}

} // namespace stagecraft
