// Stages and layouts chosen together, against brute force. Past 500 lines: it makes its own graphs and devices.

#include "schedule/stage_groups.h"
#include "schedule/verify.h"
#include "search/layouts/joint_search.h"
#include "search/layouts/layout_stage_sources.h"
#include "support/brute_force.h"
#include "support/latency_sources.h"
#include "support/random_graph.h"
#include "support/sanitized.h"
#include "support/suite.h"

#include <QTest>

#include <map>
#include <random>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_joint_search {

namespace {

constexpr std::uint32_t kGraphs = kSanitized ? 50 : 1000;

// Convolutions that share inputs, so that they can be merged, sums and joins; several outputs.
Graph smallGraph(std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    GraphBuilder builder("small" + std::to_string(seed));
    std::vector<TensorId> tensors{take(builder.addInput("input", Shape{{1, 8, 8, 8}}))};
    const std::size_t operators = 2 + seed % 5;
    for (std::size_t i = 0; i < operators; ++i) {
        const std::string name = "op" + std::to_string(i);
        const TensorId a = tensors[below(tensors.size())];
        const TensorId b = tensors[below(tensors.size())];
        const TensorId early = tensors[below(std::min<std::size_t>(tensors.size(), 2))];
        if (below(4) == 0 && a != b)
            tensors.push_back(take(builder.add(conv(name, {{a, b}}, 8))));
        else
            tensors.push_back(take(builder.add(conv(name, {{early}}, 8, 1 + 2 * static_cast<std::int64_t>(below(2))))));
    }
    return take(builder.build());
}

// Random latencies, in sixteenths of a microsecond, so that sums are exact in any order.
class RandomLayouts : public LayoutStageSource {
public:
    explicit RandomLayouts(std::uint32_t seed) : m_seed(seed) {}

    Result<std::vector<double>> latenciesUs(const Stage &stage, std::span<const StageLayouts> variants,
                                            const std::stop_token &stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        asked.insert({stage.strategy, operatorsOf(stage)});
        std::vector<double> result;
        for (const StageLayouts &layouts : variants) {
            std::uint64_t hash = hashOf(stage);
            for (const LayoutPair pair : layouts)
                hash = mixed(hash, std::uint64_t{pair.in} * 8 + pair.out);
            result.push_back(hash % 23 == 0 ? kImpossible : baseUs(stage) + static_cast<double>(hash % 320) / 16);
        }
        return result;
    }
    double atLeastUs(const Stage &stage) const override { return knowsBounds ? baseUs(stage) : 0; }
    BoundaryCost boundaryCost() const override { return boundary; }

    std::set<std::pair<Strategy, std::vector<OperatorId>>> asked;
    bool knowsBounds = false;
    BoundaryCost boundary;

private:
    static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word)
    {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
        return hash ^ (hash >> 29U);
    }
    std::uint64_t hashOf(const Stage &stage) const
    {
        std::uint64_t hash = mixed(m_seed + 1, static_cast<std::uint64_t>(stage.strategy));
        for (const auto &group : stage.groups) {
            hash = mixed(hash, 77);
            for (const OperatorId id : group)
                hash = mixed(hash, id.value);
        }
        return hash;
    }
    // Larger stages take longer, but less than their operators one after the other.
    double baseUs(const Stage &stage) const
    {
        return static_cast<double>(16 + hashOf(stage) % 64) / 16 + 6 * static_cast<double>(stage.operatorCount());
    }

    std::uint32_t m_seed;
};

struct Case {
    Graph graph;
    Blocks blocks;
    LayoutProblem problem;
    JointOptions options;
};

Case makeCase(std::uint32_t seed, std::size_t layouts = 2)
{
    RandomGraphOptions random;
    random.operators = 2 + static_cast<int>(seed % 5);
    Case made{seed % 3 == 0 ? smallGraph(seed) : randomGraph(seed, random), {}, {}, {}};
    made.blocks = consecutiveBlocks(made.graph, 1 + seed % 2);
    made.options.search.r = 1 + static_cast<int>(seed % 3);
    made.options.search.s = 1 + static_cast<int>(seed % 4);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < layouts; ++i)
        names.push_back("L" + std::to_string(i));
    made.problem = layoutProblemOf(made.graph, names, 0);
    std::mt19937 draw(seed);
    const auto chance = [&](double p) { return std::uniform_real_distribution<>(0, 1)(draw) < p; };
    const auto sixteenths = [&](int n) {
        return static_cast<double>(std::uniform_int_distribution<>(1, n)(draw)) / 16;
    };
    for (auto &op : made.problem.operators) {
        for (LayoutIndex in = 0; in < layouts; ++in) {
            for (LayoutIndex out = 0; out < layouts; ++out) {
                if (chance(in == out ? 0.85 : 0.35))
                    op.choices.push_back({{in, out}, sixteenths(320)});
            }
        }
        if (op.choices.empty())
            op.choices.push_back({{0, 0}, sixteenths(320)});
    }
    made.problem.conversionTables.clear();
    for (auto &tensor : made.problem.tensors) {
        tensor.conversions = static_cast<std::uint32_t>(made.problem.conversionTables.size());
        ConversionTable &table = made.problem.conversionTables.emplace_back();
        for (std::size_t i = 0; i < layouts * layouts; ++i)
            table.push_back(chance(0.15) ? kImpossible : sixteenths(chance(0.3) ? 800 : 60));
    }
    return made;
}

