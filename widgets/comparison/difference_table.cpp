#include "widgets/comparison/difference_table.h"

#include "results/schedule_words.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"
#include "widgets/base/theme.h"
#include "widgets/base/time_change.h"
#include "widgets/base/time_part_look.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTreeWidget>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kRowRole = Qt::UserRole;
constexpr int kNarrowestTitle = 130;
constexpr int kTitleBesideWhy = 190; // what is left is for the reasons
constexpr int kNarrowestWhy = 100;
constexpr int kWidestWhy = 300;
constexpr std::size_t kPartsNamed = 2;   // in a row; its tip has all
constexpr std::size_t kNamesShown = 3;   // operators that a pair does not share
constexpr std::size_t kOpenAtFirst = 12; // up to this many differences, their stages are listed at once

QString rangeText(const StageRange &range)
{
    return range.count == 1 ? QString::number(range.first + 1)
                            : QStringLiteral("%1-%2").arg(range.first + 1).arg(range.end());
}

// "stages 3-5 | 3", "stages 3 to 5 | launch 4"
QString sidesText(const ComparedSchedules &compared, const std::vector<StageRange> &sides)
{
    QStringList texts;
    for (std::size_t side = 0; side < sides.size(); ++side)
        texts << (compared.hasStreams() ? stagesText(compared.schedule(side), sides[side]) : rangeText(sides[side]));
    return (compared.hasStreams() ? QString() : QStringLiteral("stages ")) + texts.join(QStringLiteral(" | "));
}

QString namesText(const Graph &graph, const std::vector<OperatorId> &ops, QChar sign)
{
    QStringList texts;
    for (std::size_t i = 0; i < std::min(ops.size(), kNamesShown); ++i)
        texts << sign + shownName(graph.op(ops[i]).name);
    if (ops.size() > kNamesShown)
        texts << QStringLiteral("%1%2 more").arg(sign).arg(ops.size() - kNamesShown);
    return texts.join(QLatin1Char(' '));
}

QString pairText(const Graph &graph, const StagePair &pair)
{
    const auto number = [](const std::optional<std::size_t> &stage) {
        return stage ? QString::number(*stage + 1) : QStringLiteral("-");
    };
    QStringList parts{QStringLiteral("stage %1 | %2").arg(number(pair.a), number(pair.b))};
    if (!pair.a || !pair.b)
        parts << QStringLiteral("no counterpart");
    else
        parts << namesText(graph, pair.added, QChar(u'+')) << namesText(graph, pair.removed, QChar(0x2212));
    parts.removeAll(QString());
    return parts.join(QStringLiteral("  "));
}

std::optional<double> stageUs(const TimedSchedule &schedule, const std::optional<std::size_t> &stage)
{
    if (!stage || *stage >= schedule.measured.stages.size())
        return std::nullopt;
    return schedule.measured.stages[*stage].latencyUs;
}

} // namespace

DifferenceTable::DifferenceTable(QWidget *parent)
    : QWidget(parent), m_tree(new QTreeWidget(this)),
      m_hint(new QLabel(
          QStringLiteral("Open a result beside another (Ctrl+Enter on the shelf) to see here where they differ."),
          this)),
      m_stack(new QStackedLayout(this))
{
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setAccessibleName(QStringLiteral("Difference of the schedules beside each other"));
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setResizeContentsPrecision(0); // visible rows only
    m_tree->setIndentation(14);
    m_hint->setObjectName(QStringLiteral("hint"));
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setMargin(12);
    m_stack->addWidget(m_hint);
    m_stack->addWidget(m_tree);
    connect(m_tree, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem *item) { choose(item); });
    connect(m_tree->header(), &QHeaderView::sectionResized, this, [this](int column) {
        if (column > 0)
            fitTitles();
    });
    connect(m_tree->verticalScrollBar(), &QScrollBar::rangeChanged, this, &DifferenceTable::fitTitles);
    connect(m_tree, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem *item) { choose(item); });
    connect(m_tree, &QWidget::customContextMenuRequested, this,
            [this](const QPoint &at) { emit menuRequested(m_tree->viewport()->mapToGlobal(at)); });
}

