#pragma once

// A schedule that is edited by hand, with undo and redo. A plain value: a copy does not change.
//
// It knows the times of stages, from the original schedule and measured since. A stage that comes back, by undo or
// another edit, has its time again. The original schedule comes back to the last byte.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/edit/edit.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace stagecraft {

class EditHistory {
public:
    // `origin` is legal. `originName`: "ios-both" or a file, which edits state as their origin.
    EditHistory(std::shared_ptr<const TimedSchedule> origin, std::string originName);

    // If refused, nothing changes. An edit without effect is not a step.
    [[nodiscard]] Result<EditedStages> apply(const Graph &graph, const Blocks &blocks, const Edit &edit);

    [[nodiscard]] std::size_t stepsDone() const { return m_done; }
    [[nodiscard]] bool canUndo() const { return m_done > 0; }
    [[nodiscard]] bool canRedo() const { return m_done < m_steps.size(); }
    // The names of the steps that undo and redo would apply; only call if there is one.
    [[nodiscard]] const std::string &undoWords() const { return m_steps[m_done - 1].words; }
    [[nodiscard]] const std::string &redoWords() const { return m_steps[m_done].words; }
    void undo();
    void redo();

    [[nodiscard]] const TimedSchedule &origin() const { return *m_origin; }
    [[nodiscard]] const std::shared_ptr<const TimedSchedule> &sharedOrigin() const { return m_origin; }
    [[nodiscard]] const std::vector<Stage> &stages() const { return m_order.stages; }
    [[nodiscard]] const Schedule &order() const { return m_order; } // stages or streams, without layouts
    // The origin itself if stages or streams are equal; otherwise an edited schedule, with latencies if all are known.
    [[nodiscard]] TimedSchedule schedule() const;
    // The stages whose time is unknown.
    [[nodiscard]] std::vector<std::size_t> unknownStages() const;
    [[nodiscard]] const Timing *timeOf(const Stage &stage) const; // null: not known

    // `timed`: the current stages with their times, measured like the origin. The whole's time is kept for this step.
    void keepTimes(const TimedSchedule &timed);
    void keepTime(const Stage &stage, const Timing &timing);

private:
    // Where the known times come from.
    struct Source {
        std::string device;
        std::string deviceVersion;
        std::string calibration;
        SimulationErrors simulationErrors;
        std::optional<Provenance> provenance;
    };
    // The stages that a step replaces, or, once it is done, those it has put there. Streams are replaced as a whole.
    struct Step {
        std::string words;
        std::size_t first = 0;
        std::size_t count = 0; // of stages of m_order
        std::vector<Stage> others;
        std::optional<Streams> streams;     // of streams
        std::optional<TimedSchedule> whole; // measured, without its order, for the state after the step
    };
    struct ByStage {
        bool operator()(const Stage &a, const Stage &b) const
        {
            return std::tie(a.strategy, a.groups, a.launchOrder) < std::tie(b.strategy, b.groups, b.launchOrder);
        }
    };

    void exchange(Step &step);
    [[nodiscard]] bool fillTimes(TimedSchedule &schedule) const;

    std::shared_ptr<const TimedSchedule> m_origin;
    std::string m_originName;
    Schedule m_order;
    std::vector<Step> m_steps;
    std::size_t m_done = 0; // steps done
    std::map<Stage, Timing, ByStage> m_times;
    Source m_source;
};

// An edit of `origin` before it is measured: for the same model, batch and precision, without latencies.
[[nodiscard]] TimedSchedule editedSchedule(const TimedSchedule &origin, const std::string &originName, Schedule order);

} // namespace stagecraft