// Every layout of every operator of a list of stages, and every order of conversions, front to back.
class LayoutTries {
public:
    LayoutTries(const Case &made, LayoutStageSource &source) : m_case(made), m_source(source) {}

    double best = kImpossible;

    void run(std::span<const Stage> stages)
    {
        m_stages = stages;
        std::vector<LayoutSet> copies(m_case.problem.tensors.size());
        for (std::size_t i = 0; i < copies.size(); ++i)
            copies[i] = m_case.problem.tensors[i].isInput ? only(0) : LayoutSet{0};
        visit(0, copies, 0);
    }

private:
    void visit(std::size_t index, const std::vector<LayoutSet> &copies, double us)
    {
        if (us >= best)
            return;
        if (index == m_stages.size()) {
            std::vector<LayoutSet> wanted(copies.size());
            for (std::size_t i = 0; i < wanted.size(); ++i)
                wanted[i] = m_case.problem.tensors[i].isOutput ? only(0) : LayoutSet{0};
            convert(copies, wanted, 0, {}, [&](const std::vector<LayoutSet> &, double conversionsUs, int count) {
                best = std::min(best, us + conversionsUs + boundaries(index, count));
            });
            return;
        }
        const std::vector<OperatorId> operators = operatorsOf(m_stages[index]);
        choose(index, operators, {}, copies, us);
    }

    void choose(std::size_t index, const std::vector<OperatorId> &operators, const StageLayouts &layouts,
                const std::vector<LayoutSet> &copies, double us)
    {
        if (layouts.size() < operators.size()) {
            for (const auto &choice : m_case.problem.operators[operators[layouts.size()].index()].choices) {
                StageLayouts more = layouts;
                more.push_back(choice.layouts);
                choose(index, operators, more, copies, us);
            }
            return;
        }
        const Stage &stage = m_stages[index];
        std::vector<LayoutSet> wanted(copies.size());
        std::map<std::uint32_t, LayoutIndex> written;
        for (std::size_t i = 0; i < operators.size(); ++i) {
            if (stage.strategy == Strategy::Merge && layouts[i] != layouts[0])
                return;
            for (const std::uint32_t tensor : m_case.problem.operators[operators[i].index()].inputs) {
                const auto inside = written.find(tensor);
                if (inside != written.end() && inside->second != layouts[i].in)
                    return;
                if (inside == written.end())
                    wanted[tensor] |= only(layouts[i].in);
            }
            for (const std::uint32_t tensor : m_case.problem.operators[operators[i].index()].outputs)
                written[tensor] = layouts[i].out;
        }
        const double stageUs = (*m_source.latenciesUs(stage, std::span(&layouts, 1), {}))[0];
        if (stageUs == kImpossible)
            return;
        convert(copies, wanted, 0, {}, [&](std::vector<LayoutSet> after, double conversionsUs, int count) {
            for (const auto &[tensor, layout] : written)
                after[tensor] = only(layout);
            visit(index + 1, after, us + conversionsUs + boundaries(index, count) + stageUs);
        });
    }

    struct Hop {
        std::size_t tensor = 0;
        LayoutIndex from = 0;
        LayoutIndex to = 0;
    };

