#include "desktop/frame/tool_overflow.h"

#include <QAction>
#include <QMenu>
#include <QToolBar>
#include <QToolButton>

namespace stagecraft {

ToolOverflow::ToolOverflow(QToolBar *tools) : QObject(tools), m_tools(tools), m_more(new QToolButton(tools))
{
    m_more->setText(QStringLiteral("More"));
    m_more->setToolTip(QStringLiteral("Tools that there is no room for"));
    m_more->setAccessibleName(m_more->toolTip());
    m_more->setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(m_more);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        for (const auto &[button, inBar] : m_buttons) {
            if (!inBar->isVisible())
                menu->addAction(button->defaultAction());
        }
    });
    m_more->setMenu(menu);
}

void ToolOverflow::add(QToolButton *button)
{
    m_buttons.emplace_back(button, m_tools->addWidget(button));
}

void ToolOverflow::finish()
{
    m_moreInBar = m_tools->addWidget(m_more);
}

void ToolOverflow::fit(int room)
{
    const int spacing = 4;
    int all = 0;
    for (const auto &[button, inBar] : m_buttons)
        all += button->sizeHint().width() + spacing;
    const bool fits = all <= room;
    int left = fits ? room : room - m_more->sizeHint().width() - spacing;
    for (const auto &[button, inBar] : m_buttons) {
        left -= button->sizeHint().width() + spacing;
        inBar->setVisible(left >= 0);
    }
    m_moreInBar->setVisible(!fits);
}

} // namespace stagecraft
