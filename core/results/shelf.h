#pragma once

// All results that were made or opened, in order. Nothing is overwritten: a result is added once, gets its schedule and
// further measurements, and stays until a user removes it, which can be undone.
//
// Results with equal settings form a group and can be compared. Equal schedules in a group stay separate results with
// their own proofs, but share all their measurements, so that one schedule has one latency. Those of profiles
// that other programs recorded are equal to none: each is a run of its own.

#include "results/pooled_latency.h"
#include "results/schedule_result.h"
#include "results/shelf_history.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class Shelf {
public:
    Shelf() = default;
    Shelf(const Shelf &) = delete; // its history refers to it
    Shelf &operator=(const Shelf &) = delete;

    [[nodiscard]] const std::vector<ScheduleResult> &results() const { return m_results; }
    [[nodiscard]] const ScheduleResult *find(ResultId id) const; // null if removed

    // Changes made by the program.
    ResultId add(ScheduleResult result);
    void setWaiting(ResultId id);
    void setRunning(ResultId id);
    void setModels(ResultId id, std::vector<ModelShare> models);
    void setDone(ResultId id);
    void setBest(ResultId id, double bestUs); // during a search
    // Sets the schedule with its first measurement; a search may replace it before it ends.
    void setMade(ResultId id, std::shared_ptr<const TimedSchedule> schedule, std::vector<BlockSearch> blocks,
                 std::int64_t atSeconds);
    void setFailed(ResultId id, std::string trouble);
    void addMeasurement(ResultId id, Measurement measurement);
    // Sets the same stages with new latencies.
    void setMeasuredAgain(ResultId id, std::shared_ptr<const TimedSchedule> schedule, std::int64_t atSeconds);
    void setPins(ResultId id, std::vector<Stage> pins);
    void setSource(ResultId id, std::string source);
    void setStages(ResultId id,
                   std::shared_ptr<const TimedSchedule> schedule); // some of its stages were measured again
    void drop(ResultId id);                                        // a running result that ends without a schedule
    void putBack(ScheduleResult result);                           // a dropped result, under its old id
    // Merges a result into an earlier one that was made in the same way with the same schedule, as one more
    // measurement. Returns the one that stays.
    ResultId mergeRepeated(ResultId id);

    // Replaces everything with the contents of a session. Earlier changes cannot be undone.
    void restore(std::vector<ScheduleResult> results, const std::vector<ResultId> &baselines);
    // Gives the same results schedules that refer to a graph.
    void tie(const std::vector<ScheduleResult> &results);

    // Changes made by a user; all can be undone.
    void rename(ResultId id, const std::string &name); // empty: back to the title
    void annotate(ResultId id, const std::string &note);
    void setPinned(ResultId id, bool pinned);
    void chooseBaseline(ResultId id); // of its group
    void remove(const std::vector<ResultId> &ids);
    void record(ShelfHistory::Change change); // for changes made elsewhere, to a result or its data
    [[nodiscard]] std::string undoWords() const { return m_history.undoWords(); } // empty: nothing to undo
    [[nodiscard]] std::string redoWords() const { return m_history.redoWords(); }
    void undo() { m_history.undo(); }
    void redo() { m_history.redo(); }

    // Queries.
    [[nodiscard]] std::vector<ResultId> fitting(const RunContext &settings) const;
    // The newest with a schedule of that strategy ("sequential", "ios-both"), invalid if there is none. Edits, results
    // made elsewhere and results with pinned stages do not count.
    [[nodiscard]] ResultId newest(const RunContext &settings, const std::string &strategy) const;
    [[nodiscard]] std::vector<ResultId> equalTo(ResultId id) const; // the others of its group with the same stages
    [[nodiscard]] std::optional<PooledLatency> latency(ResultId id) const;
    [[nodiscard]] std::optional<PooledLatency> latency(ResultId id, MeasuredHow how) const;
    // The newest measurement of its own or an equal schedule in rounds with `other`; empty if there is none.
    struct SharedRounds {
        const Measurement *mine = nullptr;
        const Measurement *others = nullptr;
    };
    [[nodiscard]] std::optional<SharedRounds> sharedRounds(ResultId id, ResultId other) const;
    [[nodiscard]] std::vector<ResultId> chosenBaselines() const;
    // The chosen one, or else the first Sequential; invalid if there is neither.
    [[nodiscard]] ResultId baseline(const RunContext &settings) const;
    // How many times faster than its baseline: the quotient of the latencies that are shown. Empty if one of them has
    // none, or only one is a sum of stages.
    [[nodiscard]] std::optional<double> speedup(ResultId id) const;

private:
    struct ChosenBaseline {
        RunContext settings;
        ResultId id;
    };

    [[nodiscard]] ScheduleResult *at(ResultId id);
    [[nodiscard]] std::uint32_t numberOfEqual(const ScheduleResult &result);
    struct Latencies { // of one schedule
        std::optional<PooledLatency> best;
        std::map<MeasuredHow, PooledLatency> parts;
    };

    [[nodiscard]] const Latencies *latenciesOf(ResultId id) const;
    void setBaseline(const RunContext &settings, ResultId id);
    // Changes a member that users set, with undo.
    template <typename Value>
    void change(ResultId id, Value ScheduleResult::*member, Value value, std::string words);

    std::vector<ScheduleResult> m_results;
    mutable std::map<std::uint32_t, Latencies> m_latencies; // by equalSchedules; cleared by changes
    std::vector<ChosenBaseline> m_baselines;
    ShelfHistory m_history;
    std::uint32_t m_nextId = 1;
    std::uint32_t m_nextSchedule = 1;
};

} // namespace stagecraft
