#include "random_layouts.h"
#include "search/layouts/layout_search.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_layout_search {

namespace {

constexpr int kGraphs = 1000;

LayoutProblem randomProblem(std::uint32_t seed)
{
    const bool three = seed % 3 == 0;
    return randomLayoutProblem(seed, {.operators = 1 + seed % (three ? 6 : 10), .layouts = three ? 3U : 2U});
}

Result<LayoutResult> searched(const LayoutProblem &problem, LayoutPruning::Rule rule,
                              std::vector<std::uint32_t> order = {})
{
    LayoutSearchOptions options;
    options.pruning.rule = rule;
    options.order = std::move(order);
    return searchLayouts(problem, options);
}

double latencyOf(const Result<LayoutResult> &result)
{
    return result ? result->best.latencyUs : kImpossible;
}

// What an assignment costs; kImpossible if a copy is used that nobody made.
double latencyOf(const LayoutProblem &problem, const LayoutAssignment &assignment)
{
    std::vector<LayoutSet> copies(problem.tensors.size());
    for (std::size_t i = 0; i < copies.size(); ++i)
        copies[i] = problem.tensors[i].isInput ? only(problem.fixed) : LayoutSet{0};
    double us = 0;
    const auto convertFor = [&](std::int64_t reader, std::uint32_t tensor) {
        for (const LayoutConversion &made : assignment.conversions) {
            if (made.before != reader || made.tensor != tensor)
                continue;
            if (!has(copies[tensor], made.from) || has(copies[tensor], made.to))
                us = kImpossible;
            copies[tensor] |= only(made.to);
            us += problem.conversionUs(tensor, made.from, made.to);
        }
    };
    for (std::size_t i = 0; i < problem.operators.size(); ++i) {
        const LayoutProblem::Operator &op = problem.operators[i];
        const auto choice = std::ranges::find(op.choices, assignment.operators[i], &LayoutProblem::Choice::layouts);
        if (choice == op.choices.end())
            return kImpossible;
        for (const std::uint32_t tensor : op.inputs) {
            convertFor(static_cast<std::int64_t>(i), tensor);
            if (!has(copies[tensor], choice->layouts.in))
                return kImpossible;
        }
        for (const std::uint32_t tensor : op.outputs)
            copies[tensor] = only(choice->layouts.out);
        us += choice->latencyUs;
    }
    for (std::uint32_t tensor = 0; tensor < copies.size(); ++tensor) {
        if (!problem.tensors[tensor].isOutput)
            continue;
        convertFor(-1, tensor);
        if (!has(copies[tensor], problem.fixed))
            return kImpossible;
    }
    return us;
}

std::vector<std::uint32_t> randomOrder(const LayoutProblem &problem, std::mt19937 &random)
{
    std::vector<bool> isThere(problem.tensors.size());
    for (std::size_t i = 0; i < isThere.size(); ++i)
        isThere[i] = problem.tensors[i].isInput;
    std::vector<std::uint32_t> left(problem.operators.size());
    std::iota(left.begin(), left.end(), 0U);
    std::vector<std::uint32_t> order;
    while (!left.empty()) {
        std::ranges::shuffle(left, random);
        const auto ready = std::ranges::find_if(left, [&](std::uint32_t op) {
            return std::ranges::all_of(problem.operators[op].inputs,
                                       [&](std::uint32_t tensor) { return isThere[tensor]; });
        });
        for (const std::uint32_t tensor : problem.operators[*ready].outputs)
            isThere[tensor] = true;
        order.push_back(*ready);
        left.erase(ready);
    }
    return order;
}

// A chain or fan of operators, given by what they read.
LayoutProblem problemOf(std::vector<std::string> layouts, const std::vector<std::vector<std::uint32_t>> &reads,
                        ConversionTable conversions)
{
    LayoutProblem problem;
    problem.layouts = std::move(layouts);
    problem.conversionTables.push_back(std::move(conversions));
    problem.tensors.push_back({"input", 0, true, false});
    for (const auto &inputs : reads) {
        const auto output = static_cast<std::uint32_t>(problem.tensors.size());
        problem.tensors.push_back({"t" + std::to_string(output), 0, false, true});
        problem.operators.push_back({"op" + std::to_string(output), inputs, {output}, {}});
        for (const std::uint32_t tensor : inputs)
            problem.tensors[tensor].isOutput = false;
    }
    return problem;
}

// The study's search, as published: a state is one layout per tensor, every reader pays for its own, direct conversion,
// and (t1, t2') is dropped if opt(t1, t2) + convert(t2, t2') is not more. For one tensor that several operators read
// one after another.
double publishedUs(const LayoutProblem &problem, bool dropping)
{
    const std::size_t layouts = problem.layouts.size();
    std::vector<double> opt(layouts, kImpossible); // of the tensor that op 0 writes
    for (const LayoutProblem::Choice &choice : problem.operators[0].choices)
        opt[choice.layouts.out] = std::min(opt[choice.layouts.out], choice.latencyUs);
    if (dropping) {
        const std::vector<double> all = opt;
        for (LayoutIndex kept = 0; kept < layouts; ++kept) {
            for (LayoutIndex dropped = 0; dropped < layouts; ++dropped) {
                if (kept != dropped && all[kept] + problem.conversionUs(1, kept, dropped) <= all[dropped])
                    opt[dropped] = kImpossible;
            }
        }
    }
    double best = kImpossible;
    for (LayoutIndex layout = 0; layout < layouts; ++layout) {
        double us = opt[layout];
        for (std::size_t reader = 1; reader < problem.operators.size(); ++reader) {
            double least = kImpossible;
            for (const LayoutProblem::Choice &choice : problem.operators[reader].choices) {
                const LayoutIndex in = choice.layouts.in;
                const double convertUs = in == layout ? 0 : problem.conversionUs(1, layout, in);
                least = std::min(least, choice.latencyUs + convertUs);
            }
            us += least;
        }
        best = std::min(best, us);
    }
    return best;
}

} // namespace