    // Conversions until everything wanted is there, none of them for nothing. A tensor at a time: their order among
    // tensors changes nothing.
    template <typename Visit>
    void convert(const std::vector<LayoutSet> &copies, const std::vector<LayoutSet> &wanted, double us,
                 const std::vector<Hop> &hops, const Visit &visit)
    {
        std::size_t tensor = 0;
        while (tensor < copies.size() && (wanted[tensor] & ~copies[tensor]) == 0)
            ++tensor;
        if (tensor == copies.size()) {
            for (std::size_t i = 0; i < hops.size(); ++i) {
                const bool isSource =
                    std::any_of(hops.begin() + static_cast<std::ptrdiff_t>(i), hops.end(), [&](const Hop &later) {
                        return later.tensor == hops[i].tensor && later.from == hops[i].to;
                    });
                if (!has(wanted[hops[i].tensor], hops[i].to) && !isSource)
                    return;
            }
            visit(copies, us, static_cast<int>(hops.size()));
            return;
        }
        const auto layouts = static_cast<LayoutIndex>(m_case.problem.layouts.size());
        for (LayoutIndex from = 0; from < layouts; ++from) {
            for (LayoutIndex to = 0; to < layouts; ++to) {
                const double hopUs = m_case.problem.conversionUs(static_cast<std::uint32_t>(tensor), from, to);
                if (!has(copies[tensor], from) || has(copies[tensor], to) || hopUs == kImpossible)
                    continue;
                std::vector<LayoutSet> after = copies;
                after[tensor] |= only(to);
                std::vector<Hop> more = hops;
                more.push_back({tensor, from, to});
                convert(after, wanted, us + hopUs, more, visit);
            }
        }
    }

    // From the stage before `index`, by way of conversions, each a stage of its own, to it, or to the end.
    double boundaries(std::size_t index, int conversions) const
    {
        std::vector<bool> chain; // whether each stage is concurrent
        if (index > 0)
            chain.push_back(m_stages[index - 1].concurrentGroups() > 1);
        chain.insert(chain.end(), static_cast<std::size_t>(conversions), false);
        if (index < m_stages.size())
            chain.push_back(m_stages[index].concurrentGroups() > 1);
        const BoundaryCost cost = m_source.boundaryCost();
        double us = 0;
        for (std::size_t i = 1; i < chain.size(); ++i)
            us += chain[i - 1] || chain[i] ? cost.barrierUs : cost.chainUs;
        return us;
    }

    const Case &m_case;
    LayoutStageSource &m_source;
    std::span<const Stage> m_stages;
};

double leastByTrying(const Case &made, LayoutStageSource &source)
{
    LayoutTries tries(made, source);
    BruteForce all(made.graph, made.blocks, made.options.search);
    all.accepts = [&](std::span<const Stage> stages) {
        tries.run(stages);
        return false;
    };
    SharedDevice unused(made.graph);
    (void)all.run(unused);
    return tries.best;
}

RandomLayouts sourceFor(std::uint32_t seed)
{
    RandomLayouts source(seed);
    source.knowsBounds = seed % 2 == 0;
    if (seed % 3 != 0)
        source.boundary = {3.5, 0.25};
    return source;
}

} // namespace

class TestJointSearch : public QObject {
    Q_OBJECT

private slots:
    void searchJointly_randomGraphs_equalsBruteForce();
    void searchJointly_threeLayouts_equalsBruteForce();
    void searchJointly_alternationAlone_statesAGap();
    void searchJointly_bounds_saveEvaluations();
    void searchJointly_workedExample_takesWhatLayoutsAloneTake();
    void searchJointly_proportional_oneOperatorIsTheAssumption();
    void searchJointly_stageOfTooManyLayouts_triesSome();
    void searchJointly_nothingPossible_namesTheOperator();
    void searchJointly_stopped_isCancelled();

private:
    void compare(const Case &made, std::uint32_t seed);
    static void check(const Case &made, const JointResult &result, LayoutStageSource &source);

    std::uint32_t m_compared = 0; // cases with a result
};

// What a result says of itself: legal stages, layouts that its operators have, a latency that its parts add up to.
void TestJointSearch::check(const Case &made, const JointResult &result, LayoutStageSource &source)
{
    QVERIFY(verifyStages(made.graph, result.stages));
    const LayoutAssignment &layouts = result.layouts;
    std::set<std::tuple<std::uint32_t, LayoutIndex>> copies;
    for (std::uint32_t tensor = 0; tensor < made.problem.tensors.size(); ++tensor)
        copies.insert({tensor, layouts.tensors[tensor]});
    double us = 0;
    for (const LayoutConversion &conversion : layouts.conversions) {
        us += conversion.latencyUs;
        QVERIFY(copies.contains({conversion.tensor, conversion.from}));
        QVERIFY(copies.insert({conversion.tensor, conversion.to}).second);
    }
    for (std::size_t op = 0; op < made.problem.operators.size(); ++op) {
        for (const std::uint32_t tensor : made.problem.operators[op].inputs)
            QVERIFY(copies.contains({tensor, layouts.operators[op].in}));
    }
    for (const Stage &stage : result.stages) {
        StageLayouts pairs;
        for (const OperatorId id : operatorsOf(stage))
            pairs.push_back(layouts.operators[id.index()]);
        us += (*source.latenciesUs(stage, std::span(&pairs, 1), {}))[0];
    }
    const BoundaryCost cost = source.boundaryCost();
    if (cost.barrierUs == 0)
        QCOMPARE(us, layouts.latencyUs);
    else
        QVERIFY(us <= layouts.latencyUs);
}

