#include "widgets/timeline/counter_menu.h"

#include <QAction>
#include <QMenu>

#include <algorithm>

namespace stagecraft {

CounterMenu::CounterMenu(QWidget *parent) : QToolButton(parent)
{
    setText(QStringLiteral("Counters ▾"));
    setToolTip(QStringLiteral("Counters shown below the kernels"));
    setAutoRaise(true);
    setAccessibleName(QStringLiteral("Counters"));
    setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }")); // the text has its own
    setPopupMode(QToolButton::InstantPopup);
    setMenu(new QMenu(this));
    connect(menu(), &QMenu::triggered, this, [this](QAction *entry) {
        if (std::ranges::none_of(menu()->actions(), &QAction::isChecked))
            entry->setChecked(true); // one stays
        emit chosenChanged();
    });
}

void CounterMenu::offer(const std::vector<CounterSeries> &offered, const std::vector<CounterChoice> &wanted)
{
    menu()->clear();
    for (const CounterSeries &series : offered) {
        const QString name = QString::fromStdString(series.name);
        const bool twice = std::ranges::count(offered, series.name, &CounterSeries::name) > 1;
        QAction *action = menu()->addAction(twice ? CounterPlot::titleOf(series) : name);
        action->setCheckable(true);
        action->setData(name);
    }
    const QList<QAction *> entries = menu()->actions();
    for (const CounterChoice &choice : wanted) {
        auto entry = std::ranges::find(entries, choice.title, &QAction::text);
        if (entry == entries.end())
            entry =
                std::ranges::find(entries, choice.name, [](const QAction *each) { return each->data().toString(); });
        if (entry != entries.end())
            (*entry)->setChecked(true);
    }
    if (!entries.isEmpty() && std::ranges::none_of(entries, &QAction::isChecked))
        entries.front()->setChecked(true);
    setVisible(entries.size() > 1);
}

void CounterMenu::choose(const QStringList &titles)
{
    const auto entries = menu()->actions();
    const bool isAny = std::ranges::any_of(entries, [&](const QAction *each) { return titles.contains(each->text()); });
    for (QAction *entry : entries)
        entry->setChecked(isAny ? titles.contains(entry->text()) : entry->isChecked());
    emit chosenChanged();
}

std::vector<CounterChoice> CounterMenu::chosen() const
{
    std::vector<CounterChoice> chosen;
    for (const QAction *action : menu()->actions()) {
        if (action->isChecked())
            chosen.push_back({action->text(), action->data().toString()});
    }
    return chosen;
}

} // namespace stagecraft
