#pragma once

// A schedule that is edited by hand, with every step there and back. A plain value: copying it freezes it.
//
// It knows the times of stages: those of the schedule it came from, and those that were measured since. A stage that
// comes back, by undo or by another edit, has its time back, too. What it came from comes back to the last byte.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/edit.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class EditHistory {
public:
    // `origin`: legal. `originName`: what edits say they are edited from, "ios-both" or a file.
    EditHistory(std::shared_ptr<const Schedule> origin, std::string originName);

    // Refused: nothing changes. An edit that changes nothing is no step.
    [[nodiscard]] Result<EditedStages> apply(const Graph &graph, const Blocks &blocks, const Edit &edit);

    [[nodiscard]] bool canUndo() const { return m_done > 0; }
    [[nodiscard]] bool canRedo() const { return m_done < m_steps.size(); }
    // What undo takes back and what redo does again; ask only where there is something.
    [[nodiscard]] const std::string &undoWords() const { return m_steps[m_done - 1].words; }
    [[nodiscard]] const std::string &redoWords() const { return m_steps[m_done].words; }
    void undo();
    void redo();

    [[nodiscard]] const Schedule &origin() const { return *m_origin; }
    [[nodiscard]] const std::shared_ptr<const Schedule> &sharedOrigin() const { return m_origin; }
    [[nodiscard]] const std::vector<Stage> &stages() const { return m_stages; }
    // The origin itself where the stages are its own; else an edited schedule, with latencies where all are known.
    [[nodiscard]] Schedule schedule() const;
    // Of the stages, those whose time is not known.
    [[nodiscard]] std::vector<std::size_t> unknownStages() const;
    [[nodiscard]] const Timing *timeOf(const Stage &stage) const; // null: not known

    // `timed`: the stages as they are now, with their times, measured as the origin was. The whole's is kept for this
    // step.
    void keepTimes(const Schedule &timed);
    void keepTime(const Stage &stage, const Timing &timing);

private:
    // Of the times that are known.
    struct Source {
        std::string device;
        std::string calibration;
        std::optional<Provenance> provenance;
    };
    // The stages that a step replaces, or those that it put there once it is done.
    struct Step {
        std::string words;
        std::size_t first = 0;
        std::size_t count = 0; // in m_stages
        std::vector<Stage> others;
        std::optional<Schedule> whole; // as measured, without stages: of the state that the step leads to
    };
    struct ByStage {
        bool operator()(const Stage &a, const Stage &b) const
        {
            return a.strategy != b.strategy ? a.strategy < b.strategy : a.groups < b.groups;
        }
    };

    void exchange(Step &step);
    [[nodiscard]] bool fillTimes(Schedule &schedule) const;

    std::shared_ptr<const Schedule> m_origin;
    std::string m_originName;
    std::vector<Stage> m_stages;
    std::vector<Step> m_steps;
    std::size_t m_done = 0; // of the steps
    std::map<Stage, Timing, ByStage> m_times;
    Source m_source;
};

// What an edit of `origin` is before it is measured: for the same model, batch and precision, without latencies.
[[nodiscard]] Schedule editedSchedule(const Schedule &origin, const std::string &originName, std::vector<Stage> stages);

} // namespace stagecraft