QSize DifferenceTable::sizeHint() const
{
    return {470, 230};
}

void DifferenceTable::setCompared(std::shared_ptr<const ComparedSchedules> compared, const QStringList &letters,
                                  const QStringList &names)
{
    m_names = names;
    if (m_compared == compared && m_letters == letters) {
        if (!m_isStale)
            fillHeaderTips();
        return;
    }
    m_compared = std::move(compared);
    m_letters = letters;
    m_isPerImage = false;
    for (std::size_t side = 1; m_compared && side < m_compared->schedules().size(); ++side)
        m_isPerImage =
            m_isPerImage || m_compared->schedule(side).context.batch != m_compared->schedule(0).context.batch;
    m_currentSpan.reset();
    m_isStale = true;
    if (isVisible())
        fillWhenSeen();
}

void DifferenceTable::fillWhenSeen()
{
    if (!std::exchange(m_isStale, false))
        return;
    fill();
    setCurrentSpan(m_currentSpan);
}

// Titles take the width that numbers leave, but stay readable.
void DifferenceTable::fitTitles()
{
    if (m_letters.isEmpty())
        return;
    int numbers = 0;
    const int firstWhy = m_hasWhy ? whyColumnOf(1) : m_tree->columnCount();
    for (int column = 1; column < firstWhy; ++column)
        numbers += m_tree->columnWidth(column);
    const int room = m_tree->viewport()->width() - numbers;
    const int reasons = m_tree->columnCount() - firstWhy;
    const int each = reasons > 0 ? std::clamp((room - kTitleBesideWhy) / reasons, kNarrowestWhy, kWidestWhy) : 0;
    for (int column = firstWhy; column < m_tree->columnCount(); ++column)
        m_tree->setColumnWidth(column, each);
    m_tree->setColumnWidth(0, std::max(kNarrowestTitle, room - reasons * each));
}

QTreeWidget *DifferenceTable::tree()
{
    fillWhenSeen();
    return m_tree;
}

void DifferenceTable::showEvent(QShowEvent *event)
{
    fillWhenSeen();
    QWidget::showEvent(event);
}

void DifferenceTable::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitTitles();
}

double DifferenceTable::perImage(std::size_t side, double us) const
{
    return m_isPerImage ? us / static_cast<double>(m_compared->schedule(side).context.batch) : us;
}

int DifferenceTable::columnOf(std::size_t side) const
{
    return side == 0 ? 1 : static_cast<int>(2 + 3 * (side - 1));
}

int DifferenceTable::whyColumnOf(std::size_t side) const
{
    return columnOf(static_cast<std::size_t>(m_letters.size())) + static_cast<int>(side) - 1;
}

TimeParts DifferenceTable::partsOf(std::size_t side, const std::vector<StageRange> &sides) const
{
    const ScheduleTimeParts &of = *m_compared->timeParts(side);
    const TimeParts parts = sides.empty() ? of.whole : of.of(sides[side]);
    return m_isPerImage ? stagecraft::perImage(parts, m_compared->schedule(side).context.batch) : parts;
}

void DifferenceTable::setWhy(QTreeWidgetItem *item, const std::vector<StageRange> &sides) const
{
    for (std::size_t side = 1; m_hasWhy && side < m_compared->schedules().size(); ++side) {
        const ScheduleTimeParts *of = m_compared->timeParts(side);
        const bool isKnown = of && (sides.empty() || (of->areStagesKnown && m_compared->timeParts(0)->areStagesKnown));
        if (!isKnown)
            continue;
        const TimeParts before = partsOf(0, sides);
        const TimeParts after = partsOf(side, sides);
        const TimePartSources &sources = of->sources;
        const auto timeText = [](std::optional<double> us) {
            return us ? latencyText(*us) : QStringLiteral("unknown");
        };
        const int column = whyColumnOf(side);
        item->setText(column, timePartChanges(before, after, sources, kPartsNamed));
        QStringList lines;
        for (const TimeStep &step : timeSteps(before, after))
            lines << QStringLiteral("%1 %2 %3 %4, %5")
                         .arg(timePartWords(step.part, sources),
                              timeText(knownUs(before, m_compared->timeParts(0)->sources, step.part)),
                              QString(QChar(0x2192)), timeText(knownUs(after, sources, step.part)),
                              signedLatencyText(after.of(step.part) - before.of(step.part)));
        item->setToolTip(column, lines.join(QLatin1Char('\n')));
    }
}

