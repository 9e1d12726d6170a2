#pragma once

// Which panes of a row are compared, and how they show it: rows level at common cuts, equal stages folded or not,
// lengths on one scale, changes of blocks. Lives on the UI thread.

#include "desktop/document/document.h"
#include "widgets/base/selection.h"
#include "widgets/schedule/compared_schedules.h"
#include "widgets/schedule/row_places.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace stagecraft {

class SchedulePane;

// Stages of one pane that replace stages of another with the same operators.
struct StagesToTake {
    std::size_t from = 0; // pane
    std::size_t into = 0;
    StageRange fromStages;
    StageRange intoStages;
};

// What stands in one pane for the selection of another.
struct Counterpart {
    Selected selected;
    QString missing;           // says which stage has none; empty: nothing to say
    std::size_t missingIn = 0; // span
};

class PaneComparison {
public:
    // `panes`: those of the row, from left to right; read at each call.
    PaneComparison(const Document *document, const std::vector<SchedulePane *> &panes)
        : m_document(document), m_panes(panes)
    {
    }

    // Compares the panes with a schedule of the first one's model. False: no schedule and no timeline has changed, and
    // the comparison stays.
    bool update();
    // Panes of one model, with stages or streams. Null: nothing is compared.
    [[nodiscard]] const std::shared_ptr<const ComparedSchedules> &compared() const { return m_compared; }
    [[nodiscard]] std::optional<std::size_t> sideOf(std::size_t pane) const; // in the comparison
    [[nodiscard]] std::size_t paneOf(std::size_t side) const { return m_shown[side].pane; }
    // Those of them with stages, whose spans are taken and folded; the same object where none has streams.
    [[nodiscard]] const std::shared_ptr<const ComparedSchedules> &staged() const { return m_staged; }
    [[nodiscard]] std::optional<std::size_t> stagedSideOf(std::size_t pane) const;
    // Of this pane and the one right of it, where one has streams and the other stages of the same model; else null.
    [[nodiscard]] std::shared_ptr<const ComparedSchedules> besideStreams(std::size_t left) const;

    [[nodiscard]] bool areEqualStagesFolded() const;
    void setEqualStagesFolded(bool folded);
    void toggleFold(std::size_t firstSpan);
    void place(); // rows of the placed panes
    // Its rows are placed with those of others: it is compared, or there are stages beside streams of the same model.
    [[nodiscard]] bool isPlaced(std::size_t pane) const;
    [[nodiscard]] bool isPlacing() const { return !m_placed.empty(); }
    [[nodiscard]] bool isPlacedForOtherWidth() const { return m_placedWidth != narrowestPage(); }

    [[nodiscard]] bool areLengthsLatencies() const { return m_areLengthsLatencies; }
    void setLengthsLatencies(bool latencies) { m_areLengthsLatencies = latencies; }
    void setLengths();
    void setBlockChanges(); // of every block against the first pane

    [[nodiscard]] std::optional<std::size_t> spanOf(std::size_t pane, const Selected &selected) const;
    [[nodiscard]] std::optional<std::size_t> stagedSpanOf(std::size_t pane, const Selected &selected) const;
    [[nodiscard]] Counterpart counterpart(const Selected &selected, std::size_t pane, std::size_t other) const;
    // The span of the staged, or its block. nullopt: it is the same in both panes, or one of them is not compared.
    [[nodiscard]] std::optional<StagesToTake> toTake(std::size_t from, std::size_t into, std::size_t span,
                                                     bool wholeBlock) const;

private:
    struct Shown {
        std::size_t pane = 0;
        SchedulePtr schedule;
        std::shared_ptr<const TimelineIndex> timeline;
        std::shared_ptr<const Graph> graph;

        [[nodiscard]] bool hasStreams() const { return schedule->streams.has_value(); }
        [[nodiscard]] bool isSame(const Shown &other) const; // the same measured
    };

    [[nodiscard]] std::vector<Shown> shownOfOneModel() const;
    // Null: there are fewer than two.
    [[nodiscard]] std::shared_ptr<const ComparedSchedules> compare(const std::vector<Shown> &shown) const;
    [[nodiscard]] Selected operatorIn(const Selected &selected, std::size_t pane, std::size_t other) const;
    void foldByDefault();
    void align(); // streams with stages
    void compareBesideStreams();
    [[nodiscard]] std::vector<StageList> placedStages() const;
    [[nodiscard]] RowPlaces placesOf(std::size_t place, double zoom); // of m_placed
    [[nodiscard]] double narrowestPage() const;                       // of the placed panes with stages

    const Document *m_document;
    const std::vector<SchedulePane *> &m_panes;
    std::vector<Shown> m_shown; // by side
    std::shared_ptr<const ComparedSchedules> m_compared;
    std::shared_ptr<const ComparedSchedules> m_staged;
    std::vector<std::size_t> m_stagedPanes; // by side of m_staged
    std::vector<Shown> m_placed;            // their rows are: those with stages, then streams beside them
    std::size_t m_placedWithStages = 0;
    std::vector<CommonSpan> m_placedSpans;
    std::vector<StreamsBeside> m_beside;
    std::map<std::size_t, std::shared_ptr<const ComparedSchedules>> m_besideStreams; // by pane at the left
    std::set<std::size_t> m_folded;                                                  // first spans of folded runs
    std::optional<bool> m_foldEqual;                                                 // the user's choice, if any
    double m_placedZoom = 0;                                                         // the zoom of m_places
    double m_placedWidth = 0;                                                        // the width of m_places
    std::vector<RowPlaces> m_places;
    bool m_areLengthsLatencies = false;
};

} // namespace stagecraft