void TestJointSearch::compare(const Case &made, std::uint32_t seed)
{
    RandomLayouts source = sourceFor(seed);
    const double leastUs = leastByTrying(made, source);
    const auto result = searchJointly(made.graph, made.blocks, made.problem, source, made.options);
    if (!result && result.error().message.starts_with("no layouts are possible"))
        return; // not even for operators one by one
    if (leastUs == kImpossible) {
        QVERIFY(!result);
        QVERIFY(result.error().message.starts_with("no stages and layouts"));
        return;
    }
    QVERIFY2(result, result ? "" : result.error().message.c_str());
    ++m_compared;
    QVERIFY2(result->layouts.latencyUs == leastUs,
             qPrintable(QString("seed %1: %2, brute force %3").arg(seed).arg(result->layouts.latencyUs).arg(leastUs)));
    QVERIFY(result->proved);
    QCOMPARE(result->lowerBoundUs, leastUs);
    QVERIFY(leastUs <= result->layoutsThenStagesUs);
    QVERIFY(leastUs <= result->stagesThenLayoutsUs);
    check(made, *result, source);
}

void TestJointSearch::searchJointly_randomGraphs_equalsBruteForce()
{
    m_compared = 0;
    std::uint32_t seed = 0;
    for (; m_compared < kGraphs && !QTest::currentTestFailed(); ++seed)
        compare(makeCase(seed), seed);
    QVERIFY2(seed < 2 * kGraphs, qPrintable(QString::number(seed))); // not many are impossible
}

void TestJointSearch::searchJointly_threeLayouts_equalsBruteForce()
{
    for (std::uint32_t seed = 0; seed < kGraphs / 10 && !QTest::currentTestFailed(); ++seed) {
        if (seed % 5 < 3) // up to four operators
            compare(makeCase(seed, 3), seed);
    }
}

void TestJointSearch::searchJointly_alternationAlone_statesAGap()
{
    int open = 0;
    int better = 0;
    for (std::uint32_t seed = 0; seed < kGraphs / 4; ++seed) {
        Case made = makeCase(seed);
        RandomLayouts source = sourceFor(seed);
        const auto exact = searchJointly(made.graph, made.blocks, made.problem, source, made.options);
        if (!exact)
            continue;
        made.options.maxStates = 0;
        const auto alone = searchJointly(made.graph, made.blocks, made.problem, source, made.options);
        if (!alone) {
            QCOMPARE(exact->layoutsThenStagesUs, kImpossible);
            QCOMPARE(exact->stagesThenLayoutsUs, kImpossible);
            continue;
        }
        QVERIFY(alone->lowerBoundUs <= exact->layouts.latencyUs);
        QVERIFY(alone->layouts.latencyUs >= exact->layouts.latencyUs);
        QVERIFY(alone->layouts.latencyUs <= std::min(alone->layoutsThenStagesUs, alone->stagesThenLayoutsUs));
        QVERIFY(!alone->proved || alone->layouts.latencyUs == exact->layouts.latencyUs);
        open += alone->proved ? 0 : 1;
        better += exact->layouts.latencyUs < alone->layouts.latencyUs ? 1 : 0;
        check(made, *alone, source);
    }
    QVERIFY(open > 0);
    QVERIFY(better > 0);
}

// Stages that no good schedule has are not evaluated.
void TestJointSearch::searchJointly_bounds_saveEvaluations()
{
    std::size_t with = 0;
    std::size_t without = 0;
    constexpr std::uint32_t kSeeds = 100; // with fewer, chance decides
    for (std::uint32_t seed = 4; seed < kSeeds; seed += 5) {
        const Case made = makeCase(seed);
        for (const bool knows : {false, true}) {
            RandomLayouts source(seed);
            source.knowsBounds = knows;
            (void)searchJointly(made.graph, made.blocks, made.problem, source, made.options);
            (knows ? with : without) += source.asked.size();
        }
    }
    QVERIFY2(with < without, qPrintable(QString("%1 against %2").arg(with).arg(without)));
}

