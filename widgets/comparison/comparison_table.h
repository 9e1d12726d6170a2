#pragma once

// The schedules of a model side by side: latency with its provenance, speed-up against a baseline, stages,
// measurements. A click asks for that schedule in front; a row that does not exist yet says so. Lives on the UI thread.

#include "support/provenance.h"

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
    std::optional<double> speedup; // against the baseline
    std::size_t stages = 0;
    std::optional<std::int64_t> measurements; // stage latencies a search asked for; none for baselines
    double gap = 0;                           // proved; 0: optimal
    QString note;                             // in place of numbers: "not searched yet", "searching ..."
    // Of the speed-up, at 95 %, where the schedules were timed in turn.
    std::optional<std::pair<double, double>> interval = std::nullopt;
    bool isSumOfStages = false;      // latencyUs is no latency of the schedule: it adds recorded stages up
    std::size_t disturbedStages = 0; // whose latencies are
    QString verdict = {};            // against the baseline, from these rounds: "faster", "no difference shown ..."
    // What the gap is about: the latency that the search added up, and how the search ended. `latencyUs` may be another
    // one, of the whole schedule in one go.
    std::optional<double> gapOfUs = std::nullopt;
    QString gapText = {};
    bool leavesOutWork = false; // some operators have no cost: latency is at least, speed-up is of the costed part
    double halfWidthUs = 0;     // of the latency's 95 % interval; 0: exact, or not known
    bool isBaseline = false;    // what the speed-ups are against
    QString baselineTitle = {};
    QString madeBy = {}; // "r 3, s 8", "opened: mine.schedule.json"
};

class ComparisonTable : public QWidget {
    Q_OBJECT

public:
    explicit ComparisonTable(QWidget *parent = nullptr);
    ~ComparisonTable() override;

    void setRows(std::vector<ComparisonRow> rows);
    [[nodiscard]] const std::vector<ComparisonRow> &rows() const;

    void setCurrent(std::size_t row); // beyond the last: none of them

    // The button offers "Compare all" or, while a comparison runs, "Stop".
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
