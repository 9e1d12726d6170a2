#include "widgets/base/selection.h"

namespace stagecraft {

void Selection::set(Selected selected)
{
    if (selected == m_current)
        return;
    m_current = selected;
    emit changed(m_current);
}

} // namespace stagecraft
