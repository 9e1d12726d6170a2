#pragma once

// Every result that was made or opened, in the order they came. Nothing is overwritten: a result is added once, gets
// its schedule and further measurements, and stays until a person removes it, which can be undone.
//
// Results of equal settings are a group; they compare. Equal schedules of a group stay results of their own, with
// proofs of their own, and share all their measurements, so that one schedule has one latency.

#include "shelf/pooled_latency.h"
#include "shelf/schedule_result.h"
#include "shelf/shelf_history.h"

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
    [[nodiscard]] const ScheduleResult *find(ResultId id) const; // null: it was removed

    // What the program does.
    ResultId add(ScheduleResult result);
    void setWaiting(ResultId id);
    void setRunning(ResultId id);
    void setDone(ResultId id);
    void setBest(ResultId id, double bestUs); // of a search under way
    // The schedule is made, with its first measurement; a search may still replace it before it ends.
    void setMade(ResultId id, std::shared_ptr<const Schedule> schedule, std::vector<BlockSearch> blocks,
                 std::int64_t atSeconds);
    void setFailed(ResultId id, std::string trouble);
    void addMeasurement(ResultId id, ResultMeasurement measurement);
    // The same stages, with their latencies and the whole's taken once more.
    void setMeasuredAgain(ResultId id, std::shared_ptr<const Schedule> schedule, std::int64_t atSeconds);
    void setStages(ResultId id, std::shared_ptr<const Schedule> schedule); // some of its stages were measured again
    void drop(ResultId id);                                                // what was under way and came to nothing
    // A result that repeats another, made the same way with the same schedule, becomes one more measurement of that.
    // Which one stands for it.
    ResultId mergeRepeated(ResultId id);

    // What a person does. All of it can be undone.
    void rename(ResultId id, const std::string &name); // empty: the title again
    void annotate(ResultId id, const std::string &note);
    void setPinned(ResultId id, bool pinned);
    void chooseBaseline(ResultId id); // of its group
    void remove(const std::vector<ResultId> &ids);
    [[nodiscard]] std::string undoWords() const { return m_history.undoWords(); } // empty: nothing to undo
    [[nodiscard]] std::string redoWords() const { return m_history.redoWords(); }
    void undo() { m_history.undo(); }
    void redo() { m_history.redo(); }

    // What there is to know.
    [[nodiscard]] std::vector<ResultId> fitting(const MeasurementSettings &settings) const;
    // The newest with a schedule of that strategy ("sequential", "ios-both"), not valid where there is none. Edits and
    // what was made elsewhere do not count.
    [[nodiscard]] ResultId newest(const MeasurementSettings &settings, const std::string &strategy) const;
    [[nodiscard]] std::vector<ResultId> equalTo(ResultId id) const; // the others of its group with the same stages
    [[nodiscard]] std::optional<PooledLatency> latency(ResultId id) const;
    [[nodiscard]] std::optional<PooledLatency> latency(ResultId id, MeasuredHow how) const;
    // Of its own schedule and equal ones, the newest that was timed in rounds with `other`; null: never was.
    struct SharedRounds {
        const ResultMeasurement *mine = nullptr;
        const ResultMeasurement *others = nullptr;
    };
    [[nodiscard]] std::optional<SharedRounds> sharedRounds(ResultId id, ResultId other) const;
    // As chosen, else the first Sequential; not valid where there is neither.
    [[nodiscard]] ResultId baseline(const MeasurementSettings &settings) const;
    // How many times faster than its baseline, of latencies that were measured the same way; none where there are none.
    // A stated latency is held against that of any whole schedule.
    [[nodiscard]] std::optional<double> speedup(ResultId id) const;

private:
    struct ChosenBaseline {
        MeasurementSettings settings;
        ResultId id;
    };

    [[nodiscard]] ScheduleResult *at(ResultId id);
    [[nodiscard]] std::uint32_t numberOfEqual(const ScheduleResult &result);
    struct Latencies { // of one schedule
        std::optional<PooledLatency> best;
        std::map<MeasuredHow, PooledLatency> parts;
    };

    [[nodiscard]] const Latencies *latenciesOf(ResultId id) const;
    void setBaseline(const MeasurementSettings &settings, ResultId id);
    // A change of what a person wrote on a result.
    template <typename Value>
    void change(ResultId id, Value ScheduleResult::*member, Value value, std::string words);

    std::vector<ScheduleResult> m_results;
    mutable std::map<std::uint32_t, Latencies> m_latencies; // by equalSchedules; none after a change
    std::vector<ChosenBaseline> m_baselines;
    ShelfHistory m_history;
    std::uint32_t m_nextId = 1;
    std::uint32_t m_nextSchedule = 1;
};

} // namespace stagecraft
