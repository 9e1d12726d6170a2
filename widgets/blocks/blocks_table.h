#pragma once

// The blocks of the model as a sortable table: operators, width, the bound on transitions without pruning, and the size
// of the search space under the chosen options, which is counted elsewhere; after a search also what it visited and
// measured in each block. Selecting a row selects the block in all views, and vice versa. At small widths titles and
// numbers are short and the least important columns are hidden; there is no horizontal scrolling. Lives on the UI
// thread.

#include "model/model.h"
#include "schedule/compare/latency_parts.h"
#include "search/stages/search.h"
#include "timing/provenance.h"
#include "widgets/base/space_counts.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QTableView;

namespace stagecraft {

class Selection;

class BlocksTable : public QWidget {
    Q_OBJECT

public:
    explicit BlocksTable(Selection *selection, QWidget *parent = nullptr);
    ~BlocksTable() override;

    // A null model shows the empty state. Drops counts and search, which belong to the previous model.
    void setModel(std::shared_ptr<const Model> model);

    void setSpaces(SpaceCounts spaces);
    void setCounts(std::size_t firstBlock, const std::vector<SpaceCount> &counts);

    // The search behind the current schedule, which is called `title`, and what kind of numbers it has. If empty, the
    // schedule was not searched and the search columns are hidden.
    void setSearch(const QString &title, std::vector<BlockSearch> search,
                   std::optional<Provenance> provenance = std::nullopt, bool leavesOutWork = false);

    // What the current schedule takes, by block, whether it was searched or not. Empty: not measured.
    void setTimes(std::vector<LatencyParts> times);

    [[nodiscard]] QTableView *table() const;
    [[nodiscard]] QString summaryText() const;

    [[nodiscard]] QSize sizeHint() const override;
    bool eventFilter(QObject *watched, QEvent *event) override;

protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