void DifferenceTable::fillHeader()
{
    QStringList titles{m_isPerImage ? QStringLiteral("Time per image") : QStringLiteral("Time")};
    for (qsizetype side = 0; side < m_letters.size(); ++side) {
        titles << m_letters[side];
        if (side > 0)
            titles << QStringLiteral("%1 %2 %3").arg(m_letters[side], QString(QChar(0x2212)), m_letters[0])
                   << QStringLiteral("%");
    }
    const auto numbers = static_cast<int>(titles.size());
    for (qsizetype side = 1; m_hasWhy && side < m_letters.size(); ++side)
        titles << (m_letters.size() == 2 ? QStringLiteral("Why") : QStringLiteral("Why %1").arg(m_letters[side]));
    m_tree->setColumnCount(static_cast<int>(titles.size()));
    m_tree->setHeaderLabels(titles);
    for (int column = 1; column < numbers; ++column)
        m_tree->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    fillHeaderTips();
}

void DifferenceTable::fillHeaderTips()
{
    for (qsizetype side = 0; side < m_letters.size(); ++side)
        m_tree->headerItem()->setToolTip(columnOf(static_cast<std::size_t>(side)), m_names[side]);
}

QTreeWidgetItem *DifferenceTable::add(QTreeWidgetItem *parent, const Row &row, const QString &title)
{
    auto *item = new QTreeWidgetItem(parent);
    item->setText(0, title);
    item->setToolTip(0, title);
    item->setData(0, kRowRole, static_cast<int>(m_rows.size()));
    m_rows.push_back(row);
    return item;
}

void DifferenceTable::setSide(QTreeWidgetItem *item, std::size_t side, std::optional<double> us,
                              std::optional<double> ofA) const
{
    const int column = columnOf(side);
    item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    if (us)
        item->setText(column, shortLatencyText(perImage(side, *us), m_compared->schedule(side).leavesOutWork()));
    if (side == 0 || !us || !ofA)
        return;
    const double a = perImage(0, *ofA);
    const double change = perImage(side, *us) - a;
    item->setText(column + 1, signedLatencyText(change));
    if (a > 0)
        item->setText(column + 2, signedPercentText(change / a));
    const Theme theme = themeFor(palette());
    const bool isSame = item->text(column + 1) == QStringLiteral("0");
    for (const int at : {column + 1, column + 2}) {
        item->setTextAlignment(at, Qt::AlignRight | Qt::AlignVCenter);
        item->setForeground(at, isSame ? theme.mutedText : change < 0 ? theme.faster : theme.slower);
    }
}

void DifferenceTable::setNumbers(QTreeWidgetItem *item, const LatenciesUs &us) const
{
    for (std::size_t side = 0; side < us.size(); ++side)
        setSide(item, side, us[side], us[0]);
}

void DifferenceTable::fillPairs(QTreeWidgetItem *item, std::size_t span)
{
    const auto &schedules = m_compared->schedules();
    for (std::size_t side = 1; !m_compared->hasStreams() && side < schedules.size(); ++side) {
        if (m_compared->isEqual(span, 0, side))
            continue;
        for (const StagePair &pair : m_compared->pairs(span, 0, side)) {
            Row row{Kind::Pair, m_compared->spans()[span].block, span, pair.a ? 0 : side, pair.a ? *pair.a : *pair.b};
            QString title = pairText(*m_compared->graph(), pair);
            if (schedules.size() > 2)
                title = QStringLiteral("%1: %2").arg(m_letters[static_cast<qsizetype>(side)], title);
            QTreeWidgetItem *line = add(item, row, title);
            const auto ofA = stageUs(*schedules[0], pair.a);
            setSide(line, 0, ofA, {});
            setSide(line, side, stageUs(*schedules[side], pair.b), pair.hasSameOperators() ? ofA : std::nullopt);
        }
    }
}

