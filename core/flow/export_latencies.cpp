#include "flow/export_latencies.h"

#include "schedule/stage_signature.h"
#include "search/stages/search.h"
#include "search/stages/state_space.h"
#include "search/stages/windows.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace stagecraft {
namespace {

// For spaces beyond the usual pruning: a greedy stage with many groups may imply a larger space than any that was
// searched.
constexpr SpaceLimits kFurtherLimits{100'000, 3'000'000, 200'000};

class Export {
public:
    Export(const Model &model, std::unordered_map<std::string, Timing> stored)
        : m_model(model), m_signer(*model.graph), m_stored(std::move(stored))
    {
    }

    void add(const Stage &stage)
    {
        if (!stage.launchOrder.empty()) // such latencies are not stored
            return;
        auto groups = operatorNames(*m_model.graph, stage);
        std::string key = recordKey(stage.strategy, groups);
        if (!m_seen.insert(std::move(key)).second)
            return;
        const std::string signature = m_signer.sign(stage).toHex();
        const auto found = m_stored.find(signature);
        if (found == m_stored.end())
            return;
        m_stages.push_back({stage.strategy, std::move(groups), found->second, signature});
    }

    // Adds every stage that a search with these options may ask for, except in blocks that it cuts into windows: there
    // only the stages that were asked for are known.
    void addSpaces(const SearchOptions &options, const SpaceLimits &limits)
    {
        for (std::size_t b = 0; b < m_model.blocks.size(); ++b) {
            const BlockView view = makeBlockView(*m_model.graph, m_model.blocks[b], b);
            auto space = buildStateSpace(view, options, limits, {});
            if (!space)
                space = buildPrunedSpace(view, options, limits, {});
            if (!space)
                continue;
            for (std::uint32_t stage = 0; stage < space->stages.size(); ++stage)
                add(space->stage(stage));
        }
    }

    [[nodiscard]] std::vector<RecordedStage> take() { return std::move(m_stages); }

private:
    const Model &m_model;
    StageSigner m_signer;
    std::unordered_map<std::string, Timing> m_stored;
    std::unordered_set<std::string> m_seen;
    std::vector<RecordedStage> m_stages;
};

// Empty if the model has no such operators.
std::optional<Stage> stageOf(const Graph &graph, const RecordedStage &named)
{
    Stage stage;
    stage.strategy = named.strategy;
    for (const std::vector<std::string> &group : named.groups) {
        std::vector<OperatorId> &ids = stage.groups.emplace_back();
        for (const std::string &name : group) {
            const auto id = graph.find(name);
            if (!id)
                return std::nullopt;
            ids.push_back(*id);
        }
    }
    return normalized(std::move(stage));
}

} // namespace

Result<RecordedLatencies> exportLatencies(LatencyStore &store, const MeasurementContext &context, const Model &model)
{
    auto latencies = store.exported(context);
    if (!latencies)
        return latencies;
    TRY_AS(auto stored, store.latencies(context));
    Export all(model, std::move(stored));
    SearchOptions options;
    for (const RecordedStage &named : std::exchange(latencies->stages, {})) {
        const auto stage = stageOf(*model.graph, named);
        if (!stage)
            continue;
        all.add(*stage);
        if (stage->isMerged())
            continue;
        options.s = std::max(*options.s, static_cast<int>(stage->groups.size()));
        for (const auto &group : stage->groups)
            options.r = std::max(*options.r, static_cast<int>(group.size()));
    }
    for (const TimedSchedule &schedule :
         {sequentialSchedule(*model.graph, model.blocks), greedySchedule(*model.graph, model.blocks)}) {
        for (const Stage &stage : schedule.stages)
            all.add(stage);
    }
    all.addSpaces({}, {});
    if (const SearchOptions usual; options.r > usual.r || options.s > usual.s)
        all.addSpaces(options, kFurtherLimits);
    latencies->stages = all.take();
    return latencies;
}

} // namespace stagecraft
