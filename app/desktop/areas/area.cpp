#include "desktop/areas/area.h"

#include "desktop/document/document.h"
#include "desktop/frame/message_bar.h"
#include "support/error_text.h"

#include <QMenu>
#include <QStatusBar>

namespace stagecraft {

Area::Area(const AreaContext &context) : QObject(&context.window), m_context(context) {}

NextSearch &Area::next() const
{
    return *document().next();
}

Results &Area::results() const
{
    return *document().results();
}

NewResults &Area::added() const
{
    return document().added();
}

Editor &Area::editor() const
{
    return *document().editor();
}

void Area::refuse(const Error &error) const
{
    messages().show(MessageBar::Kind::Error, QString::fromStdString(errorText(error)));
}

void Area::tell(const QString &text, int milliseconds) const
{
    window().statusBar()->showMessage(text, milliseconds);
}

void Area::openMenu(const QPoint &at, const std::vector<std::string_view> &entries) const
{
    auto *menu = new QMenu(&window());
    menu->setAttribute(Qt::WA_DeleteOnClose);
    actions().fill(menu, entries);
    menu->popup(at);
}

void Area::offerMenu(QWidget *view, const std::vector<std::string_view> &entries)
{
    offerMenu(view, [this, entries](const QPoint &at) { openMenu(at, entries); });
}

void Area::offerMenu(QWidget *view, const std::function<void(const QPoint &)> &open)
{
    std::vector<QWidget *> asked{view};
    for (QWidget *part : view->findChildren<QWidget *>()) {
        if (part->testAttribute(Qt::WA_NoMousePropagation)) // plots
            asked.push_back(part);
    }
    for (QWidget *part : asked) {
        part->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(part, &QWidget::customContextMenuRequested, this,
                [part, open](const QPoint &at) { open(part->mapToGlobal(at)); });
    }
}

} // namespace stagecraft