// "barriers 3 | 0 between its stages"
QTreeWidgetItem *DifferenceTable::makeBarriers(QTreeWidgetItem *parent, const QString &where,
                                               const BarrierDifference &barriers)
{
    QStringList counts;
    for (const std::size_t each : barriers.barriers)
        counts << QString::number(each);
    QTreeWidgetItem *item =
        add(parent, {Kind::Between}, QStringLiteral("barriers %1 %2").arg(counts.join(QStringLiteral(" | ")), where));
    const bool isNone = std::ranges::all_of(barriers.barriers, [](std::size_t each) { return each == 0; });
    item->setToolTip(0, isNone ? aboutBarriers(0) : aboutBarriers(1) + QLatin1Char('\n') + aboutBarriers(0));
    return item;
}

// What the whole takes beyond its blocks.
QList<QTreeWidgetItem *> DifferenceTable::makeBetween()
{
    const ScheduleDifference &difference = m_compared->difference();
    if (!m_areBarriersKnown) {
        QTreeWidgetItem *rest = add(nullptr, {Kind::Between}, QStringLiteral("Between stages"));
        rest->setToolTip(
            0, QStringLiteral("What the whole takes beyond its stages timed alone: barriers, and what stages save or "
                              "lose beside others"));
        setNumbers(rest, difference.betweenStagesUs);
        return {rest};
    }
    QTreeWidgetItem *barriers = makeBarriers(nullptr, QStringLiteral("between blocks"), difference.betweenBlocks);
    setNumbers(barriers, difference.betweenBlocks.us);
    if (std::ranges::all_of(difference.restUs, [](const auto &us) { return *us == 0; }))
        return {barriers};
    QTreeWidgetItem *rest = add(nullptr, {Kind::Between}, QStringLiteral("Rest"));
    rest->setToolTip(0, QStringLiteral("What the whole takes beyond its stages timed alone and its barriers"));
    setNumbers(rest, difference.restUs);
    return {barriers, rest};
}

QTreeWidgetItem *DifferenceTable::makeBlock(const BlockDifference &block, std::size_t firstSpan)
{
    const QColor muted = themeFor(palette()).mutedText;
    const bool isEqual = block.isEqual();
    QTreeWidgetItem *top =
        add(nullptr, {Kind::Block, block.block, firstSpan},
            isEqual ? QStringLiteral("%1, equal").arg(blockTitle(block.block)) : blockTitle(block.block));
    if (isEqual)
        top->setForeground(0, muted);
    LatenciesUs blockUs = block.us;
    if (m_areBarriersKnown) {
        if (std::ranges::any_of(block.inside.barriers, [](std::size_t barriers) { return barriers > 0; }))
            setNumbers(makeBarriers(top, QStringLiteral("between its stages"), block.inside), block.inside.us);
        for (std::size_t side = 0; side < blockUs.size(); ++side)
            blockUs[side] = blockUs[side] ? std::optional(*blockUs[side] + *block.inside.us[side]) : std::nullopt;
    }
    setNumbers(top, blockUs);
    if (!isEqual)
        setWhy(top, block.sides);
    for (std::size_t i = 0; i < block.spans.size();) {
        const std::size_t span = firstSpan + i;
        if (!block.spans[i].span.isEqual) {
            QTreeWidgetItem *item =
                add(top, {Kind::Span, block.block, span}, sidesText(*m_compared, block.spans[i].span.sides));
            setNumbers(item, block.spans[i].us);
            setWhy(item, block.spans[i].span.sides);
            fillPairs(item, span);
            m_spanItems[span] = item;
            ++i;
            continue;
        }
        LatenciesUs sum(m_letters.size(), 0.0);
        std::size_t stages = 0;
        const std::size_t begin = i;
        for (; i < block.spans.size() && block.spans[i].span.isEqual; ++i) {
            stages += block.spans[i].span.sides[0].count;
            for (std::size_t side = 0; side < sum.size(); ++side) {
                const auto &us = block.spans[i].us[side];
                sum[side] = sum[side] && us ? std::optional(*sum[side] + *us) : std::nullopt;
            }
        }
        QTreeWidgetItem *item =
            add(top, {Kind::Run, block.block, span},
                QStringLiteral("%1 equal")
                    .arg(plural(static_cast<std::int64_t>(stages), m_compared->hasStreams() ? "launch" : "stage")));
        item->setForeground(0, muted);
        setNumbers(item, sum);
        for (std::size_t each = begin; each < i; ++each)
            m_spanItems[firstSpan + each] = item;
    }
    return top;
}

