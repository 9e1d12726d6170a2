#include "widgets/blocks/blocks_model.h"

#include "graph/cost_basis.h"
#include "widgets/base/format.h"
#include "widgets/base/time_change.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kUnknown = -1;

} // namespace

void BlocksModel::setModel(std::shared_ptr<const Model> model)
{
    beginResetModel();
    m_model = std::move(model);
    m_spaces = {};
    m_search.clear();
    m_times.clear();
    m_widths.clear();
    if (m_model) {
        for (const Block &block : m_model->blocks)
            m_widths.push_back(width(*m_model->graph, block));
    }
    endResetModel();
}

void BlocksModel::setSpaces(SpaceCounts spaces)
{
    m_spaces = std::move(spaces);
    refresh(States, Schedules);
}

void BlocksModel::setCounts(std::size_t firstBlock, const std::vector<SpaceCount> &counts)
{
    if (counts.empty() || firstBlock + counts.size() > m_spaces.blocks.size())
        return;
    std::ranges::copy(counts, m_spaces.blocks.begin() + static_cast<std::ptrdiff_t>(firstBlock));
    const auto last = static_cast<int>(firstBlock + counts.size()) - 1;
    emit dataChanged(index(static_cast<int>(firstBlock), States), index(last, Schedules));
}

void BlocksModel::setSearch(std::vector<BlockSearch> search, bool leavesOutWork)
{
    m_search = std::move(search);
    m_leavesOutWork = leavesOutWork;
    refresh(kFirstOfSearch, ColumnCount - 1);
}

void BlocksModel::setTimes(std::vector<LatencyParts> times)
{
    m_times = std::move(times);
    refresh(Latency, Latency);
}

bool BlocksModel::has(int column) const
{
    return column < kFirstOfSearch || isSearched() || (column == Latency && !m_times.empty());
}

void BlocksModel::setShort(bool isShort)
{
    if (isShort == m_short)
        return;
    m_short = isShort;
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    refresh(0, ColumnCount - 1);
}

void BlocksModel::refresh(int firstColumn, int lastColumn)
{
    if (rowCount() > 0)
        emit dataChanged(index(0, firstColumn), index(rowCount() - 1, lastColumn));
}

int BlocksModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_widths.size());
}

int BlocksModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

const BlockSearch *BlocksModel::searched(std::size_t block) const
{
    const auto found = std::ranges::find(m_search, block, &BlockSearch::block);
    return found == m_search.end() ? nullptr : &*found;
}

double BlocksModel::number(std::size_t block, int column) const
{
    const std::size_t operators = m_model->blocks[block].operators.size();
    switch (column) {
    case BlockNumber: return static_cast<double>(block);
    case Operators: return static_cast<double>(operators);
    case Width: return m_widths[block];
    case Bound: return transitionBound(operators, m_widths[block]);
    default: break;
    }
    if (column < kFirstOfSearch) {
        if (block >= m_spaces.blocks.size() || !m_spaces.blocks[block])
            return kUnknown;
        const SpaceCount &count = *m_spaces.blocks[block];
        return column == States        ? static_cast<double>(count.states)
               : column == Transitions ? static_cast<double>(count.transitions)
                                       : count.schedules;
    }
    if (column == Latency && block < m_times.size())
        return m_times[block].latencyUs();
    const BlockSearch *search = searched(block);
    if (!search)
        return kUnknown;
    switch (column) {
    case Latency: return search->latencyUs;
    case Gap: {
        const double leastUs = search->inPlaceBoundUs > 0 ? search->inPlaceBoundUs : search->lowerBoundUs;
        return leastUs > 0 ? search->latencyUs / leastUs - 1 : kUnknown;
    }
    case Measurements: return static_cast<double>(search->stageMeasurements);
    case CacheHits: return static_cast<double>(search->cacheHits);
    case SearchedStates: return static_cast<double>(search->states);
    default: return static_cast<double>(search->transitions);
    }
}

QString BlocksModel::text(std::size_t block, int column, bool isShort) const
{
    if (column == BlockNumber)
        return isShort ? QString::number(block + 1) : blockTitle(block);
    const double value = number(block, column);
    if (column > Bound && column < kFirstOfSearch) {
        if (block >= m_spaces.blocks.size()) // counted for another model, or not counted
            return {};
        return (isShort ? shortSpaceNumberText : spaceNumberText)(m_spaces.blocks[block], value);
    }
    if (value == kUnknown)
        return column == Gap && searched(block) ? QStringLiteral("unknown") : QString();
    if (column == Latency)
        return shortLatencyText(value,
                                m_leavesOutWork && !areCosted(*m_model->graph, {m_model->blocks[block].operators}));
    if (column == Gap)
        return percentText(std::max(0.0, value));
    return (isShort ? shortMagnitudeText : magnitudeText)(value);
}

