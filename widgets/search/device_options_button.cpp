#include "widgets/search/device_options_button.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QStringList>

namespace stagecraft {

DeviceOptionsButton::DeviceOptionsButton(QWidget *parent) : QToolButton(parent), m_menu(new QMenu(this))
{
    setObjectName(QStringLiteral("device_options"));
    setAccessibleName(QStringLiteral("Precision and launches"));
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }")); // the text has its own
    setFocusPolicy(Qt::StrongFocus);
    setMenu(m_menu);
    m_menu->setAccessibleName(accessibleName());
    setOptions({});
}

void DeviceOptionsButton::setOptions(const ShownOptions &options)
{
    m_menu->clear();
    qDeleteAll(findChildren<QActionGroup *>(Qt::FindDirectChildrenOnly));
    QStringList chosen;
    for (const ShownOptions::Group &group : options.groups) {
        m_menu->addSection(group.title);
        auto *exclusive = new QActionGroup(this);
        for (const ShownOption &option : group.choices) {
            QAction *action = m_menu->addAction(
                option.whyNot.isEmpty() ? option.title : QStringLiteral("%1: %2").arg(option.title, option.whyNot));
            action->setCheckable(true);
            action->setChecked(option.isChosen);
            action->setEnabled(option.whyNot.isEmpty());
            action->setActionGroup(exclusive);
            if (option.isChosen)
                chosen << QStringLiteral("%1: %2").arg(group.title, option.title);
            else
                connect(action, &QAction::triggered, this, [this, id = option.id] { emit deviceWanted(id); });
        }
    }
    setEnabled(!options.groups.empty());
    setToolTip(options.groups.empty()
                   ? options.whyNone
                   : QStringLiteral("How the device is simulated (Shift+F7)\n%1").arg(chosen.join(QLatin1Char('\n'))));
    setAccessibleDescription(options.groups.empty() ? options.whyNone : chosen.join(QStringLiteral(", ")));
    m_told = options.told;
    showTold();
}

void DeviceOptionsButton::setNarrow(bool isNarrow)
{
    constexpr int kTextMargin = 4;
    m_isNarrow = isNarrow;
    showTold();
    const int width = fontMetrics().horizontalAdvance(text()) + 2 * kTextMargin;
    setMinimumWidth(isNarrow ? width : 0);
    setMaximumWidth(isNarrow ? width : QWIDGETSIZE_MAX);
}

void DeviceOptionsButton::openMenu()
{
    if (isEnabled())
        m_menu->popup(mapToGlobal(QPoint(0, height())));
}

void DeviceOptionsButton::showTold()
{
    const QString words = m_told.isEmpty() ? QStringLiteral("Options") : m_told;
    setText(m_isNarrow ? QStringLiteral("▾") : words + QStringLiteral(" ▾"));
}

} // namespace stagecraft
