#pragma once

// The values of the blocks table: one row per block, as text and as numbers for sorting.

#include "model/model.h"
#include "schedule/compare/latency_parts.h"
#include "search/stages/search.h"
#include "widgets/base/space_counts.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace stagecraft {

class BlocksModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        BlockNumber,
        Operators,
        Width,
        Bound,
        States,
        Transitions,
        Schedules,
        Latency,
        Gap,
        Measurements,
        CacheHits,
        SearchedStates,
        SearchedTransitions,
        ColumnCount
    };
    static constexpr int kFirstOfSearch = Latency;
    static constexpr int kSortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setModel(std::shared_ptr<const Model> model);
    void setSpaces(SpaceCounts spaces);
    void setCounts(std::size_t firstBlock, const std::vector<SpaceCount> &counts);
    // `leavesOutWork`: operators without a cost are missing from the latencies; see graph/cost_basis.h.
    void setSearch(std::vector<BlockSearch> search, bool leavesOutWork);

    // Of the current schedule, by block; empty: not measured.
    void setTimes(std::vector<LatencyParts> times);

    // Short titles and numbers for small widths; the tool tips then have the long ones.
    void setShort(bool isShort);
    [[nodiscard]] QString title(int column, bool isShort) const;
    [[nodiscard]] QString text(std::size_t block, int column, bool isShort) const;

    [[nodiscard]] const SpaceCounts &spaces() const { return m_spaces; }
    [[nodiscard]] bool isSearched() const { return !m_search.empty(); }
    [[nodiscard]] bool has(int column) const; // whether there is anything to show in it

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] double number(std::size_t block, int column) const; // negative: unknown
    [[nodiscard]] QString tip(std::size_t block, int column) const;
    [[nodiscard]] const BlockSearch *searched(std::size_t block) const;
    void refresh(int firstColumn, int lastColumn);

    std::shared_ptr<const Model> m_model;
    std::vector<int> m_widths;
    SpaceCounts m_spaces;
    std::vector<BlockSearch> m_search;
    std::vector<LatencyParts> m_times;
    bool m_leavesOutWork = false;
    bool m_short = false;
};

} // namespace stagecraft