// The study's: NCHW 0.3 ms; then NHWC 0.5 or NCHW 0.6; a conversion 0.2.
void TestJointSearch::searchJointly_workedExample_takesWhatLayoutsAloneTake()
{
    GraphBuilder builder("chain");
    const TensorId input = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
    const TensorId first = take(builder.add(conv("conv1", {{input}}, 8)));
    (void)take(builder.add(conv("conv2", {{first}}, 8)));
    const Graph graph = take(builder.build());
    LayoutProblem problem = layoutProblemOf(graph, {"NCHW", "NHWC"}, 0);
    problem.operators[0].choices = {{{0, 0}, 300}};
    problem.operators[1].choices = {{{0, 0}, 600}, {{1, 0}, 500}};
    problem.conversionTables[0] = {kImpossible, 200, 200, kImpossible};
    SlowestGroupSource source(problem);
    const auto result = searchJointly(graph, consecutiveBlocks(graph, 1), problem, source, {});
    QVERIFY(result);
    QCOMPARE(result->layouts.latencyUs, 900.0);
    QVERIFY(result->proved);
    QVERIFY(result->layouts.conversions.empty());
}

void TestJointSearch::searchJointly_proportional_oneOperatorIsTheAssumption()
{
    const Case made = makeCase(7);
    LayoutProblem problem = made.problem;
    SharedDevice device(made.graph);
    for (std::size_t i = 0; i < problem.operators.size(); ++i) {
        const Stage alone{0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}};
        const double us = *latencyUs(device, alone);
        problem.operators[i].choices = {{{0, 0}, us}, {{1, 1}, us / 2}};
    }
    ProportionalSource source(made.graph, problem, device);
    const std::vector<StageLayouts> layouts{{{0, 0}}, {{1, 1}}};
    const Stage alone{0, Strategy::Concurrent, {{OperatorId::fromIndex(0)}}};
    const auto us = source.latenciesUs(alone, layouts, {});
    QVERIFY(us);
    QCOMPARE((*us)[0], problem.operators[0].choices[0].latencyUs);
    QCOMPARE((*us)[1], problem.operators[0].choices[1].latencyUs);
    QVERIFY(source.latenciesUs(alone, layouts, {}));
    QCOMPARE(source.asked(), std::int64_t{1});
}

// Four operators side by side have 256 layouts: in some of them the stage is not tried, and nothing is proved.
void TestJointSearch::searchJointly_stageOfTooManyLayouts_triesSome()
{
    GraphBuilder builder("wide");
    const TensorId input = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
    for (int i = 0; i < 4; ++i)
        (void)take(builder.add(conv("op" + std::to_string(i), {{input}}, 8)));
    const Graph graph = take(builder.build());
    LayoutProblem problem = layoutProblemOf(graph, {"NCHW", "NHWC"}, 0);
    for (LayoutProblem::Operator &op : problem.operators)
        op.choices = {{{0, 0}, 100}, {{0, 1}, 90}, {{1, 0}, 95}, {{1, 1}, 20}};
    problem.conversionTables[0] = {kImpossible, 5, 5, kImpossible};
    SlowestGroupSource source(problem);
    JointOptions options;
    options.search.r = 1;
    options.search.s = 4;
    options.maxLayoutsOfStage = 100;
    const auto result = searchJointly(graph, consecutiveBlocks(graph, 1), problem, source, options);
    QVERIFY2(result, result ? "" : result.error().message.c_str());
    // All at once in NHWC: the input is converted once, every output once.
    QCOMPARE(result->layouts.latencyUs, 45.0);
    QCOMPARE(result->stages.size(), std::size_t{1});
    QVERIFY(!result->proved);
    QVERIFY(result->lowerBoundUs <= 20);
}

void TestJointSearch::searchJointly_nothingPossible_namesTheOperator()
{
    Case made = makeCase(3);
    made.problem.operators[1].choices.clear();
    RandomLayouts source(3);
    const auto result = searchJointly(made.graph, made.blocks, made.problem, source, made.options);
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::InvalidInput);
    QVERIFY(result.error().message.find("operator op1 has no latency in any layout") != std::string::npos);
}

void TestJointSearch::searchJointly_stopped_isCancelled()
{
    Case made = makeCase(4);
    RandomLayouts source(4);
    std::stop_source stop;
    stop.request_stop();
    made.options.stop = stop.get_token();
    const auto result = searchJointly(made.graph, made.blocks, made.problem, source, made.options);
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
}

STAGECRAFT_SUITE(TestJointSearch)

} // namespace tst_joint_search
#include "tst_joint_search.moc"
