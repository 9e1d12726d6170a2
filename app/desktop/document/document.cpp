#include "desktop/document/document.h"

namespace stagecraft {

Document::Document(QObject *parent)
    : QObject(parent), m_next(new NextSearch(m_places, this)), m_editor(new Editor(m_places, m_shelf, this)),
      m_results(new Results(m_shelf, m_places, *m_next, *m_editor, this)),
      m_added(m_shelf, m_places, *m_next, *m_results)
{
}

} // namespace stagecraft