class TestLayoutSearch : public QObject {
    Q_OBJECT

private slots:
    void search_workedExampleOfTheStudy_takes900();
    void search_randomGraphs_equalBruteForce();
    void search_randomGraphs_withoutPruningIsTheSame();
    void search_boundedByAFirstResult_staysExact();
    void search_fiveTopologicalOrders_agree();
    void search_assignment_costsWhatItSays();
    void search_severalReaders_payOneConversion();
    void search_publishedDominance_losesTheOptimumWithSeveralReaders();
    void search_publishedDominance_losesTheOptimumWhereADetourIsCheaper();
    void search_inputThatIsAnOutput_costsNothing();
    void search_threshold_isNeverBetterAndNotProved();
    void search_stateLimit_statesABound();
    void search_nothingPossible_namesTheOperator();
    void search_outputThatCannotBeConverted_isNamed();
    void search_stopped_isCancelled();
    void fastestEach_workedExample_takes1000();
    void allIn_refusedLayout_takesWhatThereIs();
    void withLayouts_one_hasNoConversions();
};

namespace {

// The study's worked example, in microseconds: conv1 NCHW 300; then NHWC 500 or NCHW 600; conversion 200. What follows
// takes either: the example ends with conv2.
LayoutProblem workedExample()
{
    LayoutProblem problem = problemOf({"NCHW", "NHWC"}, {{0}, {1}}, {kImpossible, 200, 200, kImpossible});
    problem.operators[0].choices = {{{0, 0}, 300}};
    problem.operators[1].choices = {{{1, 0}, 500}, {{0, 0}, 600}};
    return problem;
}

} // namespace

void TestLayoutSearch::search_workedExampleOfTheStudy_takes900()
{
    const auto result = searched(workedExample(), LayoutPruning::Rule::Dominance);
    QVERIFY(result);
    QCOMPARE(result->best.latencyUs, 900.0);
    QVERIFY(result->proved);
    QVERIFY(result->best.conversions.empty());
    QCOMPARE(result->best.operators[1], (LayoutPair{0, 0}));
}

void TestLayoutSearch::fastestEach_workedExample_takes1000()
{
    const auto result = searched(fastestEach(workedExample()), LayoutPruning::Rule::Dominance);
    QVERIFY(result);
    QCOMPARE(result->best.latencyUs, 1000.0);
    QCOMPARE(result->best.conversions, (std::vector<LayoutConversion>{{1, 0, 1, 200, 1}}));
}

void TestLayoutSearch::search_randomGraphs_equalBruteForce()
{
    int possible = 0;
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        const LayoutProblem problem = randomProblem(seed);
        const double least = leastLatencyByTrying(problem);
        possible += least < kImpossible ? 1 : 0;
        const auto result = searched(problem, LayoutPruning::Rule::Dominance);
        QCOMPARE(latencyOf(result), least);
        QVERIFY(!result || (result->proved && result->lowerBoundUs == least));
    }
    QVERIFY(possible > kGraphs / 2);
}

