// Common cuts of schedules, and pairs of corresponding stages.

#include "graph/operator_cost.h"
#include "schedule/compare/difference.h"
#include "schedule/compare/latency_parts.h"
#include "schedule/compare/stage_pairs.h"
#include "schedule/verify.h"
#include "support/random_edits.h"
#include "support/suite.h"

#include <QtTest>
#include <set>
#include <tuple>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_spans {

namespace {

std::set<OperatorId> finishedBy(StageList stages)
{
    std::set<OperatorId> result;
    for (const Stage &stage : stages) {
        for (const OperatorId id : operatorsOf(stage))
            result.insert(id);
    }
    return result;
}

StageList sideOf(StageList stages, StageRange side)
{
    return stages.subspan(side.first, side.count);
}

std::vector<Stage> edited(RandomEdits &random, std::vector<Stage> stages, std::uint32_t steps)
{
    for (std::uint32_t step = 0; step < steps; ++step) {
        if (auto result = applyEdit(random.graph, random.blocks, stages, random.anyEdit(stages, stages)))
            stages = result->stages;
    }
    return stages;
}

// The most that stages can share, from trying every order-preserving pairing.
std::pair<std::size_t, double> mostShared(const Graph &graph, StageList a, StageList b)
{
    if (a.empty() || b.empty())
        return {0, 0};
    auto best = std::max(mostShared(graph, a.subspan(1), b), mostShared(graph, a, b.subspan(1)));
    std::pair<std::size_t, double> pair{0, 0};
    for (const OperatorId id : finishedBy(a.first(1))) {
        if (finishedBy(b.first(1)).contains(id)) {
            ++pair.first;
            pair.second += flops(graph, id);
        }
    }
    const auto rest = mostShared(graph, a.subspan(1), b.subspan(1));
    return std::max(best, {pair.first + rest.first, pair.second + rest.second});
}

} // namespace

