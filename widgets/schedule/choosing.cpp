#include "widgets/schedule/choosing.h"

#include "schedule/stage_groups.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

template <typename Value>
void chooseLast(std::vector<Value> &values, Value value)
{
    std::erase(values, value);
    values.push_back(value);
}

ChosenParts chosenUpTo(ChosenParts chosen, const SchedulePage &layout, const SchedulePage::Hit &hit)
{
    if (hit.op && !chosen.operators.empty()) {
        auto from = std::ranges::find(layout.boxes, chosen.operators.back(), &OperatorBox::op);
        auto to = std::ranges::find(layout.boxes, *hit.op, &OperatorBox::op);
        if (from == layout.boxes.end() || to == layout.boxes.end())
            return chosen;
        if (to < from)
            std::swap(from, to);
        for (auto box = from; box <= to; ++box) {
            if (!chosen.has(box->op))
                chosen.operators.push_back(box->op);
        }
        return chosen;
    }
    if (chosen.stages.empty())
        return partsAt(hit);
    const std::size_t first = std::min(chosen.stages.back(), hit.stage);
    const std::size_t last = std::max(chosen.stages.back(), hit.stage);
    for (std::size_t stage = first; stage <= last; ++stage) {
        if (!chosen.has(stage))
            chosen.stages.push_back(stage);
    }
    return chosen;
}

} // namespace

ChosenParts partsAt(const SchedulePage::Hit &hit)
{
    return hit.op ? ChosenParts{{*hit.op}, {}} : ChosenParts{{}, {hit.stage}};
}

bool isChosenAt(const ChosenParts &chosen, const SchedulePage::Hit &hit)
{
    return chosen.has(hit.stage) || (hit.op && chosen.has(*hit.op));
}

std::vector<OperatorId> groupAt(const Schedule &schedule, const SchedulePage::Hit &hit)
{
    const Stage &stage = schedule.stages[hit.stage];
    for (const auto &group : stage.groups) {
        if (hit.op && std::ranges::find(group, *hit.op) != group.end())
            return stage.isMerged() ? operatorsOf(stage) : group;
    }
    return {};
}

ChosenParts chosenWith(const ChosenParts &chosen, const SchedulePage &layout, const SchedulePage::Hit &hit,
                       Qt::KeyboardModifiers keys)
{
    if (keys & Qt::ShiftModifier)
        return chosenUpTo(chosen, layout, hit);
    if (!(keys & Qt::ControlModifier))
        return isChosenAt(chosen, hit) ? chosen : partsAt(hit);
    ChosenParts next = chosen;
    if (hit.op)
        next.toggle(*hit.op);
    else
        next.toggle(hit.stage);
    return next;
}

std::optional<ChosenParts> chosenElsewhere(const ChosenParts &chosen, const Selected &selected)
{
    if (selected.op)
        return chosen.has(*selected.op) ? std::nullopt : std::optional(ChosenParts{{*selected.op}, {}});
    if (selected.stage)
        return chosen.has(*selected.stage) ? std::nullopt : std::optional(ChosenParts{{}, {*selected.stage}});
    return ChosenParts{};
}

std::optional<ChosenParts> chosenBeyond(const ChosenParts &chosen, const SchedulePage &layout, int key)
{
    ChosenParts next = chosen;
    if ((key == Qt::Key_Up || key == Qt::Key_Down) && !chosen.stages.empty()) {
        const std::size_t from = chosen.stages.back();
        const bool isLast = key == Qt::Key_Up ? from == 0 : from + 1 >= layout.rows.size();
        if (!isLast)
            chooseLast(next.stages, key == Qt::Key_Up ? from - 1 : from + 1);
        return next;
    }
    if ((key == Qt::Key_Left || key == Qt::Key_Right) && !chosen.operators.empty()) {
        const auto box = std::ranges::find(layout.boxes, chosen.operators.back(), &OperatorBox::op);
        const bool isLast = box == layout.boxes.end() ||
                            (key == Qt::Key_Left ? box == layout.boxes.begin() : box + 1 == layout.boxes.end());
        if (!isLast)
            chooseLast(next.operators, key == Qt::Key_Left ? (box - 1)->op : (box + 1)->op);
        return next;
    }
    return std::nullopt;
}

} // namespace stagecraft
