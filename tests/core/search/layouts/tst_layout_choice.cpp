// Layouts for the stages of a schedule, against every assignment tried, and why an operator is not as it is fastest.

#include "random_layouts.h"
#include "search/layouts/layout_choice.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_layout_choice {

namespace {

constexpr LayoutPair kBothNchw{0, 0};
constexpr LayoutPair kBothNhwc{1, 1};

OperatorId op(std::size_t index)
{
    return OperatorId::fromIndex(index);
}

std::vector<Stage> oneByOne(std::size_t operators)
{
    std::vector<Stage> stages;
    for (std::size_t i = 0; i < operators; ++i)
        stages.push_back({0, Strategy::Concurrent, {{op(i)}}});
    return stages;
}

// The worked example of the layout study, in microseconds; the output may stay as it is.
LayoutProblem example()
{
    LayoutProblem problem;
    problem.layouts = {"NCHW", "NHWC"};
    problem.tensors = {{"input", 0, true, false}, {"between", 0, false, false}, {"output", 0, false, false}};
    problem.operators = {{"conv1", {0}, {1}, {{kBothNchw, 300}}},
                         {"conv2", {1}, {2}, {{kBothNchw, 600}, {kBothNhwc, 500}}}};
    problem.conversionTables = {{kImpossible, 200, 200, kImpossible}};
    return problem;
}

// a and b read the input, c joins what they write. Alone a is fastest in NCHW, b in NHWC.
LayoutProblem branches()
{
    LayoutProblem problem;
    problem.layouts = {"NCHW", "NHWC"};
    problem.tensors = {
        {"input", 0, true, false}, {"a", 0, false, false}, {"b", 0, false, false}, {"c", 0, false, true}};
    problem.operators = {{"a", {0}, {1}, {{kBothNchw, 100}, {kBothNhwc, 130}}},
                         {"b", {0}, {2}, {{kBothNchw, 200}, {kBothNhwc, 120}}},
                         {"c", {1, 2}, {3}, {{kBothNchw, 10}, {kBothNhwc, 10}}}};
    problem.conversionTables = {{kImpossible, 5, 5, kImpossible}};
    return problem;
}

LayoutChoice chosen(const LayoutProblem &problem, std::vector<Stage> stages, std::vector<double> factors = {})
{
    auto choice = chooseLayouts({problem, {}}, std::move(stages), std::move(factors), {});
    if (!choice)
        qFatal("%s", choice.error().message.c_str());
    return std::move(*choice);
}

double leastWith(LayoutProblem problem, std::size_t index)
{
    const double least = fastestAlone(problem, index).latencyUs;
    std::erase_if(problem.operators[index].choices,
                  [least](const LayoutProblem::Choice &choice) { return choice.latencyUs > least; });
    return leastLatencyByTrying(problem);
}

} // namespace

class TestLayoutChoice : public QObject {
    Q_OBJECT

private slots:
    void chooseLayouts_oneByOne_isTheLeast();
    void chooseLayouts_merge_hasOnePair();
    void chooseLayouts_mergeOfOwnInputs_convertsEach();
    void chooseLayouts_mergeWithoutACommonPair_isRefusedByName();
    void chooseLayouts_factors_countOperatorsOfTheirStage();
    void whyNotFastest_workedExample_saysWhatTheStudySays();
    void whyNotFastest_everyOperator_isWhatTryingSays();
    void whyNotFastest_stopped_isCancelled();
};

void TestLayoutChoice::chooseLayouts_oneByOne_isTheLeast()
{
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        const LayoutProblem problem = randomLayoutProblem(seed, {.operators = 1 + seed % 7});
        const auto choice = chooseLayouts({problem, {}}, oneByOne(problem.operators.size()), {}, {});
        QCOMPARE(choice ? choice->found.best.latencyUs : kImpossible, leastLatencyByTrying(problem));
    }
}

