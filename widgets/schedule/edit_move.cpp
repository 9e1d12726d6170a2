#include "widgets/schedule/edit_move.h"

#include "schedule/stage_groups.h"

#include <utility>

namespace stagecraft {
namespace {

std::ptrdiff_t indexOf(const EditPlace &place)
{
    return static_cast<std::ptrdiff_t>(2 * place.stage + (place.isNew ? 0 : 1));
}

} // namespace

EditMove::EditMove(EditContext context, std::vector<OperatorId> operators, bool byKeys)
    : m_context(std::move(context)), m_operators(std::move(operators)), m_byKeys(byKeys)
{
    const Graph &graph = *m_context.model->graph;
    const auto &stages = m_context.schedule->stages;
    m_stage = stageOfOperators(graph, stages)[m_operators.front().index()];
    m_places = editPlaces(graph, m_context.model->blocks, stages, m_operators);
    if (byKeys)
        aim(EditPlace{m_stage, false}, false);
}

std::size_t EditMove::block() const
{
    return m_context.schedule->stages[m_stage].block;
}

QString EditMove::text() const
{
    return m_plan ? moveText(m_context, m_operators, *m_plan) : QString();
}

bool EditMove::aim(const std::optional<EditPlace> &place, bool takeAlong)
{
    if (!place) {
        m_plan.reset();
        return false;
    }
    if (m_plan && m_plan->place == *place && m_takesAlong == takeAlong)
        return false;
    m_plan = planMove(m_context, m_operators, *place, takeAlong);
    m_takesAlong = takeAlong;
    return true;
}

bool EditMove::visit(int direction, bool takeAlong)
{
    const std::ptrdiff_t from = m_plan ? indexOf(m_plan->place) : 0;
    for (std::ptrdiff_t i = from + direction; i >= 0 && i < std::ssize(m_places); i += direction) {
        const EditPlaceAnswer &answer = m_places[static_cast<std::size_t>(i)];
        if (!takeAlong && !answer.legal)
            continue;
        const PlannedMove plan = planMove(m_context, m_operators, answer.place, takeAlong);
        if (plan.edited && !(plan.changesNothing && answer.place.isNew))
            return aim(answer.place, takeAlong);
    }
    return false;
}

QString EditMove::whyNoFurther(int direction) const
{
    const std::ptrdiff_t next = (m_plan ? indexOf(m_plan->place) : 0) + std::ptrdiff_t{2} * direction;
    if (next < 0 || next >= std::ssize(m_places) || m_places[static_cast<std::size_t>(next)].legal)
        return QStringLiteral("No legal place further");
    return QStringLiteral("No legal place further: %1")
        .arg(reasonText(m_places[static_cast<std::size_t>(next)].legal.error()));
}

bool EditMove::type(int digit)
{
    const auto stages = static_cast<int>(m_context.schedule->stages.size());
    m_typed = m_typed * 10 + digit <= stages ? m_typed * 10 + digit : digit;
    if (m_typed < 1 || m_typed > stages)
        return false;
    aim(EditPlace{static_cast<std::size_t>(m_typed - 1), false}, false);
    return true;
}

} // namespace stagecraft
