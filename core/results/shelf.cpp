#include "results/shelf.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

bool haveEqualSchedules(const ScheduleResult &one, const ScheduleResult &other)
{
    return one.equalSchedules != 0 && one.equalSchedules == other.equalSchedules;
}

bool wereAskedForAlike(const ScheduleResult &one, const ScheduleResult &other)
{
    return one.origin == other.origin && one.title == other.title && one.source == other.source &&
           one.from == other.from && one.asked.strategy == other.asked.strategy && one.asked.r == other.asked.r &&
           one.asked.s == other.asked.s && one.asked.singleSource == other.asked.singleSource &&
           one.asked.pinnedStages == other.asked.pinnedStages &&
           one.asked.launchOrders.has_value() == other.asked.launchOrders.has_value();
}

// Repeating an exact latency adds nothing, nor do the same rounds.
void addUnlessKnown(std::vector<Measurement> &measurements, Measurement measurement)
{
    const bool isKnown = std::ranges::any_of(measurements, [&](const Measurement &known) {
        const bool isExactTwice = !known.whole->isDetailed() && !measurement.whole->isDetailed();
        const bool isOneGroup = known.roundGroup != 0 && known.roundGroup == measurement.roundGroup;
        return known.how == measurement.how && known.whole->latencyUs == measurement.whole->latencyUs &&
               (isExactTwice || (isOneGroup && known.roundsUs == measurement.roundsUs));
    });
    if (!isKnown)
        measurements.push_back(std::move(measurement));
}

// How much is left to prove: infinity if the gap is not finite.
double gapOf(const ScheduleResult &result)
{
    return std::isnan(result.record().gap) ? HUGE_VAL : result.record().gap;
}

} // namespace

const ScheduleResult *Shelf::find(ResultId id) const
{
    const auto found = std::ranges::lower_bound(m_results, id, {}, &ScheduleResult::id); // ids ascend
    return found != m_results.end() && found->id == id ? &*found : nullptr;
}

ScheduleResult *Shelf::at(ResultId id)
{
    m_latencies.clear(); // the caller changes the result
    return const_cast<ScheduleResult *>(std::as_const(*this).find(id));
}

ResultId Shelf::add(ScheduleResult result)
{
    m_latencies.clear();
    result.id = ResultId{m_nextId++};
    if (result.schedule)
        result.equalSchedules = numberOfEqual(result);
    else
        result.equalSchedules = result.measurements.empty() ? 0 : m_nextSchedule++;
    m_results.push_back(std::move(result));
    return m_results.back().id;
}

std::uint32_t Shelf::numberOfEqual(const ScheduleResult &result)
{
    const bool isProfiled = result.origin == Origin::Profiled; // what one run took says nothing of another's
    const auto equal = std::ranges::find_if(m_results, [&](const ScheduleResult &other) {
        return !isProfiled && other.origin != Origin::Profiled && other.equalSchedules != 0 && other.id != result.id &&
               other.settings == result.settings && hasSameOrder(*other.schedule, *result.schedule) &&
               other.schedule->layouts == result.schedule->layouts;
    });
    return equal != m_results.end() ? equal->equalSchedules : m_nextSchedule++;
}

void Shelf::setWaiting(ResultId id)
{
    if (ScheduleResult *result = at(id))
        result->state = ResultState::Waiting;
}

void Shelf::setRunning(ResultId id)
{
    if (ScheduleResult *result = at(id))
        result->state = ResultState::Running;
}

void Shelf::setModels(ResultId id, std::vector<ModelShare> models)
{
    if (ScheduleResult *result = at(id))
        result->models = std::move(models);
}

void Shelf::setDone(ResultId id)
{
    if (ScheduleResult *result = at(id))
        result->state = ResultState::Done;
}

void Shelf::setBest(ResultId id, double bestUs)
{
    if (ScheduleResult *result = at(id))
        result->bestUs = bestUs;
}

void Shelf::setMade(ResultId id, std::shared_ptr<const TimedSchedule> schedule, std::vector<BlockSearch> blocks,
                    std::int64_t atSeconds)
{
    ScheduleResult *result = at(id);
    if (!result)
        return;
    result->state = ResultState::Done;
    result->trouble.clear();
    result->schedule = std::move(schedule);
    result->equalSchedules = numberOfEqual(*result);
    result->blocks = std::move(blocks);
    result->madeAtSeconds = atSeconds;
    result->measurements.clear();
    if (auto first = measurementOf(*result->schedule, atSeconds))
        result->measurements.push_back(std::move(*first));
}

void Shelf::setFailed(ResultId id, std::string trouble)
{
    if (ScheduleResult *result = at(id)) {
        result->state = ResultState::Failed;
        result->trouble = std::move(trouble);
    }
}

void Shelf::addMeasurement(ResultId id, Measurement measurement)
{
    if (ScheduleResult *result = at(id))
        result->measurements.push_back(std::move(measurement));
}