// Both in NCHW: 100 + 200 + 10. In NHWC: 5 + 130 + 120 + 10 + 5. Apart, a in NCHW and b in NHWC take 100 + 5 + 120 + 5
// + 10.
void TestLayoutChoice::chooseLayouts_merge_hasOnePair()
{
    const LayoutChoice apart = chosen(branches(), oneByOne(3));
    QVERIFY(apart.found.best.operators[0] == kBothNchw && apart.found.best.operators[1] == kBothNhwc);
    QCOMPARE(apart.found.best.latencyUs, 240.0);
    const LayoutChoice merged =
        chosen(branches(), {{0, Strategy::Merge, {{op(0)}, {op(1)}}}, {0, Strategy::Concurrent, {{op(2)}}}});
    QCOMPARE(merged.found.best.latencyUs, 270.0);
    QVERIFY(merged.found.best.operators[0] == kBothNhwc && merged.found.best.operators[1] == kBothNhwc);
    QVERIFY(merged.found.best.operators[2] == kBothNhwc);
    QCOMPARE(merged.found.best.tensors[1], LayoutIndex{1});
    QCOMPARE(merged.found.best.conversions.size(), std::size_t{2});
    QCOMPARE(merged.found.best.conversions[0].before, std::int64_t{0});
    QVERIFY(merged.found.proved);
}

// In NCHW: 100 + 200 + 10. In NHWC, with both inputs converted and the output: 5 + 5 + 130 + 120 + 10 + 5.
void TestLayoutChoice::chooseLayouts_mergeOfOwnInputs_convertsEach()
{
    LayoutProblem problem = branches();
    problem.tensors.push_back({"input2", 0, true, false});
    problem.operators[1].inputs = {4};
    const auto op = [](std::uint32_t i) { return OperatorId{i}; };
    const LayoutChoice merged =
        chosen(problem, {{0, Strategy::Merge, {{op(0)}, {op(1)}}}, {0, Strategy::Concurrent, {{op(2)}}}});
    QCOMPARE(merged.found.best.latencyUs, 275.0);
    QCOMPARE(merged.found.best.conversions.size(), std::size_t{3});
}

void TestLayoutChoice::chooseLayouts_mergeWithoutACommonPair_isRefusedByName()
{
    LayoutProblem problem = branches();
    problem.operators[0].choices = {{kBothNchw, 100}};
    problem.operators[1].choices = {{kBothNhwc, 120}};
    const auto choice =
        chooseLayouts({problem, {}}, {{0, Strategy::Merge, {{op(0)}, {op(1)}}}, {0, {}, {{op(2)}}}}, {}, {});
    QVERIFY(!choice);
    QVERIFY2(choice.error().message.find("a + b") != std::string::npos, choice.error().message.c_str());
}

// With a quarter of its latency it does not pay for conversions: NCHW, 300 + 0.25 * 600.
void TestLayoutChoice::chooseLayouts_factors_countOperatorsOfTheirStage()
{
    const LayoutChoice choice = chosen(example(), oneByOne(2), {1, 0.25});
    QCOMPARE(choice.found.best.latencyUs, 450.0);
    // Ten times: NHWC, 300 + 200 + 10 * 500.
    QCOMPARE(chosen(example(), oneByOne(2), {1, 10}).found.best.latencyUs, 5500.0);
}

void TestLayoutChoice::whyNotFastest_workedExample_saysWhatTheStudySays()
{
    const LayoutChoice choice = chosen(example(), oneByOne(2));
    QCOMPARE(choice.found.best.latencyUs, 900.0);
    const auto reason = whyNotFastest(choice, op(1), {});
    QVERIFY(reason.has_value());
    QCOMPARE(reason->moreUs, 100.0);
    QCOMPARE(reason->conversions, std::int64_t{1});
    QCOMPARE(reason->conversionsUs, 200.0);
    QVERIFY(!reason->isEstimate);
}

void TestLayoutChoice::whyNotFastest_everyOperator_isWhatTryingSays()
{
    int asked = 0;
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        const LayoutProblem problem = randomLayoutProblem(seed, {.operators = 2 + seed % 5});
        const auto choice = chooseLayouts({problem, {}}, oneByOne(problem.operators.size()), {}, {});
        for (std::size_t i = 0; choice && i < problem.operators.size(); ++i) {
            const auto reason = whyNotFastest(*choice, op(i), {});
            QVERIFY(reason.has_value());
            const double least = leastWith(problem, i);
            QCOMPARE(reason->moreUs, least == kImpossible ? kImpossible : least - choice->found.best.latencyUs);
            ++asked;
        }
    }
    QVERIFY(asked > 100);
}

void TestLayoutChoice::whyNotFastest_stopped_isCancelled()
{
    const LayoutChoice choice = chosen(example(), oneByOne(2));
    std::stop_source stop;
    stop.request_stop();
    LayoutSearchOptions options;
    options.stop = stop.get_token();
    QCOMPARE(whyNotFastest(choice, op(1), options).error().code, ErrorCode::Cancelled);
}

STAGECRAFT_SUITE(TestLayoutChoice)

} // namespace tst_layout_choice
#include "tst_layout_choice.moc"