void TestLayoutSearch::search_randomGraphs_withoutPruningIsTheSame()
{
    std::int64_t states = 0;
    std::int64_t fewer = 0;
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        const LayoutProblem problem = randomProblem(seed);
        const auto all = searched(problem, LayoutPruning::Rule::None);
        const auto pruned = searched(problem, LayoutPruning::Rule::Dominance);
        QCOMPARE(latencyOf(pruned), latencyOf(all));
        states += all ? all->states : 0;
        fewer += pruned ? pruned->states : 0;
    }
    QVERIFY(fewer < states);
}

void TestLayoutSearch::search_boundedByAFirstResult_staysExact()
{
    std::int64_t states = 0;
    std::int64_t fewer = 0;
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        const LayoutProblem problem = randomProblem(seed);
        LayoutSearchOptions options;
        options.firstStates = 2;
        const auto bounded = searchLayouts(problem, options);
        const auto all = searched(problem, LayoutPruning::Rule::Dominance);
        QCOMPARE(latencyOf(bounded), latencyOf(all));
        QVERIFY(!bounded || (bounded->proved && latencyOf(problem, bounded->best) == bounded->best.latencyUs));
        states += all ? all->states : 0;
        fewer += bounded ? bounded->states : 0;
        options.maxStates = 3; // states go for other reasons, too
        const auto limited = searchLayouts(problem, options);
        if (limited)
            QVERIFY(limited->lowerBoundUs <= latencyOf(all) && latencyOf(all) <= limited->best.latencyUs);
    }
    QVERIFY(fewer < states);
}

void TestLayoutSearch::search_fiveTopologicalOrders_agree()
{
    std::mt19937 random(5);
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const LayoutProblem problem = randomProblem(seed);
        const double us = latencyOf(searched(problem, LayoutPruning::Rule::Dominance));
        for (int order = 0; order < 5; ++order)
            QCOMPARE(latencyOf(searched(problem, LayoutPruning::Rule::Dominance, randomOrder(problem, random))), us);
    }
}

void TestLayoutSearch::search_assignment_costsWhatItSays()
{
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        const LayoutProblem problem = randomProblem(seed);
        const auto result = searched(problem, LayoutPruning::Rule::Dominance);
        if (result)
            QCOMPARE(latencyOf(problem, result->best), result->best.latencyUs);
    }
}

void TestLayoutSearch::search_severalReaders_payOneConversion()
{
    LayoutProblem problem = problemOf({"NCHW", "NHWC"}, {{0}, {1}, {1}, {1}}, {kImpossible, 7, 7, kImpossible});
    problem.operators[0].choices = {{{0, 0}, 1}};
    for (std::size_t reader = 1; reader < 4; ++reader)
        problem.operators[reader].choices = {{{1, 0}, 1}};
    const auto result = searched(problem, LayoutPruning::Rule::Dominance);
    QVERIFY(result);
    QCOMPARE(result->best.latencyUs, 11.0);
    QCOMPARE(result->best.conversions.size(), std::size_t{1});
}

// op1 writes NCHW for 10 or NHWC for 21; NCHW to NHWC costs 10, so the rule drops NHWC. Its three readers need NHWC:
// each of them pays for a conversion then.
void TestLayoutSearch::search_publishedDominance_losesTheOptimumWithSeveralReaders()
{
    LayoutProblem problem = problemOf({"NCHW", "NHWC"}, {{0}, {1}, {1}, {1}}, {kImpossible, 10, 10, kImpossible});
    problem.operators[0].choices = {{{0, 0}, 10}, {{0, 1}, 21}};
    for (std::size_t reader = 1; reader < 4; ++reader)
        problem.operators[reader].choices = {{{1, 0}, 1}};
    QCOMPARE(publishedUs(problem, false), 24.0);
    QCOMPARE(publishedUs(problem, true), 43.0);
    // With one copy for all three it is best to convert, and the rule as it is used here keeps that.
    QCOMPARE(latencyOf(searched(problem, LayoutPruning::Rule::Dominance)), 23.0);
    QCOMPARE(leastLatencyByTrying(problem), 23.0);
}

// L0 to L2 costs 100, by way of L1 it costs 2. The rule drops L1, the only layout that the direct conversion starts
// from.
void TestLayoutSearch::search_publishedDominance_losesTheOptimumWhereADetourIsCheaper()
{
    LayoutProblem problem =
        problemOf({"L0", "L1", "L2"}, {{0}, {1}}, {kImpossible, 1, 100, 1, kImpossible, 1, 100, 1, kImpossible});
    problem.operators[0].choices = {{{0, 0}, 10}, {{0, 1}, 12}};
    problem.operators[1].choices = {{{2, 0}, 1}};
    QCOMPARE(publishedUs(problem, false), 14.0);
    QCOMPARE(publishedUs(problem, true), 111.0);
    const auto result = searched(problem, LayoutPruning::Rule::Dominance);
    QCOMPARE(latencyOf(result), 13.0);
    QCOMPARE(leastLatencyByTrying(problem), 13.0);
    QCOMPARE(result->best.conversions.size(), std::size_t{2});
}

