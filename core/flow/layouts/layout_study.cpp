#include "flow/layouts/layout_study.h"

#include "measure/store/latency_store.h"
#include "measure/stored_latencies.h"
#include "plan/tensors.h"
#include "schedule/layouts/laid_out_graph.h"
#include "schedule/stage_signature.h"
#include "timing/device_id.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

namespace stagecraft {
namespace {

TimedSchedule oneByOne(const Graph &graph)
{
    TimedSchedule schedule;
    for (std::size_t i = 0; i < graph.size(); ++i)
        schedule.stages.push_back(stageAlone(OperatorId::fromIndex(i)));
    schedule.context.batch = graph.batch();
    return schedule;
}

// Collects what has to be profiled, each once.
class Profiler {
public:
    Profiler(const Model &model, std::span<const TensorLayout> layouts)
        : m_model(model), m_graph(*model.graph), m_layouts(layouts), m_profiles(m_graph), m_signer(m_graph)
    {
        std::vector<std::string> names;
        for (const TensorLayout layout : layouts)
            names.emplace_back(nameOf(layout));
        const auto fixed = std::ranges::find(layouts, TensorLayout::RowMajor) - layouts.begin();
        m_result.costs.problem = layoutProblemOf(m_graph, names, static_cast<LayoutIndex>(fixed));
    }

    Result<void> collect()
    {
        findJoinedInPlace();
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            if (auto done = collectOperator(OperatorId::fromIndex(i)); !done)
                return done;
        }
        return collectConversions();
    }

    Result<ProfiledLayouts> profile(const Device &device, const ProfileProgress &progress, const std::stop_token &stop)
    {
        TRY_AS(auto graph, m_count > 0 ? m_profiles.build() : Graph());
        const auto profiled = std::make_shared<const Graph>(std::move(graph));
        const DeviceInfo info = device.info();
        const auto stored =
            storedLatencies(defaultLatencyStorePath(), info, profiled->batch()).value_or(KnownTimings::Stored{});
        StageSigner signer(*profiled);
        std::unique_ptr<DeviceSession> session; // opened for the first that is not stored
        std::vector<double> latenciesUs;
        for (std::uint32_t i = 0; i < m_count; ++i) {
            const Stage stage = stageAlone(OperatorId::fromIndex(i));
            if (const auto known = stored.find(signer.sign(stage).toHex()); known != stored.end()) {
                latenciesUs.push_back(known->second.latencyUs);
                ++m_result.profiles.kept;
                continue;
            }
            if (progress)
                progress(i, m_count);
            if (!session) {
                TRY_AS(auto opened, device.open(profiled));
                session = std::move(opened);
            }
            const auto latency = session->stageLatency(stage, stop);
            if (!latency && latency.error().code == ErrorCode::Cancelled)
                return tl::unexpected(latency.error());
            latenciesUs.push_back(latency ? latency->timing.latencyUs : kImpossible);
            m_result.profiles.refused += latency ? 0 : 1;
        }
        m_result.profiles.distinct = m_count - m_result.profiles.refused;
        fill(latenciesUs);
        m_result.costs.source = {m_model.name, info.id, std::string(toString(info.provenance)), m_graph.batch()};
        return std::move(m_result);
    }

private:
    using OperatorKey = std::tuple<StageSignature, LayoutIndex, LayoutIndex>;
    using ConversionKey = std::tuple<std::vector<std::int64_t>, LayoutIndex, LayoutIndex>;

    struct Wanted {
        std::size_t op = 0;
        LayoutPair layouts;
        std::optional<std::uint32_t> profile; // empty: it takes no time
    };

