#pragma once

// Why one schedule is faster than another: where the time of the results in the panes goes, and the steps from A to
// another (widgets/comparison/time_parts_chart.h).

#include "desktop/areas/area.h"
#include "results/schedule_result.h"
#include "schedule/compare/schedule_time_parts.h"
#include "timing/timeline/time_parts.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class ComparedSchedules;
class PaneRow;
class TimePartsChart;

class TimePartsArea : public Area {
    Q_OBJECT

public:
    TimePartsArea(const AreaContext &context, PaneRow &panes);

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    void addTo(ExportSubject &subject) const override;

    void show(); // once the timelines are shown

private:
    // What the bars are of: the whole, a block, or a span in which the schedules differ.
    struct Scope {
        std::optional<std::size_t> block{};
        std::optional<std::size_t> span{};
    };

    void showScopes();
    void showBars();
    [[nodiscard]] std::vector<StageRange> rangesOf(const Scope &scope) const; // by side
    [[nodiscard]] TimeParts partsOf(std::size_t side) const;                  // of the scope
    void showStagesOf(std::size_t bar, TimePart part);
    void showSpansOf(std::size_t bar, TimePart part);
    [[nodiscard]] std::size_t nextOf(std::size_t bar, TimePart part, bool isStep, std::size_t count);

    PaneRow &m_panes;
    TimePartsChart *m_chart;
    std::vector<Scope> m_scopes;
    std::optional<ScheduleTimeParts> m_alone; // of the only pane
    std::vector<std::size_t> m_sides;         // by bar
    struct Subject {                          // what the bars are of
        std::shared_ptr<const ComparedSchedules> compared;
        ResultId alone;
        std::shared_ptr<const TimelineIndex> timeline;

        friend bool operator==(const Subject &, const Subject &) = default;
    };
    Subject m_subject;
    struct Visit { // clicks on one part go from stage to stage
        std::size_t bar = 0;
        TimePart part = TimePart::Arithmetic;
        bool isStep = false;
        std::size_t place = 0;
    };
    std::optional<Visit> m_visit;
};

} // namespace stagecraft