class TestSpans : public QObject {
    Q_OBJECT

private slots:
    void commonSpans_randomSchedules_areTheShortest()
    {
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            RandomEdits random(seed, 6 + static_cast<int>(seed % 12), 1 + seed % 3);
            std::vector<std::vector<Stage>> all{random.sequential()};
            for (std::uint32_t i = 0; i < 1 + seed % 3; ++i)
                all.push_back(edited(random, all.front(), 3 + seed % 25));
            std::ranges::shuffle(all, random.engine);
            const std::vector<StageList> schedules(all.begin(), all.end());

            // By definition: the sets of operators that have run after some stage in each of them.
            std::set<std::set<OperatorId>> cuts;
            for (std::size_t i = 1; i <= all.front().size(); ++i) {
                const auto finished = finishedBy(schedules.front().first(i));
                if (std::ranges::all_of(schedules, [&](StageList stages) {
                        for (std::size_t k = 1; k <= stages.size(); ++k) {
                            if (finishedBy(stages.first(k)) == finished)
                                return true;
                        }
                        return false;
                    }))
                    cuts.insert(finished);
            }
            const auto spans = commonSpans(schedules);
            QCOMPARE(spans.size(), cuts.size());
            std::vector<std::size_t> at(schedules.size());
            for (const CommonSpan &span : spans) {
                bool isEqual = true;
                for (std::size_t s = 0; s < schedules.size(); ++s) {
                    const StageList side = sideOf(schedules[s], span.sides[s]);
                    QVERIFY(!side.empty());
                    QCOMPARE(span.sides[s].first, std::exchange(at[s], span.sides[s].end()));
                    QVERIFY(cuts.contains(finishedBy(schedules[s].first(at[s]))));
                    QVERIFY(std::ranges::all_of(side, [&](const Stage &stage) { return stage.block == span.block; }));
                    isEqual = isEqual && std::ranges::equal(side, sideOf(schedules[0], span.sides[0]));
                }
                QCOMPARE(span.isEqual, isEqual);
            }
            for (std::size_t s = 0; s < schedules.size(); ++s)
                QCOMPARE(at[s], schedules[s].size());
        }
    }

    void takeSpan_anySpan_isLegalAndEqualThen()
    {
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            RandomEdits random(seed, 6 + static_cast<int>(seed % 12), 1 + seed % 3);
            auto stages = edited(random, random.sequential(), 20);
            const auto other = edited(random, random.sequential(), 20);
            for (;;) {
                const auto spans = commonSpans({stages, other});
                const auto span = std::ranges::find(spans, false, &CommonSpan::isEqual);
                if (span == spans.end())
                    break;
                const ReplaceStages taken = takeSpan(span->sides[0], other, span->sides[1]);
                QVERIFY(taken.words.starts_with("Take stage"));
                auto result = applyEdit(random.graph, random.blocks, stages, taken);
                QVERIFY2(result, result ? "" : result.error().message.c_str());
                stages = result->stages;
                TimedSchedule schedule;
                schedule.stages = stages;
                QVERIFY(verifySchedule(random.graph, random.blocks, schedule));
            }
            QVERIFY(stages == other);
        }
    }

    void pairStages_randomSpans_shareTheMost()
    {
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            RandomEdits random(seed, 6 + static_cast<int>(seed % 8), 1);
            const auto a = edited(random, random.sequential(), 25);
            const auto b = edited(random, random.sequential(), 25);
            for (const CommonSpan &span : commonSpans({a, b})) {
                std::size_t nextA = span.sides[0].first, nextB = span.sides[1].first;
                std::pair<std::size_t, double> shared{0, 0};
                for (const StagePair &pair : pairStages(random.graph, a, span.sides[0], b, span.sides[1])) {
                    QVERIFY(pair.a || pair.b);
                    if (pair.a)
                        QCOMPARE(*pair.a, nextA++);
                    if (pair.b)
                        QCOMPARE(*pair.b, nextB++);
                    if (!pair.a || !pair.b) {
                        QVERIFY(pair.added.empty() && pair.removed.empty() && !pair.hasSameOperators());
                        continue;
                    }
                    const auto inA = finishedBy({&a[*pair.a], 1});
                    auto changed = inA;
                    for (const OperatorId id : pair.removed)
                        QCOMPARE(changed.erase(id), std::size_t(1));
                    QVERIFY(!changed.empty());
                    for (const OperatorId id : changed) {
                        ++shared.first;
                        shared.second += flops(random.graph, id);
                    }
                    for (const OperatorId id : pair.added)
                        QVERIFY(changed.insert(id).second);
                    QVERIFY(changed == finishedBy({&b[*pair.b], 1}));
                    QCOMPARE(pair.hasSameOperators(), inA == changed);
                }
                QCOMPARE(nextA, span.sides[0].end());
                QCOMPARE(nextB, span.sides[1].end());
                const auto most = mostShared(random.graph, sideOf(a, span.sides[0]), sideOf(b, span.sides[1]));
                QCOMPARE(shared.first, most.first);
                QCOMPARE(shared.second, most.second);
            }
        }
    }

    void difference_randomSchedules_partsAddUp()
    {
        for (std::uint32_t seed = 0; seed < 100; ++seed) {
            RandomEdits random(seed, 6 + static_cast<int>(seed % 12), 1 + seed % 3);
            std::vector<TimedSchedule> schedules(2 + seed % 3);
            std::vector<const TimedSchedule *> all;
            for (TimedSchedule &schedule : schedules) {
                schedule.stages = edited(random, random.sequential(), 15);
                schedule.measured.whole = Timing::ofLatency(1000);
                for (std::size_t i = 0; i < schedule.stages.size(); ++i)
                    schedule.measured.stages.push_back(Timing::ofLatency(static_cast<double>(1 + random.below(50))));
                all.push_back(&schedule);
            }
            const ScheduleDifference found = scheduleDifference(all);
            QCOMPARE(found.blocks.size(), random.blocks.size());
            for (std::size_t i = 0; i < schedules.size(); ++i) {
                double wholeUs = *found.betweenStagesUs[i];
                std::size_t stages = 0;
                for (const BlockDifference &block : found.blocks) {
                    double blockUs = 0;
                    for (const SpanDifference &part : block.spans) {
                        blockUs += *part.us[i];
                        QCOMPARE(part.span.block, block.block);
                        QCOMPARE(part.span.sides[i].first, std::exchange(stages, part.span.sides[i].end()));
                    }
                    QCOMPARE(*block.us[i], blockUs);
                    QCOMPARE(block.sides[i].end(), stages);
                    QCOMPARE(block.isEqual(), std::ranges::all_of(all, [&](const TimedSchedule *other) {
                                 const auto of = [&](const TimedSchedule &schedule) {
                                     std::vector<Stage> own;
                                     std::ranges::copy_if(
                                         schedule.stages, std::back_inserter(own),
                                         [&](const Stage &stage) { return stage.block == block.block; });
                                     return own;
                                 };
                                 return of(*other) == of(*all.front());
                             }));
                    wholeUs += blockUs;
                }
                QCOMPARE(wholeUs, *found.wholeUs[i]);
            }
        }
    }

    // On a simulated device, which charges barriers only: stages, barriers inside and between blocks are the whole.
    void latencyParts_simulated_partsAddUp()
    {
        constexpr double kBarrierUs = 8.25;
        int withBarriers = 0;
        for (std::uint32_t seed = 0; seed < 60; ++seed) {
            RandomEdits random(seed, 6 + static_cast<int>(seed % 12), 1 + seed % 3);
            TimedSchedule schedule;
            schedule.measured.provenance = Provenance::Simulated;
            schedule.stages = edited(random, random.sequential(), 15);
            double us = 0;
            std::size_t barriers = 0;
            for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
                schedule.measured.stages.push_back(Timing::ofLatency(static_cast<double>(1 + random.below(50))));
                us += schedule.measured.stages.back().latencyUs;
                const auto groups = [&](std::size_t stage) { return schedule.stages[stage].concurrentGroups(); };
                barriers += i > 0 && (groups(i - 1) > 1 || groups(i) > 1);
            }
            schedule.measured.whole = Timing::ofLatency(us + kBarrierUs * static_cast<double>(barriers));
            const auto whole = latencyParts(schedule);
            QVERIFY(whole);
            QCOMPARE(whole->barriers, barriers);
            QCOMPARE(whole->stagesUs, us);
            QCOMPARE(whole->latencyUs(), schedule.measured.whole->latencyUs);
            QCOMPARE(*restUs(schedule), 0.0);
            QCOMPARE(barrierUs(schedule).has_value(), barriers > 0);
            withBarriers += barriers > 0;
            const ScheduleDifference found = scheduleDifference(std::vector<const TimedSchedule *>{&schedule});
            double sumUs = *found.betweenBlocks.us[0];
            std::size_t sum = found.betweenBlocks.barriers[0];
            const std::vector<LatencyParts> blocks = blockParts(schedule);
            QCOMPARE(blocks.size(), found.blocks.size());
            for (std::size_t b = 0; b < blocks.size(); ++b) {
                QCOMPARE(blocks[b].stages, stagesOfBlock(schedule.stages, found.blocks[b].block));
                QCOMPARE(blocks[b].latencyUs(), *found.blocks[b].us[0] + *found.blocks[b].inside.us[0]);
                sumUs += blocks[b].latencyUs();
                sum += blocks[b].barriers;
            }
            QCOMPARE(sumUs, schedule.measured.whole->latencyUs);
            QCOMPARE(sum, barriers);
        }
        QVERIFY(withBarriers > 0);
    }

    void latencyParts_oneGroupAStage_hasNoBarriers()
    {
        const RandomEdits random(1, 6, 2);
        TimedSchedule schedule;
        schedule.stages = random.sequential();
        schedule.measured.stages.assign(schedule.stages.size(), Timing::ofLatency(2));
        schedule.measured.whole = Timing::ofLatency(12);
        schedule.measured.provenance = Provenance::Simulated;
        QCOMPARE(latencyParts(schedule)->barriers, std::size_t{0});
        QVERIFY(!barrierUs(schedule)); // it tells nothing about them
        QCOMPARE(*restUs(schedule), 0.0);
        QCOMPARE(scheduleDifference(std::vector<const TimedSchedule *>{&schedule}).betweenBlocks.us, (LatenciesUs{0}));
    }

    // Measured ones have no price of a barrier: what is beyond the stages is the rest.
    void latencyParts_measured_leaveBarriersInTheRest_data()
    {
        QTest::addColumn<int>("provenance");
        QTest::addColumn<bool>("isSum");
        QTest::addRow("measured") << static_cast<int>(Provenance::Measured) << false;
        QTest::addRow("recorded") << static_cast<int>(Provenance::Recorded) << false;
        QTest::addRow("a sum of stages") << static_cast<int>(Provenance::Recorded) << true;
    }
    void latencyParts_measured_leaveBarriersInTheRest()
    {
        QFETCH(int, provenance);
        QFETCH(bool, isSum);
        TimedSchedule schedule;
        schedule.stages = {{0, Strategy::Concurrent, {{OperatorId(0)}, {OperatorId(1)}}},
                           {0, Strategy::Concurrent, {{OperatorId(2)}}}};
        schedule.measured.stages = {Timing::ofLatency(5), Timing::ofLatency(3)};
        schedule.measured.whole = Timing::ofLatency(isSum ? 8 : 9.5);
        schedule.measured.how = isSum ? MeasuredHow::SumOfStages : MeasuredHow::Alone;
        schedule.measured.provenance = static_cast<Provenance>(provenance);
        const auto parts = latencyParts(schedule);
        QCOMPARE(parts->barriers, std::size_t{1});
        QCOMPARE(parts->latencyUs(), 8.0);
        QVERIFY(!barrierUs(schedule));
        QCOMPARE(restUs(schedule), isSum ? std::nullopt : std::optional(1.5));
        const ScheduleDifference found = scheduleDifference(std::vector<const TimedSchedule *>{&schedule});
        QVERIFY(!found.areBarriersKnown() && !found.blocks[0].inside.us[0]);
        schedule.measured.stages.clear();
        QVERIFY(!latencyParts(schedule) && !restUs(schedule) && blockParts(schedule).empty());
    }

    void difference_unknownLatencies_staysUnknown()
    {
        const RandomEdits random(1, 6, 2);
        TimedSchedule timed, untimed;
        timed.stages = untimed.stages = random.sequential();
        timed.measured.stages.assign(timed.stages.size(), Timing::ofLatency(2));
        timed.measured.whole = Timing::ofLatency(15);
        const std::vector<const TimedSchedule *> all{&timed, &untimed};
        const ScheduleDifference found = scheduleDifference(all);
        QCOMPARE(found.wholeUs, (LatenciesUs{15, std::nullopt}));
        QCOMPARE(found.betweenStagesUs, (LatenciesUs{3, std::nullopt}));
        QCOMPARE(found.blocks.front().us, (LatenciesUs{6, std::nullopt}));
        QVERIFY(found.blocks.front().isEqual());
    }
};

STAGECRAFT_SUITE(TestSpans)

} // namespace tst_spans
#include "tst_spans.moc"