QString BlocksModel::tip(std::size_t block, int column) const
{
    if (column > Bound && column < kFirstOfSearch && block < m_spaces.blocks.size()) {
        const auto &count = m_spaces.blocks[block];
        if (count && !count->complete)
            return QStringLiteral("Too many to count quickly. Smaller r and s leave fewer.");
    }
    if (column == Latency && block < m_times.size())
        return QStringLiteral("%1, latency: %2 = %3\n%4")
            .arg(blockTitle(block), text(block, column, false), partsText(m_times[block]),
                 aboutBarriers(m_times[block].barriers));
    const QString whole = text(block, column, false);
    if (m_short && column != BlockNumber && !whole.isEmpty())
        return QStringLiteral("%1, %2: %3").arg(blockTitle(block), title(column, false).toLower(), whole);
    return QStringLiteral("%1: click to select it everywhere").arg(blockTitle(block));
}

QVariant BlocksModel::data(const QModelIndex &index, int role) const
{
    const auto block = static_cast<std::size_t>(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(block, index.column(), m_short);
    case kSortRole: return number(block, index.column());
    case Qt::ToolTipRole: return tip(block, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>(Qt::AlignVCenter | (index.column() == BlockNumber ? Qt::AlignLeft : Qt::AlignRight));
    default: return {};
    }
}

QString BlocksModel::title(int column, bool isShort) const
{
    switch (column) {
    case BlockNumber: return QStringLiteral("Block");
    case Operators: return isShort ? QStringLiteral("Ops") : QStringLiteral("Operators");
    case Width: return isShort ? QStringLiteral("d") : QStringLiteral("Width");
    case Bound: return QStringLiteral("Bound");
    case States: return QStringLiteral("States");
    case Transitions: return isShort ? QStringLiteral("Trans.") : QStringLiteral("Transitions");
    case Schedules: return isShort ? QStringLiteral("Sched.") : QStringLiteral("Schedules");
    case Latency: return QStringLiteral("Latency");
    case Gap: return QStringLiteral("Gap");
    case Measurements: return isShort ? QStringLiteral("Meas.") : QStringLiteral("Measured stages");
    case CacheHits: return isShort ? QStringLiteral("Hits") : QStringLiteral("Cache hits");
    case SearchedStates: return isShort ? QStringLiteral("Seen\nstates") : QStringLiteral("Searched states");
    default: return isShort ? QStringLiteral("Seen\ntrans.") : QStringLiteral("Searched transitions");
    }
}

QVariant BlocksModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter | (section == BlockNumber ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::DisplayRole) // long titles take two lines
        return m_short ? title(section, true) : title(section, false).replace(QLatin1Char(' '), QLatin1Char('\n'));
    if (role != Qt::ToolTipRole)
        return {};
    const QString tip = [section] {
        switch (section) {
        case BlockNumber: return QStringLiteral("A part of the model that is scheduled by itself");
        case Operators: return QStringLiteral("Schedule units of the block");
        case Width:
            return QStringLiteral(
                "The most operators that can run at the same time (largest antichain), d in the paper");
        case Bound:
            return QStringLiteral(
                "No more transitions than this without pruning: C(n/d + 2, 2)^d for n operators of width d");
        case States: return QStringLiteral("Sets of operators that can remain to be scheduled");
        case Transitions:
            return QStringLiteral("Pairs of a state and a stage that can end it, under the options above");
        case Schedules: return QStringLiteral("Different schedules of the block, under the options above");
        case Latency:
            return QStringLiteral(
                "Latency of the block in the current schedule: its stages, each timed alone, and the barriers between "
                "them");
        case Gap:
            return QStringLiteral(
                "Proved: between the stages before and after it, the block takes at most this much longer than it has "
                "to");
        case Measurements: return QStringLiteral("Stage latencies the search asked the device for in this block");
        case CacheHits: return QStringLiteral("Stages of this block that were known from the same stage elsewhere");
        case SearchedStates: return QStringLiteral("States in the search of the current schedule");
        default: return QStringLiteral("Transitions in the search of the current schedule");
        }
    }();
    return m_short ? title(section, false) + QLatin1Char('\n') + tip : tip;
}

} // namespace stagecraft
