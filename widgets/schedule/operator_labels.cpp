#include "widgets/schedule/operator_labels.h"

#include "schedule/compare/latency_parts.h"
#include "schedule/stage_groups.h"
#include "widgets/base/shown_name.h"

namespace stagecraft {
namespace {

constexpr std::size_t kLevels = 5;
constexpr qsizetype kLeastName = 4; // letters of a name that is cut, with its ellipsis

} // namespace

OperatorLabels::OperatorLabels(std::shared_ptr<const Graph> graph, std::shared_ptr<const Schedule> schedule)
    : m_graph(std::move(graph)), m_schedule(std::move(schedule))
{
    if (!m_graph || !m_schedule || m_schedule->stages.empty())
        return;
    m_ofStages.resize(m_schedule->stages.size());
    m_fits.resize(m_schedule->stages.size());
    m_ofBlocks.resize(m_schedule->stages.back().block + 1);
}

OperatorLabels::Ends OperatorLabels::endsOf(const QStringList &names)
{
    return {sharedEnds(names, NameParts::Paths), sharedEnds(names, NameParts::Words)};
}

const OperatorLabels::Ends &OperatorLabels::ofStage(std::size_t stage) const
{
    auto &known = m_ofStages[stage];
    if (!known) {
        QStringList names;
        for (const OperatorId op : operatorsOf(m_schedule->stages[stage]))
            names << shownName(m_graph->op(op).name);
        known = endsOf(names);
    }
    return *known;
}

const OperatorLabels::Ends &OperatorLabels::ofBlock(std::size_t block) const
{
    auto &known = m_ofBlocks[block];
    if (!known) {
        const StageRange range = stagesOfBlock(m_schedule->stages, block);
        QStringList names;
        for (std::size_t stage = range.first; stage < range.end(); ++stage) {
            for (const OperatorId op : operatorsOf(m_schedule->stages[stage]))
                names << shownName(m_graph->op(op).name);
        }
        known = endsOf(names);
    }
    return *known;
}

// From 0, the whole name, to kLevels - 1, what tells it from the others of its stage.
QString OperatorLabels::textAt(std::size_t level, OperatorId op, std::size_t stage) const
{
    QString name = shownName(m_graph->op(op).name);
    const bool isAlone = m_schedule->stages[stage].operatorCount() < 2;
    const std::size_t block = m_schedule->stages[stage].block;
    switch (level) {
    case 0: return name;
    case 1: return SharedEnds{ofBlock(block).path.front, 0}.cut(name);
    case 2: return ofBlock(block).path.cut(name);
    case 3: return (isAlone ? ofBlock(block) : ofStage(stage)).path.cut(name);
    default: return (isAlone ? ofBlock(block) : ofStage(stage)).words.cut(name);
    }
}

QStringList OperatorLabels::texts(OperatorId op, std::size_t stage) const
{
    QStringList texts;
    for (std::size_t level = 0; level < kLevels; ++level)
        texts << textAt(level, op, stage);
    texts.removeDuplicates();
    return texts;
}

std::size_t OperatorLabels::levelFor(std::size_t stage, const QFontMetrics &metrics, int width) const
{
    auto &known = m_fits[stage];
    if (known && known->width == width && known->letterWidth == metrics.averageCharWidth())
        return known->level;
    const auto operators = operatorsOf(m_schedule->stages[stage]);
    std::size_t level = 0;
    for (const OperatorId op : operators) {
        while (level + 1 < kLevels && metrics.horizontalAdvance(textAt(level, op, stage)) > width)
            ++level;
    }
    known = Fit{width, metrics.averageCharWidth(), level};
    return level;
}

QString OperatorLabels::fitted(OperatorId op, std::size_t stage, const QFontMetrics &metrics, int width) const
{
    const QString whole = textAt(levelFor(stage, metrics, width), op, stage);
    const QString text = fittedText({whole}, metrics, width);
    return text != whole && text.size() < kLeastName ? QString() : text;
}

} // namespace stagecraft