void DifferenceTable::fill()
{
    m_isFilling = true;
    m_tree->clear();
    m_rows.clear();
    m_spanItems.clear();
    m_stack->setCurrentIndex(m_compared ? 1 : 0);
    if (m_compared) {
        m_tree->setUpdatesEnabled(false);
        m_spanItems.resize(m_compared->spans().size());
        m_hasWhy = false;
        for (std::size_t side = 1; m_compared->timeParts(0) && side < m_compared->schedules().size(); ++side)
            m_hasWhy = m_hasWhy || m_compared->timeParts(side);
        fillHeader();
        const ScheduleDifference &difference = m_compared->difference();
        m_areBarriersKnown = difference.areBarriersKnown();
        LatenciesUs whole = difference.wholeUs;
        QTreeWidgetItem *top = add(nullptr, {Kind::Whole}, QStringLiteral("Whole schedule"));
        QFont bold = m_tree->font();
        bold.setBold(true);
        top->setFont(0, bold);
        for (std::size_t side = 0; side < whole.size(); ++side) {
            // A sum of stages cannot be compared with a time of the whole.
            const bool compares = areComparable(m_compared->schedule(0), m_compared->schedule(side));
            setSide(top, side, whole[side], compares ? whole[0] : std::nullopt);
        }
        setWhy(top, {});
        QList<QTreeWidgetItem *> items{top};
        items << makeBetween();
        const qsizetype firstBlock = items.size();
        std::size_t firstSpan = 0;
        for (const BlockDifference &block : difference.blocks) {
            items << makeBlock(block, firstSpan);
            firstSpan += block.spans.size();
        }
        m_tree->addTopLevelItems(items); // only now: each change to an item of a tree is announced to its views
        for (const BlockDifference &block : difference.blocks)
            items[firstBlock + (&block - difference.blocks.data())]->setExpanded(!block.isEqual());
        if (m_compared->differences() <= kOpenAtFirst) {
            for (std::size_t span = 0; span < m_spanItems.size(); ++span) {
                if (!m_compared->spans()[span].isEqual)
                    m_spanItems[span]->setExpanded(true);
            }
        }
        for (int column = 1; column < m_tree->columnCount(); ++column)
            m_tree->header()->setSectionResizeMode(column, m_hasWhy && column >= whyColumnOf(1)
                                                               ? QHeaderView::Interactive
                                                               : QHeaderView::ResizeToContents);
        m_tree->header()->setMinimumSectionSize(44);
        m_tree->setUpdatesEnabled(true);
        fitTitles();
    }
    m_isFilling = false;
}

void DifferenceTable::setCurrentSpan(std::optional<std::size_t> span)
{
    m_currentSpan = span;
    if (m_isStale)
        return;
    QTreeWidgetItem *item = span && *span < m_spanItems.size() ? m_spanItems[*span] : nullptr;
    QTreeWidgetItem *current = m_tree->currentItem();
    if (item == current || (item && current && current->parent() == item)) // a pair of it
        return;
    m_isFilling = true;
    m_tree->setCurrentItem(item);
    m_isFilling = false;
}

void DifferenceTable::choose(const QTreeWidgetItem *item)
{
    if (m_isFilling || !item)
        return;
    const Row row = m_rows[static_cast<std::size_t>(item->data(0, kRowRole).toInt())];
    switch (row.kind) {
    case Kind::Block: emit blockChosen(row.block); break;
    case Kind::Run:
    case Kind::Span: emit spanChosen(row.span); break;
    case Kind::Pair: emit stageChosen(row.side, row.stage); break;
    case Kind::Whole:
    case Kind::Between: break;
    }
}

void DifferenceTable::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_tree) {
        m_isStale = true;
        if (isVisible())
            fillWhenSeen();
    }
    QWidget::changeEvent(event);
}

} // namespace stagecraft
