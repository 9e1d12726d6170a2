#include "flow/find/find_splits.h"

#include "flow/open/split_opened.h"
#include "model/rewrite/split_operators.h"
#include "search/infinity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kLeastGain = 0.02; // where latencies carry noise
constexpr double kMostChoices = 64; // of which every one is searched

Stage sideBySide(const std::vector<OperatorId> &operators)
{
    Stage stage;
    for (const OperatorId id : operators)
        stage.groups.push_back({id});
    return stage;
}

class SplitFinder {
public:
    SplitFinder(const Model &model, const DeviceInfo &device, const SessionOpener &open,
                const SplitSearchRequest &request, const SplitProgress &progress, const std::stop_token &stop)
        : m_model(model), m_device(device), m_open(open), m_request(request), m_progress(progress), m_stop(stop)
    {
    }

    Result<SplitSearch> find()
    {
        TRY(tryWhole());
        for (std::int64_t parts = 2; parts <= m_request.mostParts; ++parts)
            TRY(tryParts(parts));
        SplitSearch search;
        for (auto &[id, trial] : m_trials) {
            if (trial.parts > 0)
                search.trials.push_back(std::move(trial));
        }
        TRY_AS(search.withoutUs, latencyOf(m_model));
        search.isExact = m_device.provenance != Provenance::Measured && choices(search) <= kMostChoices;
        TRY(search.isExact ? tryAll(search) : tryGains(search));
        if (!search.withUs || *search.withUs >= search.withoutUs)
            search.chosen.clear();
        return search;
    }

private:
    [[nodiscard]] Result<Model> splitModel(const OperatorSplits &splits) const
    {
        Model split = m_model;
        std::optional<TimedSchedule> none;
        TRY(splitOpened(split, none, splits));
        return split;
    }

    [[nodiscard]] double choices(const SplitSearch &search) const
    {
        return std::pow(static_cast<double>(m_request.mostParts), static_cast<double>(search.trials.size()));
    }

    Result<void> tryGains(SplitSearch &search) const
    {
        for (const SplitTrial &trial : search.trials) {
            const double least = m_device.provenance == Provenance::Measured ? kLeastGain * trial.wholeUs : 0;
            if (trial.gainUs() > least)
                search.chosen.emplace(trial.op, trial.parts);
        }
        if (search.chosen.empty())
            return {};
        TRY_AS(const auto us, latencyWith(search.chosen));
        search.withUs = us;
        return {};
    }

    // Choices are numbers with a digit for each operator: its parts less one.
    Result<void> tryAll(SplitSearch &search) const
    {
        for (std::int64_t choice = 1; choice < static_cast<std::int64_t>(choices(search)); ++choice) {
            OperatorSplits splits;
            bool isPossible = true;
            std::int64_t rest = choice;
            for (const SplitTrial &trial : search.trials) {
                const std::int64_t parts = rest % m_request.mostParts + 1;
                rest /= m_request.mostParts;
                if (parts == 1)
                    continue;
                splits.emplace(trial.op, parts);
                isPossible = isPossible && checkSplit(*m_model.graph, *m_model.graph->find(trial.op), parts);
            }
            if (!isPossible)
                continue;
            TRY_AS(const auto us, latencyWith(splits));
            if (!search.withUs || us < *search.withUs) {
                search.withUs = us;
                search.chosen = std::move(splits);
            }
        }
        return {};
    }

    [[nodiscard]] Result<double> latencyWith(const OperatorSplits &splits) const
    {
        TRY_AS(const auto split, splitModel(splits));
        return latencyOf(split);
    }

    [[nodiscard]] Result<double> latencyOf(const Model &model) const
    {
        TRY_AS(const auto session, m_open(model));
        TRY_AS(const auto found, findSchedule(model, *session, m_device, m_request.search, {}, m_stop));
        TRY(goOn());
        return found.schedule.latencyUs().value_or(0);
    }

    [[nodiscard]] Result<void> goOn() const
    {
        return m_stop.stop_requested() ? fail(ErrorCode::Cancelled, "the search for operators to split was stopped")
                                       : Result<void>();
    }

    [[nodiscard]] Result<double> stageUs(DeviceSession &session, const std::vector<OperatorId> &operators) const
    {
        TRY(goOn());
        return session.stageLatency(sideBySide(operators), m_stop).map([](const StageLatency &latency) {
            return latency.timing.latencyUs;
        });
    }

    Result<void> tryWhole()
    {
        TRY_AS(const auto session, m_open(m_model));
        if (!session->measuresStages())
            return fail(ErrorCode::WrongUse,
                        m_device.id + " measures no single stages, so no operator is tried in parts",
                        "Split operators by hand, with --split-operator");
        for (std::size_t i = 0; i < m_model.graph->size(); ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            if (!checkSplit(*m_model.graph, id, 2))
                continue;
            TRY_AS(const auto us, stageUs(*session, {id}));
            m_trials.emplace(id, SplitTrial{m_model.graph->op(id).name, 0, us, kInfinity, 0, kInfinity});
        }
        m_steps = std::ssize(m_trials) * (m_request.mostParts - 1);
        return {};
    }

    Result<void> tryParts(std::int64_t parts)
    {
        OperatorSplits splits;
        for (const auto &[id, trial] : m_trials) {
            if (checkSplit(*m_model.graph, id, parts))
                splits.emplace(trial.op, parts);
        }
        TRY_AS(const auto split, splitModel(splits));
        TRY_AS(const auto session, m_open(split));
        for (auto &[id, trial] : m_trials) {
            ++m_done;
            if (!splits.contains(trial.op))
                continue;
            std::vector<OperatorId> members;
            for (std::int64_t part = 1; part <= parts; ++part)
                members.push_back(*split.graph->find(nameOfPart(trial.op, part)));
            TRY(take(trial, parts, stageUs(*session, members),
                     stageUs(*session, {*split.graph->find(nameOfJoin(trial.op))})));
            if (m_progress)
                m_progress(m_done, m_steps);
        }
        return {};
    }

    // A stage that the device refuses is no choice.
    [[nodiscard]] Result<void> take(SplitTrial &trial, std::int64_t parts, const Result<double> &partsUs,
                                    const Result<double> &joinUs) const
    {
        TRY(goOn());
        if (!partsUs || !joinUs)
            return {};
        trial.leastPartsUs = std::min(trial.leastPartsUs, *partsUs);
        if (*partsUs + *joinUs < trial.partsUs + trial.joinUs) {
            trial.parts = parts;
            trial.partsUs = *partsUs;
            trial.joinUs = *joinUs;
        }
        return {};
    }

    const Model &m_model;
    const DeviceInfo &m_device;
    const SessionOpener &m_open;
    const SplitSearchRequest &m_request;
    const SplitProgress &m_progress;
    const std::stop_token &m_stop;
    std::map<OperatorId, SplitTrial> m_trials;
    std::int64_t m_done = 0;
    std::int64_t m_steps = 0;
};

} // namespace

double SplitSearch::freeJoinGainUs() const
{
    double us = 0;
    for (const SplitTrial &trial : trials)
        us += std::max(trial.wholeUs - trial.leastPartsUs, 0.0);
    return us;
}

Result<SplitSearch> findSplits(const Model &model, const DeviceInfo &device, const SessionOpener &open,
                               const SplitSearchRequest &request, const SplitProgress &progress,
                               const std::stop_token &stop)
{
    return SplitFinder(model, device, open, request, progress, stop).find();
}

} // namespace stagecraft