void TestLayoutSearch::search_inputThatIsAnOutput_costsNothing()
{
    LayoutProblem problem = workedExample();
    problem.tensors.push_back({"through", 0, true, true});
    problem.tensors.push_back({"through too", 0, true, true});
    QCOMPARE(latencyOf(searched(problem, LayoutPruning::Rule::None)), 900.0);
}

void TestLayoutSearch::search_threshold_isNeverBetterAndNotProved()
{
    int worse = 0;
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        const LayoutProblem problem = randomProblem(seed);
        LayoutSearchOptions options;
        options.pruning = {LayoutPruning::Rule::Threshold, 1.05};
        const auto result = searchLayouts(problem, options);
        if (!result)
            continue;
        const double least = latencyOf(searched(problem, LayoutPruning::Rule::None));
        QVERIFY(!result->proved);
        QVERIFY(result->best.latencyUs >= least);
        QVERIFY(result->lowerBoundUs <= least);
        worse += result->best.latencyUs > least ? 1 : 0;
    }
    QVERIFY(worse > 0);
}

void TestLayoutSearch::search_stateLimit_statesABound()
{
    int open = 0;
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        const LayoutProblem problem = randomProblem(seed);
        LayoutSearchOptions options;
        options.pruning.rule = LayoutPruning::Rule::None;
        options.maxStates = 2;
        const auto result = searchLayouts(problem, options);
        if (!result)
            continue;
        const double least = latencyOf(searched(problem, LayoutPruning::Rule::None));
        QVERIFY(result->lowerBoundUs <= least && least <= result->best.latencyUs);
        QVERIFY(!result->proved || result->best.latencyUs == least);
        open += result->proved ? 0 : 1;
    }
    QVERIFY(open > 0);
}

void TestLayoutSearch::search_nothingPossible_namesTheOperator()
{
    LayoutProblem problem = workedExample();
    problem.operators[1].choices.clear();
    const auto none = searched(problem, LayoutPruning::Rule::Dominance);
    QVERIFY(!none);
    QCOMPARE(none.error().code, ErrorCode::InvalidInput);
    QCOMPARE(none.error().message, std::string("no layouts are possible: operator op2 has no latency in any layout"));
    problem.operators[1].choices = {{{1, 0}, 500}};
    problem.conversionTables[0] = ConversionTable(4, kImpossible);
    const auto unreachable = searched(problem, LayoutPruning::Rule::Dominance);
    QVERIFY(!unreachable);
    QCOMPARE(unreachable.error().message,
             std::string("no layouts are possible: operator op2 has none that what it reads can be converted to"));
}

void TestLayoutSearch::search_outputThatCannotBeConverted_isNamed()
{
    LayoutProblem problem = workedExample();
    problem.operators[1].choices = {{{0, 1}, 500}};
    problem.conversionTables[0] = ConversionTable(4, kImpossible);
    const auto result = searched(problem, LayoutPruning::Rule::Dominance);
    QVERIFY(!result);
    QCOMPARE(result.error().message, std::string("no layouts are possible: output t2 cannot be converted to NCHW"));
}

void TestLayoutSearch::search_stopped_isCancelled()
{
    std::stop_source stop;
    stop.request_stop();
    LayoutSearchOptions options;
    options.stop = stop.get_token();
    const auto result = searchLayouts(workedExample(), options);
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
}

void TestLayoutSearch::allIn_refusedLayout_takesWhatThereIs()
{
    // conv1 has no NHWC: it stays, and what it writes is converted for conv2, which has.
    const auto result = searched(allIn(workedExample(), 1), LayoutPruning::Rule::Dominance);
    QCOMPARE(latencyOf(result), 1000.0);
    QCOMPARE(latencyOf(searched(allIn(workedExample(), 0), LayoutPruning::Rule::Dominance)), 900.0);
}

void TestLayoutSearch::withLayouts_one_hasNoConversions()
{
    const std::vector<LayoutIndex> kept{0};
    const LayoutProblem problem = withLayouts(workedExample(), kept);
    QCOMPARE(problem.layouts, (std::vector<std::string>{"NCHW"}));
    QCOMPARE(problem.operators[1].choices.size(), std::size_t{1});
    QCOMPARE(latencyOf(searched(problem, LayoutPruning::Rule::Dominance)), 900.0);
}

STAGECRAFT_SUITE(TestLayoutSearch)

} // namespace tst_layout_search
#include "tst_layout_search.moc"
