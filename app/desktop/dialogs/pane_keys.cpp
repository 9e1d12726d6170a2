#include "desktop/dialogs/pane_keys.h"

#include "desktop/dialogs/help_browser.h"

#include <QKeyEvent>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>

namespace stagecraft {
namespace {

constexpr int kKeysWidth = 720; // points

} // namespace

PaneKeys::PaneKeys(const QString &name, const QString &title, QWidget *parent)
    : QFrame(parent, Qt::Popup), m_browser(new HelpBrowser(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    setWindowTitle(QStringLiteral("Keys of %1").arg(title));
    setAccessibleName(windowTitle());
    m_browser->setFrameShape(QFrame::NoFrame);
    m_browser->setAccessibleName(windowTitle());
    m_browser->setOpenLinks(false);
    m_browser->setSource(QUrl(QStringLiteral("keys/%1").arg(name)));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_browser);
    setFocusProxy(m_browser);
    connect(m_browser, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) {
        close();
        emit helpWanted(link.fragment());
    });
}

void PaneKeys::showOver(const QWidget &area)
{
    const QRect screen = area.screen()->availableGeometry();
    const int width = std::min(kKeysWidth, screen.width());
    const std::unique_ptr<QTextDocument> page(m_browser->document()->clone()); // the browser lays out its own later
    page->setTextWidth(width - 2 * frameWidth());
    const int height = static_cast<int>(page->size().height()) + 2 * frameWidth() + 2;
    resize(width, std::min(height, screen.height()));
    QRect place(QPoint(), size());
    place.moveCenter(area.mapToGlobal(area.rect().center()));
    place.moveTo(std::clamp(place.left(), screen.left(), screen.right() - width + 1),
                 std::clamp(place.top(), screen.top(), screen.bottom() - this->height() + 1));
    move(place.topLeft());
    show();
    m_browser->setFocus(Qt::PopupFocusReason);
}

void PaneKeys::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_Question)
        close();
    else
        QFrame::keyPressEvent(event);
}

} // namespace stagecraft