    // A join that all its parts are written into does nothing, and a profile of it alone would copy them.
    void findJoinedInPlace()
    {
        for (const TensorLayout layout : m_layouts) {
            const plan::TensorPlan plan =
                plan::planTensors(m_graph, std::vector<TensorLayout>(m_graph.tensors().size(), layout), {});
            std::vector<bool> &inPlace = m_joinedInPlace.emplace_back(m_graph.size());
            for (std::size_t i = 0; i < m_graph.size(); ++i) {
                const Operator &op = m_graph.operators()[i];
                inPlace[i] = op.kind == OperatorKind::Join && op.inputs.size() > 1 &&
                             std::ranges::all_of(op.inputs, [&](const std::vector<TensorId> &part) {
                                 const auto &alias = plan.aliases[part.front().index()];
                                 return part.size() == 1 && alias && alias->joined == op.outputs.front();
                             });
            }
        }
    }

    Result<void> collectOperator(OperatorId id)
    {
        const StageSignature signature = m_signer.sign(stageAlone(id));
        for (const LayoutPair pair : layoutPairsOf(m_graph, id, m_layouts)) {
            Wanted wanted{id.index(), pair, {}};
            if (!m_joinedInPlace[pair.in][id.index()]) {
                const auto [place, fresh] = m_operators.try_emplace({signature, pair.in, pair.out}, m_count);
                if (fresh) {
                    TRY(m_profiles.addOperator(id, m_layouts[pair.in], m_layouts[pair.out]));
                    ++m_count;
                }
                wanted.profile = place->second;
                ++m_result.profiles.asked;
            }
            m_wanted.push_back(wanted);
        }
        return {};
    }

    Result<void> collectConversions()
    {
        const auto count = static_cast<LayoutIndex>(m_layouts.size());
        for (const Tensor &tensor : m_graph.tensors()) {
            for (LayoutIndex from = 0; from < count && isImage(tensor); ++from) {
                for (LayoutIndex to = 0; to < count; ++to) {
                    if (from == to)
                        continue;
                    ++m_result.profiles.asked;
                    if (!m_conversions.try_emplace({tensor.shape.dims, from, to}, m_count).second)
                        continue;
                    TRY(m_profiles.addConversion(tensor.shape, m_layouts[from], m_layouts[to]));
                    ++m_count;
                }
            }
        }
        return {};
    }

    void fill(std::span<const double> latenciesUs)
    {
        LayoutProblem &problem = m_result.costs.problem;
        for (const Wanted &wanted : m_wanted) {
            const double us = wanted.profile ? latenciesUs[*wanted.profile] : 0;
            if (us != kImpossible)
                problem.operators[wanted.op].choices.push_back({wanted.layouts, us});
        }
        std::map<std::vector<std::int64_t>, std::uint32_t> tables;
        for (std::size_t i = 0; i < m_graph.tensors().size(); ++i) {
            const Tensor &tensor = m_graph.tensors()[i];
            if (!isImage(tensor))
                continue;
            const auto [place, fresh] =
                tables.try_emplace(tensor.shape.dims, static_cast<std::uint32_t>(problem.conversionTables.size()));
            if (fresh)
                problem.conversionTables.push_back(tableOf(tensor.shape.dims, latenciesUs));
            problem.tensors[i].conversions = place->second;
        }
    }

    ConversionTable tableOf(const std::vector<std::int64_t> &dims, std::span<const double> latenciesUs) const
    {
        const std::size_t layouts = m_layouts.size();
        ConversionTable table(layouts * layouts, kImpossible);
        for (LayoutIndex from = 0; from < layouts; ++from) {
            for (LayoutIndex to = 0; to < layouts; ++to) {
                if (from != to)
                    table[from * layouts + to] = latenciesUs[m_conversions.at({dims, from, to})];
            }
        }
        return table;
    }