void Shelf::setMeasuredAgain(ResultId id, std::shared_ptr<const TimedSchedule> schedule, std::int64_t atSeconds)
{
    ScheduleResult *result = at(id);
    if (!result)
        return;
    if (auto measurement = measurementOf(*schedule, atSeconds))
        addUnlessKnown(result->measurements, std::move(*measurement));
    result->schedule = std::move(schedule);
    result->state = ResultState::Done;
}

void Shelf::setStages(ResultId id, std::shared_ptr<const TimedSchedule> schedule)
{
    if (ScheduleResult *result = at(id)) {
        result->schedule = std::move(schedule);
        result->state = ResultState::Done;
    }
}

void Shelf::setPins(ResultId id, std::vector<Stage> pins)
{
    if (ScheduleResult *result = at(id))
        result->pins = std::move(pins);
}

void Shelf::setSource(ResultId id, std::string source)
{
    if (ScheduleResult *result = at(id))
        result->source = std::move(source);
}

void Shelf::drop(ResultId id)
{
    m_latencies.clear();
    std::erase_if(m_results, [&](const ScheduleResult &result) { return result.id == id; });
}

ResultId Shelf::mergeRepeated(ResultId id)
{
    const ScheduleResult *again = at(id);
    if (!again || !again->schedule)
        return id;
    for (ScheduleResult &before : m_results) {
        if (before.id == id || before.state != ResultState::Done || !haveEqualSchedules(before, *again) ||
            !wereAskedForAlike(before, *again))
            continue;
        for (const Measurement &measurement : again->measurements)
            addUnlessKnown(before.measurements, measurement);
        if (gapOf(*again) < gapOf(before)) { // the better of the two proofs
            before.schedule = again->schedule;
            before.blocks = again->blocks;
        }
        const ResultId stands = before.id;
        drop(id);
        return stands;
    }
    return id;
}

void Shelf::putBack(ScheduleResult result)
{
    m_latencies.clear();
    const auto place = std::ranges::lower_bound(m_results, result.id, {}, &ScheduleResult::id);
    m_results.insert(place, std::move(result));
}

void Shelf::record(ShelfHistory::Change change)
{
    m_history.record(std::move(change));
}

void Shelf::restore(std::vector<ScheduleResult> results, const std::vector<ResultId> &baselines)
{
    m_latencies.clear();
    m_history = {};
    m_baselines.clear();
    m_results = std::move(results);
    for (ScheduleResult &result : m_results)
        result.equalSchedules = 0;
    for (ScheduleResult &result : m_results) {
        m_nextId = std::max(m_nextId, result.id.value + 1);
        result.equalSchedules = result.schedule ? numberOfEqual(result) : 0;
    }
    for (const ResultId id : baselines) {
        if (const ScheduleResult *result = find(id))
            setBaseline(result->settings, id);
    }
}

void Shelf::tie(const std::vector<ScheduleResult> &results)
{
    for (const ScheduleResult &tied : results) {
        if (ScheduleResult *result = at(tied.id)) {
            result->schedule = tied.schedule;
            result->blocks = tied.blocks;
            result->pins = tied.pins;
        }
    }
}

template <typename Value>
void Shelf::change(ResultId id, Value ScheduleResult::*member, Value value, std::string words)
{
    const ScheduleResult *result = find(id);
    if (!result || result->*member == value)
        return;
    const auto set = [this, id, member](const Value &to) {
        if (ScheduleResult *changed = at(id))
            changed->*member = to;
    };
    m_history.apply({std::move(words), [set, value] { set(value); }, [set, before = result->*member] { set(before); }});
}

void Shelf::rename(ResultId id, const std::string &name)
{
    const ScheduleResult *result = find(id);
    if (result)
        change(id, &ScheduleResult::name, name == result->title ? std::string() : name,
               "Rename " + result->shownName());
}

void Shelf::annotate(ResultId id, const std::string &note)
{
    if (const ScheduleResult *result = find(id))
        change(id, &ScheduleResult::note, note, "Note on " + result->shownName());
}

void Shelf::setPinned(ResultId id, bool pinned)
{
    if (const ScheduleResult *result = find(id))
        change(id, &ScheduleResult::isPinned, pinned, (pinned ? "Pin " : "Unpin ") + result->shownName());
}

void Shelf::setBaseline(const RunContext &settings, ResultId id)
{
    std::erase_if(m_baselines, [&](const ChosenBaseline &chosen) { return chosen.settings == settings; });
    if (id.isValid())
        m_baselines.push_back({settings, id});
}

void Shelf::chooseBaseline(ResultId id)
{
    const ScheduleResult *result = find(id);
    if (!result || baseline(result->settings) == id)
        return;
    const auto chosen = std::ranges::find(m_baselines, result->settings, &ChosenBaseline::settings);
    m_history.apply(
        {"Set " + result->shownName() + " as baseline",
         [this, settings = result->settings, id] { setBaseline(settings, id); },
         [this, settings = result->settings, before = chosen != m_baselines.end() ? chosen->id : ResultId()] {
             setBaseline(settings, before);
         }});
}

