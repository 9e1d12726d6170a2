#include "flow/kit/kit_plan.h"

#include "device/simulated/simulated_device.h"
#include "schedule/stage_text.h"
#include "search/stages/state_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::array kLess{0.0, 0.05, 0.1, 0.2, 0.4};
constexpr double kImaginedSeconds = 60; // for one search: what it has asked for by then is wanted

class Planner {
public:
    Planner(const Model &model, const KnownStages &known, const KitPlanRequest &request, const KitProgress &progress,
            std::stop_token stop)
        : m_model(model), m_known(known), m_request(request), m_progress(progress), m_stop(std::move(stop))
    {
    }

    // Opens the simulated devices whose latencies are guesses.
    Result<void> open()
    {
        for (const std::string &name : m_request.like) {
            TRY_AS(const auto device, openSimulatedDevice(name));
            TRY_AS(auto session, device->open(m_model.graph));
            m_guesses.push_back(std::make_unique<StageGuesses>(m_model.graph, m_known, *session));
            m_names.push_back("sim:" + name);
            m_sessions.push_back(std::move(session));
        }
        return {};
    }

    void add(const Stage &stage)
    {
        const StageSignature signature = m_known.signatureOf(stage);
        if (!m_known.latencyUs(signature) && m_asked.size() < m_request.mostStages)
            m_asked.add(stage, signature);
    }
    void addAnew(const Stage &stage, const StageSignature &signature)
    {
        if (m_asked.size() < m_request.mostStages)
            m_asked.add(stage, signature);
    }

    // What searches on imagined devices ask for.
    Result<void> imagine(std::span<const double> less)
    {
        for (const double share : less) {
            for (std::size_t i = 0; i < m_guesses.size() && m_asked.size() < m_request.mostStages; ++i) {
                if (m_progress)
                    m_progress(share == 0 ? "search on " + m_names[i]
                                          : fmt::format("search on {}, {:.0f} % faster", m_names[i], 100 * share),
                               m_asked.size());
                ImaginedDevice device(m_known, *m_guesses[i], share, m_asked, m_request.mostStages);
                SearchOptions options = m_request.options;
                options.maxMeasurements.reset();
                options.maxSeconds = kImaginedSeconds;
                options.exhaustive = false;
                const auto found = searchSchedule(*m_model.graph, m_model.blocks, device, options, {}, m_stop);
                if (m_stop.stop_requested())
                    return fail(ErrorCode::Cancelled, "stopped");
                if (!found && found.error().code != ErrorCode::Cancelled)
                    return tl::unexpected(found.error());
            }
        }
        return {};
    }

    [[nodiscard]] std::size_t size() const { return m_asked.size(); }

    // With the equal stages of the model's spaces.
    [[nodiscard]] std::vector<KitStage> take()
    {
        std::vector<KitStage> stages;
        std::unordered_map<StageSignature, std::size_t> bySignature;
        for (const AskedStage &asked : m_asked.all()) {
            bySignature.emplace(asked.signature, stages.size());
            stages.push_back({normalized(asked.stage)});
        }
        const auto addPlace = [&](const Stage &stage) {
            const auto found = bySignature.find(m_known.signatureOf(stage));
            if (found != bySignature.end() && stages[found->second].stage != stage &&
                std::ranges::find(stages[found->second].equal, stage) == stages[found->second].equal.end())
                stages[found->second].equal.push_back(stage);
        };
        for (std::size_t b = 0; b < m_model.blocks.size(); ++b) {
            for (const OperatorId id : m_model.blocks[b].operators)
                addPlace(stageAlone(id, b));
            const BlockView view = makeBlockView(*m_model.graph, m_model.blocks[b], b);
            const auto space = buildStateSpace(view, m_request.options, {}, {});
            for (std::uint32_t stage = 0; space && stage < space->stages.size(); ++stage)
                addPlace(space->stage(stage));
        }
        return stages;
    }

private:
    const Model &m_model;
    const KnownStages &m_known;
    const KitPlanRequest &m_request;
    const KitProgress &m_progress;
    std::stop_token m_stop;
    std::vector<std::string> m_names;
    std::vector<std::unique_ptr<DeviceSession>> m_sessions;
    std::vector<std::unique_ptr<StageGuesses>> m_guesses;
    AskedStages m_asked;
};

// An operator alone that has no latency: without it no schedule is known.
Result<void> checkAlone(const Model &model, const KnownStages &known)
{
    for (const Stage &stage : sequentialSchedule(*model.graph, model.blocks).stages) {
        const auto us = known.latencyUs(known.signatureOf(stage));
        if (!us)
            return fail(ErrorCode::DeviceFailed,
                        fmt::format("the recording has no latency of {} by itself, so no schedule is known",
                                    stageText(*model.graph, stage)),
                        "Let the kit run to its end there, or begin with a kit of stagecraft-cli kit");
    }
    return {};
}

bool isProved(const FoundSchedule &found)
{
    const Termination how = found.schedule.search.termination;
    return found.wanted.empty() &&
           (how == Termination::Optimal || how == Termination::WithinEpsilon || how == Termination::UnderAssumption);
}

} // namespace

Result<KitPlan> firstKit(const Model &model, const KitPlanRequest &request, const KitProgress &progress,
                         std::stop_token stop)
{
    const KnownStages nothing(model.graph);
    Planner planner(model, nothing, request, progress, std::move(stop));
    for (const TimedSchedule &schedule :
         {sequentialSchedule(*model.graph, model.blocks), greedySchedule(*model.graph, model.blocks)}) {
        for (const Stage &stage : schedule.stages)
            planner.add(stage);
    }
    TRY(planner.open());
    TRY(planner.imagine(kLess));
    return KitPlan{planner.take()};
}

Result<NextKit> nextKit(const Model &model, KnownStages &known, const KitPlanRequest &request,
                        const KitProgress &progress, std::stop_token stop)
{
    TRY(checkAlone(model, known));
    SearchOptions options = request.options; // what is known costs nothing
    options.maxMeasurements.reset();
    options.maxSeconds.reset();
    TRY_AS(auto found, searchSchedule(*model.graph, model.blocks, known, options, {}, stop));
    if (found.wanted.empty() && found.schedule.search.termination == Termination::BoundsBroken) {
        // Measured stages broke the assumption under which nothing is wanted any more: kits may prove it without.
        SearchOptions safe = options;
        safe.bounds = SearchBounds::Safe;
        TRY_AS(auto without, searchSchedule(*model.graph, model.blocks, known, safe, {}, stop));
        if (without.schedule.search.sumUs <= found.schedule.search.sumUs)
            found = std::move(without);
        else // of spaces that were searched in part
            found.wanted = std::move(without.wanted);
    }
    NextKit next{std::move(found)};
    next.wanted = next.found.wanted.size();
    next.isProved = isProved(next.found);
    if (next.isProved)
        return next;
    Planner planner(model, known, request, progress, std::move(stop));
    const bool isSearchedInFull = next.found.schedule.search.termination != Termination::InPart;
    next.plan.isWhole = isSearchedInFull && next.wanted > 0 && next.wanted <= request.mostStages;
    if (next.wanted > request.mostStages) {
        TRY(planner.open());
        TRY(planner.imagine(kLess));
    }
    for (const MissingStage &wanted : next.found.wanted)
        planner.addAnew(wanted.stage, wanted.signature);
    const std::size_t fresh = planner.size();
    for (const Stage &stage : known.disturbed())
        planner.addAnew(stage, known.signatureOf(stage));
    next.plan.again = planner.size() - fresh;
    next.plan.stages = planner.take();
    return next;
}

} // namespace stagecraft
