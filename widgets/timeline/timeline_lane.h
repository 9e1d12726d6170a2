#pragma once

// One timeline on the shared axis: kernels on the rows of their streams, stages as bands behind them, and its own time
// axis, which may be shifted against the shared one.

#include "graph/graph.h"
#include "timing/timeline/timeline_index.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/kernel_rows.h"
#include "widgets/timeline/timeline_view.h"

#include <memory>
#include <optional>

namespace stagecraft {

inline constexpr const char *kBandsLayer = "bands"; // of the plot, below the grid: the bands of stages are opaque

class TimelineLane {
public:
    explicit TimelineLane(QCustomPlot *plot); // adds a row at the end of the plot
    TimelineLane(const TimelineLane &) = delete;
    TimelineLane &operator=(const TimelineLane &) = delete;
    ~TimelineLane(); // removes its parts from the plot

    void set(TimelineOf of);
    void applyTheme(const Theme &theme, std::size_t index, bool isAlone);
    void select(const Selected &selected);
    void setRange(const QCPRange &shared);
    [[nodiscard]] static int heightFor(double streams); // of the lane whose streams are that high, in pixels
    void fitRows(); // leaves space for the stage numbers above the first stream at any height

    [[nodiscard]] const TimelineOf &what() const { return m_what; }
    [[nodiscard]] const TimelineIndexPtr &index() const { return m_what.timeline; }        // null until made
    [[nodiscard]] const Timeline &timeline() const { return m_what.timeline->timeline(); } // once made
    [[nodiscard]] bool isMade() const { return m_what.timeline != nullptr; }
    [[nodiscard]] double durationUs() const { return isMade() ? microseconds(timeline().durationNs) : 1; }
    [[nodiscard]] QCPAxisRect *rect() const { return m_rect; }
    [[nodiscard]] QCPAxis *time() const { return m_rect->axis(QCPAxis::atBottom); }
    [[nodiscard]] const KernelRows &kernels() const { return *m_kernels; }
    [[nodiscard]] const QColor &colour() const { return m_colour; }
    [[nodiscard]] std::optional<std::size_t> selectedStage() const { return m_bands->selected; }
    [[nodiscard]] std::optional<TimeRange> selectedBlock() const { return m_bands->block; }
    [[nodiscard]] std::optional<std::size_t> stageAt(double ownUs) const;
    // The time range of the selection in its own time, over all its kernels; nullopt if it has none.
    [[nodiscard]] std::optional<QCPRange> rangeOf(const Selected &selected) const;
    [[nodiscard]] std::optional<double> startOf(std::size_t stage) const;

    double shiftUs = 0; // its own time minus the shared time

private:
    [[nodiscard]] std::optional<std::size_t> blockOf(const Selected &selected) const;
    [[nodiscard]] std::optional<TimeRange> rangeOfBlock(std::size_t block) const;

    QCustomPlot *m_plot;
    QCPAxisRect *m_rect;
    StageBands *m_bands;
    KernelRows *m_kernels;
    QSharedPointer<QCPAxisTickerText> m_ticks{new QCPAxisTickerText};
    std::pair<double, int> m_streamNumbers{0, 1}; // the number of streams, and the step between numbered ones
    TimelineOf m_what;
    QColor m_colour;
};

} // namespace stagecraft