void Shelf::remove(const std::vector<ResultId> &ids)
{
    std::vector<ScheduleResult> removed;
    for (const ScheduleResult &result : m_results) {
        if (std::ranges::find(ids, result.id) != ids.end() && !result.isUnderWay())
            removed.push_back(result);
    }
    if (removed.empty())
        return;
    std::string words =
        "Remove " + (removed.size() == 1 ? removed.front().shownName() : fmt::format("{} results", removed.size()));
    std::vector<ResultId> gone;
    gone.reserve(removed.size());
    for (const ScheduleResult &result : removed)
        gone.push_back(result.id);
    m_history.apply({std::move(words),
                     [this, gone] {
                         for (const ResultId id : gone)
                             drop(id);
                     },
                     [this, removed] {
                         for (const ScheduleResult &result : removed)
                             putBack(result);
                     }});
}

std::vector<ResultId> Shelf::fitting(const RunContext &settings) const
{
    std::vector<ResultId> ids;
    for (const ScheduleResult &result : m_results) {
        if (result.settings == settings)
            ids.push_back(result.id);
    }
    return ids;
}

ResultId Shelf::newest(const RunContext &settings, const std::string &strategy) const
{
    ResultId newest;
    for (const ScheduleResult &result : m_results) {
        if (result.settings == settings && result.schedule && result.asked.strategy == strategy &&
            result.asked.pinnedStages == 0 && (result.origin == Origin::Baseline || result.origin == Origin::Searched))
            newest = result.id;
    }
    return newest;
}

std::vector<ResultId> Shelf::equalTo(ResultId id) const
{
    std::vector<ResultId> equal;
    const ScheduleResult *result = find(id);
    for (const ScheduleResult &other : m_results) {
        if (result && other.id != id && haveEqualSchedules(*result, other))
            equal.push_back(other.id);
    }
    return equal;
}

const Shelf::Latencies *Shelf::latenciesOf(ResultId id) const
{
    const ScheduleResult *result = find(id);
    if (!result || result->equalSchedules == 0)
        return nullptr;
    const auto known = m_latencies.find(result->equalSchedules);
    if (known != m_latencies.end())
        return &known->second;
    std::vector<Measurement> all;
    for (const ScheduleResult &other : m_results) {
        if (!haveEqualSchedules(other, *result))
            continue;
        for (const Measurement &measurement : other.measurements)
            addUnlessKnown(all, measurement);
    }
    Latencies &latencies = m_latencies[result->equalSchedules];
    latencies.best = pooled(all);
    for (const MeasuredHow how : {MeasuredHow::InRounds, MeasuredHow::Alone, MeasuredHow::SumOfStages}) {
        if (const auto part = pooled(all, how))
            latencies.parts[how] = *part;
    }
    return &latencies;
}

std::optional<PooledLatency> Shelf::latency(ResultId id) const
{
    const Latencies *latencies = latenciesOf(id);
    return latencies ? latencies->best : std::nullopt;
}

std::optional<PooledLatency> Shelf::latency(ResultId id, MeasuredHow how) const
{
    const Latencies *latencies = latenciesOf(id);
    if (!latencies || !latencies->parts.contains(how))
        return std::nullopt;
    return latencies->parts.at(how);
}

std::optional<Shelf::SharedRounds> Shelf::sharedRounds(ResultId id, ResultId other) const
{
    const ScheduleResult *mine = find(id);
    const ScheduleResult *others = find(other);
    std::optional<SharedRounds> newest;
    if (!mine || !others)
        return newest;
    for (const Measurement &here : mine->measurements) {
        for (const Measurement &there : others->measurements) {
            if (here.roundGroup != 0 && here.roundGroup == there.roundGroup && !here.roundsUs.empty() &&
                here.roundsUs.size() == there.roundsUs.size())
                newest = {&here, &there};
        }
    }
    return newest;
}

std::vector<ResultId> Shelf::chosenBaselines() const
{
    std::vector<ResultId> ids;
    for (const ChosenBaseline &chosen : m_baselines) {
        if (find(chosen.id))
            ids.push_back(chosen.id);
    }
    return ids;
}

ResultId Shelf::baseline(const RunContext &settings) const
{
    const auto chosen = std::ranges::find(m_baselines, settings, &ChosenBaseline::settings);
    if (chosen != m_baselines.end() && find(chosen->id))
        return chosen->id;
    const auto sequential = std::ranges::find_if(m_results, [&](const ScheduleResult &result) {
        return result.settings == settings && result.origin == Origin::Baseline &&
               result.asked.strategy == "sequential";
    });
    return sequential != m_results.end() ? sequential->id : ResultId();
}

std::optional<double> Shelf::speedup(ResultId id) const
{
    const ScheduleResult *result = find(id);
    if (!result)
        return std::nullopt;
    const auto mine = latency(id);
    const auto others = latency(baseline(result->settings));
    const auto isSum = [](const auto &each) { return each->how == MeasuredHow::SumOfStages; };
    if (!mine || !others || mine->us <= 0 || isSum(mine) != isSum(others))
        return std::nullopt;
    return others->us / mine->us;
}

} // namespace stagecraft
