#include "desktop/dialogs/help_window.h"

#include "desktop/dialogs/help_browser.h"

#include <QKeyEvent>
#include <QVBoxLayout>

namespace stagecraft {

HelpWindow::HelpWindow(QWidget *parent) : QWidget(parent, Qt::Window), m_browser(new HelpBrowser(this))
{
    setWindowTitle(QStringLiteral("Stagecraft help"));
    resize(780, 760);
    m_browser->setFrameShape(QFrame::NoFrame);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_browser);
}

void HelpWindow::showPage(const QString &place)
{
    QUrl page(QStringLiteral("index.html"));
    if (place.endsWith(QStringLiteral(".html")))
        page = QUrl(place);
    else
        page.setFragment(place.isEmpty() ? QString() : place);
    m_browser->setSource(page);
    show();
    raise();
    activateWindow();
}

void HelpWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        close();
    else
        QWidget::keyPressEvent(event);
}

} // namespace stagecraft
