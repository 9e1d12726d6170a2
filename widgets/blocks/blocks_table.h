#pragma once

// The blocks of the model as a table that sorts: operators, width, the bound on transitions without pruning, and how
// large the space under the chosen options is, counted elsewhere; after a search what it looked at and measured in each
// block. Selecting a row selects the block everywhere, and the other way round. Where there is little room, titles and
// numbers are short, and the columns that matter least wait for more; nothing scrolls sideways. Lives on the UI thread.

#include "model/model.h"
#include "search/search.h"
#include "support/provenance.h"
#include "widgets/blocks/space_counts.h"

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

    // A null model shows the empty state. Counts and search are dropped: they belong to the model before.
    void setModel(std::shared_ptr<const Model> model);

    void setSpaces(SpaceCounts spaces);
    void setCounts(std::size_t firstBlock, const std::vector<SpaceCount> &counts);

    // Of the schedule in front, called `title`, and what its numbers are; empty where it was not searched: its columns
    // are hidden.
    void setSearch(const QString &title, std::vector<BlockSearch> search,
                   std::optional<Provenance> provenance = std::nullopt, bool leavesOutWork = false);

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
