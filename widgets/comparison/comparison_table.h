#pragma once

// The schedules of a model in a table: latency with provenance, speed-up over a baseline, stages, measurements. A click
// asks to show that schedule; a row without a schedule says so. Lives on the UI thread.

#include "timing/provenance.h"

#include <QString>
#include <QWidget>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {

struct ComparisonRow {
    QString title;
    std::optional<double> latencyUs;
    Provenance provenance = Provenance::Simulated;
    std::optional<double> speedup; // over the baseline
    std::size_t stages = 0;
    std::optional<std::int64_t> measurements; // stage latencies a search asked for; nullopt for baselines
    double gap = 0;                           // proved; 0: none with barriers is faster
    QString note;                             // instead of numbers: "not searched yet", "searching ..."
    // 95 % interval of the speed-up, if the schedules were timed in rounds.
    std::optional<std::pair<double, double>> interval = std::nullopt;
    bool isSumOfStages = false;      // latencyUs is a sum of recorded stages, not a measured latency of the schedule
    std::size_t disturbedStages = 0; // stages whose latencies were disturbed
    QString verdict = {};            // against the baseline, from the same rounds: "faster", "no difference shown ..."
    // What the gap refers to: the sum of stages that the search minimised, and how the search ended. `latencyUs` may be
    // the latency of the schedule measured as a whole.
    std::optional<double> gapOfUs = std::nullopt;
    QString gapText = {};
    bool leavesOutWork = false; // some operators have no cost: latency is at least, speed-up is of the costed part
    double halfWidthUs = 0;     // of the latency's 95 % interval; 0: exact or unknown
    double leastUs = 0;         // of the model at the device's peaks; 0: unknown
    std::optional<std::size_t> livePeakBytes = std::nullopt; // of memory, without weights
    bool isBaseline = false;                                 // the row that speed-ups refer to
    QString baselineTitle = {};
    QString within = {}; // how far the simulation is from measured kernels; empty: not simulated
    QString madeBy = {}; // "r 3, s 8", "opened: mine.schedule.json"
    QString about = {};  // of a row that has no schedule to show: its tool tip
};

class ComparisonTable : public QWidget {
    Q_OBJECT

public:
    explicit ComparisonTable(QWidget *parent = nullptr);
    ~ComparisonTable() override;

    // `others` stand below, and only say what they say.
    void setRows(std::vector<ComparisonRow> rows, const std::vector<ComparisonRow> &others = {});
    [[nodiscard]] const std::vector<ComparisonRow> &rows() const; // without the others

    void setCurrent(std::size_t row); // beyond the last row: none

    // The button reads "Compare all", or "Stop" while a comparison runs.
    void setComparing(bool comparing);
    void setCompareEnabled(bool enabled);

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void rowActivated(std::size_t row);
    void compareRequested();
    void stopRequested();

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
