#include "widgets/schedule/schedule_accessible.h"

#include "operators/schema.h"
#include "schedule/stage_groups.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/base/shown_name.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_view.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

// A stage, or an operator of one.
struct Item {
    std::size_t stage = 0;
    std::optional<std::size_t> op; // index among those of the stage

    friend auto operator<=>(const Item &, const Item &) = default;
};

class ScheduleInterface;

class ItemInterface : public QAccessibleInterface {
public:
    ItemInterface(ScheduleInterface *root, std::shared_ptr<const TimedSchedule> schedule, Item item)
        : m_root(root), m_schedule(std::move(schedule)), m_item(item)
    {
    }

    bool isValid() const override;
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *childAt(int x, int y) const override;
    QAccessibleInterface *parent() const override;
    QAccessibleInterface *child(int index) const override;
    int childCount() const override { return m_item.op ? 0 : static_cast<int>(stage().operatorCount()); }
    int indexOfChild(const QAccessibleInterface *child) const override;
    QString text(QAccessible::Text kind) const override;
    void setText(QAccessible::Text, const QString &) override {}
    QRect rect() const override;
    QAccessible::Role role() const override { return QAccessible::TreeItem; }
    QAccessible::State state() const override;

    [[nodiscard]] const Item &item() const { return m_item; }

private:
    [[nodiscard]] const Stage &stage() const { return m_schedule->stages[m_item.stage]; }
    [[nodiscard]] OperatorId op() const { return operatorsOf(stage())[*m_item.op]; }
    [[nodiscard]] ScheduleView *view() const;
    [[nodiscard]] QString stageText() const;
    [[nodiscard]] QString operatorText() const;

    ScheduleInterface *m_root;
    std::shared_ptr<const TimedSchedule> m_schedule;
    Item m_item;
};

class ScheduleInterface : public QAccessibleWidget {
public:
    explicit ScheduleInterface(ScheduleView *view) : QAccessibleWidget(view, QAccessible::Tree) {}
    ~ScheduleInterface() override { forget(); }

    ScheduleInterface(const ScheduleInterface &) = delete;
    ScheduleInterface &operator=(const ScheduleInterface &) = delete;

    [[nodiscard]] ScheduleView *view() const { return static_cast<ScheduleView *>(object()); }

    int childCount() const override
    {
        const auto &schedule = view()->schedule();
        return schedule ? static_cast<int>(schedule->stages.size()) : 0;
    }
    QAccessibleInterface *child(int index) const override
    {
        return index >= 0 && index < childCount() ? item({static_cast<std::size_t>(index), {}}) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface *child) const override
    {
        const auto *of = dynamic_cast<const ItemInterface *>(child);
        return of && !of->item().op ? static_cast<int>(of->item().stage) : -1;
    }
    QAccessibleInterface *childAt(int x, int y) const override
    {
        const QPoint at = view()->viewport()->mapFromGlobal(QPoint(x, y));
        const auto hit = view()->schedule() ? view()->page().at(at + view()->offset()) : std::nullopt;
        return hit ? item({hit->stage, {}}) : nullptr;
    }

    // What is selected; null: nothing.
    QAccessibleInterface *focusChild() const override
    {
        const auto &schedule = view()->schedule();
        const Selected &selected = view()->selected();
        if (!schedule || !selected.stage || *selected.stage >= schedule->stages.size())
            return nullptr;
        Item wanted{*selected.stage, {}};
        if (selected.op) {
            const auto operators = operatorsOf(schedule->stages[*selected.stage]);
            const auto found = std::ranges::find(operators, *selected.op);
            if (found != operators.end())
                wanted.op = static_cast<std::size_t>(found - operators.begin());
        }
        return item(wanted);
    }

    QAccessibleInterface *item(const Item &wanted) const
    {
        if (m_schedule != view()->schedule())
            forget();
        m_schedule = view()->schedule();
        const auto known = m_items.find(wanted);
        if (known != m_items.end())
            return QAccessible::accessibleInterface(known->second);
        auto *made = new ItemInterface(const_cast<ScheduleInterface *>(this), m_schedule, wanted);
        m_items[wanted] = QAccessible::registerAccessibleInterface(made);
        return made;
    }

private:
    void forget() const
    {
        for (const auto &[item, id] : std::exchange(m_items, {}))
            QAccessible::deleteAccessibleInterface(id);
    }

    mutable std::shared_ptr<const TimedSchedule> m_schedule; // of the items
    mutable std::map<Item, QAccessible::Id> m_items;
};

ScheduleView *ItemInterface::view() const
{
    return m_root->view();
}

bool ItemInterface::isValid() const
{
    return view() && view()->schedule() == m_schedule;
}

QAccessibleInterface *ItemInterface::parent() const
{
    return m_item.op ? m_root->item({m_item.stage, {}}) : m_root;
}