    const Model &m_model;
    const Graph &m_graph;
    std::span<const TensorLayout> m_layouts;
    ProfileGraph m_profiles;
    StageSigner m_signer;
    std::uint32_t m_count = 0; // operators of the profile graph
    std::map<OperatorKey, std::uint32_t> m_operators;
    std::map<ConversionKey, std::uint32_t> m_conversions;
    std::vector<std::vector<bool>> m_joinedInPlace; // by layout, then operator
    std::vector<Wanted> m_wanted;
    ProfiledLayouts m_result;
};

std::vector<HostTensor> randomInputs(const Graph &graph)
{
    std::minstd_rand random(1);
    std::vector<HostTensor> inputs;
    for (const TensorId id : graph.inputs()) {
        const Tensor &tensor = graph.tensor(id);
        HostTensor input{tensor.name, tensor.shape, {}};
        for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
            input.values.push_back(static_cast<float>(random()) / static_cast<float>(std::minstd_rand::max()) - 0.5F);
        inputs.push_back(std::move(input));
    }
    return inputs;
}

double largestDifference(const std::vector<HostTensor> &a, const std::vector<HostTensor> &b)
{
    double difference = 0;
    double largest = 0;
    for (std::size_t output = 0; output < a.size(); ++output) {
        for (std::size_t i = 0; i < a[output].values.size(); ++i) {
            const double value = a[output].values[i];
            largest = std::max(largest, std::abs(value));
            difference = std::max(difference, std::abs(value - b[output].values[i]));
        }
    }
    return largest > 0 ? difference / largest : difference;
}

struct OpenVariant {
    std::shared_ptr<const Graph> graph;
    std::unique_ptr<DeviceSession> session;
    TimedSchedule schedule;
};

Result<OpenVariant> openVariant(const Model &model, const Device &device, const LayoutProblem &problem,
                                const LayoutVariant &variant)
{
    OpenVariant open{model.graph, nullptr, {}};
    if (variant.assignment) {
        TRY_AS(auto graph, laidOut(*model.graph, problem, *variant.assignment));
        open.graph = std::make_shared<const Graph>(std::move(graph));
    }
    auto session = device.open(open.graph);
    if (!session)
        return within(variant.name, session.error());
    open.session = std::move(*session);
    open.schedule = oneByOne(*open.graph);
    return open;
}

} // namespace

std::vector<TensorLayout> executedLayouts(const std::string &deviceId)
{
    const std::string_view own = ownDeviceId(deviceId);
    if (own == "cpu")
        return {kTensorLayouts.begin(), kTensorLayouts.end()};
    if (own.starts_with("gpu:"))
        return {TensorLayout::RowMajor, TensorLayout::ChannelsLast};
    return {};
}

Result<ProfiledLayouts> profileLayouts(const Model &model, const Device &device, std::span<const TensorLayout> layouts,
                                       const ProfileProgress &progress, const std::stop_token &stop)
{
    Profiler profiler(model, layouts);
    TRY(profiler.collect());
    return profiler.profile(device, progress, stop);
}

Result<std::vector<MeasuredVariant>> measureVariants(const Model &model, const Device &device,
                                                     const LayoutProblem &problem,
                                                     std::span<const LayoutVariant> variants, int rounds,
                                                     const std::stop_token &stop)
{
    std::vector<OpenVariant> open;
    std::vector<MeasuredVariant> measured;
    std::vector<HostTensor> expected;
    for (const LayoutVariant &variant : variants) {
        TRY_AS(auto opened, openVariant(model, device, problem, variant));
        open.push_back(std::move(opened));
        measured.emplace_back();
        Executor *executor = open.back().session->executor();
        if (!executor)
            continue;
        auto outputs = executor->run(open.back().schedule, randomInputs(*model.graph), stop);
        if (!outputs)
            return within(variant.name, outputs.error());
        if (expected.empty())
            expected = std::move(*outputs);
        else
            measured.back().largestDifference = largestDifference(expected, *outputs);
    }
    TRY_AS(auto times,
           measureInRounds(
               open.size(),
               [&](std::size_t which) { return open[which].session->measureWhole(open[which].schedule, stop); },
               rounds));
    for (std::size_t i = 0; i < measured.size(); ++i)
        measured[i].timing = std::move(times[i]);
    return measured;
}

} // namespace stagecraft
