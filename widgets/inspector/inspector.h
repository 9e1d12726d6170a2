#pragma once

// What is selected, in words and numbers: an operator, a stage of the schedule in front, or, with nothing selected, the
// model with its import report; or a block. Neighbours, stages and blocks are links that select. The page is made anew
// once per turn of the event loop, however much changed. Lives on the UI thread.

#include "model/model.h"
#include "schedule/schedule.h"
#include "search/search.h"
#include "widgets/blocks/space_counts.h"

#include <QWidget>

#include <memory>
#include <vector>

class QToolButton;

namespace stagecraft {

class Selection;

class Inspector : public QWidget {
    Q_OBJECT

public:
    explicit Inspector(Selection *selection, QWidget *parent = nullptr);
    ~Inspector() override;

    // A null model shows the empty state. Schedule and search are dropped: they belong to the model before.
    void setModel(std::shared_ptr<const Model> model);

    // The schedule in front; null: none. Stages of the selection are indices into it.
    void setSchedule(std::shared_ptr<const Schedule> schedule);

    // What the search that made the schedule in front looked at and did not take; empty where it was not searched.
    void setSearch(std::vector<BlockSearch> search);

    // How large the search space of each block is, for the page of a block.
    void setSpaces(SpaceCounts spaces);
    void setCounts(std::size_t firstBlock, const std::vector<SpaceCount> &counts);

    [[nodiscard]] QString plainText() const; // what Copy puts on the clipboard

    [[nodiscard]] QSize sizeHint() const override;

    [[nodiscard]] QToolButton *measureButton() const; // "Measure again", on the page of a measured stage

signals:
    void measureStageRequested(); // of the stage it shows
    void tryRequested(const stagecraft::Stage &stage);

public slots:
    void copyToClipboard() const;

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