QAccessibleInterface *ItemInterface::child(int index) const
{
    return index >= 0 && index < childCount() ? m_root->item({m_item.stage, static_cast<std::size_t>(index)}) : nullptr;
}

int ItemInterface::indexOfChild(const QAccessibleInterface *child) const
{
    const auto *of = dynamic_cast<const ItemInterface *>(child);
    return of && of->item().stage == m_item.stage && of->item().op ? static_cast<int>(*of->item().op) : -1;
}

QAccessibleInterface *ItemInterface::childAt(int x, int y) const
{
    for (int i = 0; i < childCount(); ++i) {
        if (QAccessibleInterface *each = child(i); each->rect().contains(x, y))
            return each;
    }
    return nullptr;
}

QRect ItemInterface::rect() const
{
    if (!isValid())
        return {};
    const QRect place = m_item.op ? view()->operatorRect(op()) : view()->stageRect(m_item.stage);
    return {view()->viewport()->mapToGlobal(place.topLeft()), place.size()};
}

QAccessible::State ItemInterface::state() const
{
    QAccessible::State state;
    state.invalid = !isValid();
    if (state.invalid)
        return state;
    state.focusable = state.selectable = true;
    state.expandable = state.expanded = !m_item.op;
    const Selected &selected = view()->selected();
    state.selected = m_item.op ? selected.op == op() : selected.stage == m_item.stage && !selected.op;
    state.focused = state.selected && view()->hasFocus();
    const QRect page(view()->viewport()->mapToGlobal(QPoint(0, 0)), view()->viewport()->size());
    state.offscreen = !page.intersects(rect());
    return state;
}

QString ItemInterface::text(QAccessible::Text kind) const
{
    if (!isValid() || kind != QAccessible::Name)
        return {};
    return m_item.op ? operatorText() : stageText();
}

// "Stage 3, block 1: 2 groups, 3 operators, 40.0 µs, 2 stages: +4.1 µs, slower"
QString ItemInterface::stageText() const
{
    const Stage &of = stage();
    QStringList facts;
    if (of.isMerged())
        facts << QStringLiteral("merged into one operator");
    else if (of.isFused())
        facts << QStringLiteral("fused into rTasks");
    else if (of.groups.size() > 1)
        facts << plural(static_cast<std::int64_t>(of.groups.size()), "group");
    facts << plural(static_cast<std::int64_t>(of.operatorCount()), "operator");
    if (m_item.stage < m_schedule->measured.stages.size())
        facts << latencyText(m_schedule->measured.stages[m_item.stage].latencyUs,
                             m_schedule->leavesOutWork(*view()->graph(), m_item.stage));
    else
        facts << QStringLiteral("not measured");
    const StageMarks &marks = view()->marks();
    if (m_item.stage < marks.size() && !marks[m_item.stage].change.isEmpty())
        facts << marks[m_item.stage].change << marks[m_item.stage].parts;
    facts.removeAll(QString());
    return QStringLiteral("%1, %2: %3")
        .arg(stageTitle(m_item.stage), blockTitle(of.block).toLower(), facts.join(QStringLiteral(", ")));
}

// "conv3, Conv, group b"
QString ItemInterface::operatorText() const
{
    const Operator &of = view()->graph()->op(op());
    QString text = QStringLiteral("%1, %2").arg(shownName(of.name), shownName(displayType(of)));
    if (stage().concurrentGroups() < 2)
        return text;
    std::size_t group = 0;
    for (std::size_t left = *m_item.op; left >= stage().groups[group].size(); ++group)
        left -= stage().groups[group].size();
    return text + QStringLiteral(", group %1").arg(groupLetter(group));
}

QAccessibleInterface *interfaceOf(const QString &, QObject *object)
{
    auto *view = qobject_cast<ScheduleView *>(object);
    return view ? new ScheduleInterface(view) : nullptr;
}

} // namespace

void installScheduleAccessibility()
{
    [[maybe_unused]] static const bool once = (QAccessible::installFactory(interfaceOf), true);
}

void tellSelected(ScheduleView *view)
{
    if (!QAccessible::isActive())
        return;
    const auto *root = dynamic_cast<const ScheduleInterface *>(QAccessible::queryAccessibleInterface(view));
    QAccessibleInterface *selected = root ? root->focusChild() : nullptr;
    if (!selected)
        return;
    QAccessibleEvent event(selected, view->hasFocus() ? QAccessible::Focus : QAccessible::Selection);
    QAccessible::updateAccessibility(&event);
}

void tellOtherSchedule(ScheduleView *view)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleEvent event(view, QAccessible::ObjectReorder);
    QAccessible::updateAccessibility(&event);
}

} // namespace stagecraft
