#pragma once

// The panes with schedules in the centre, and how they differ: opening and closing them, going from pane to pane and
// from difference to difference, and taking stages from one into another.

#include "desktop/areas/area.h"
#include "results/schedule_result.h"
#include "schedule/schedule.h"

#include <array>
#include <map>
#include <vector>

class QPoint;

namespace stagecraft {

class DifferenceTable;
class PaneRow;
class ShelfArea;
struct StagesToTake;

class PanesArea : public Area {
    Q_OBJECT

public:
    PanesArea(const AreaContext &context, const ShelfArea &shelf);

    [[nodiscard]] PaneRow *panes() const { return m_panes; }

    [[nodiscard]] std::vector<QWidget *> inOrder() const; // each pane
    void setTight(bool isTight);                          // the window has little room
    void takeKeys();
    void openBeside(ResultId id);
    // Of the model that is open; they come back with it.
    void keep();
    void bringBack(const ModelReference &before);

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    void store(Session &session) const override;
    void restore(const Session &session) override;
    void addTo(ExportSubject &subject) const override;

signals:
    void lettersChanged(const std::map<stagecraft::ResultId, QString> &letters);
    void takeWanted(const stagecraft::StagesToTake &take);
    void measureAgainWanted(stagecraft::ResultId id);

private:
    struct Kept { // panes of a model that is not open now
        ModelReference model;
        std::vector<ResultId> results;
        std::size_t focused = 0;
    };

    void addActions();
    void addViewActions();
    void connectViews();
    void tellLetters();
    [[nodiscard]] QString whyNoneMore() const;
    void chooseBeside(const QPoint &at);
    void goToDifference(int direction);
    void showDifference();
    void refreshTakes();

    const ShelfArea &m_shelf;
    PaneRow *m_panes;
    DifferenceTable *m_difference;
    std::array<QAction *, 4> m_take{};     // span from the left, from the right, then the same for blocks
    std::map<ResultId, QString> m_letters; // told last
    std::vector<Kept> m_kept;
};

} // namespace stagecraft
