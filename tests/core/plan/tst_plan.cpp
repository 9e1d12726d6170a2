// Plans without a backend: what every task reads is what was written, buffers live as long as they are needed, and what
// is joined, merged or split costs a task only where it has to.

#include "plan/plan.h"
#include "plan_cases.h"
#include "plan_execution.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;
using plan::MemoryRules;
using plan::Plan;
using plan::Task;
using plan::TensorLayout;

namespace tst_plan {

namespace {

constexpr int kRounds = 400;

// With scratch memory for the backend, of a size that differs between operators.
Plan planned(const PlanCase &made)
{
    Plan plan = take(plan::planStages(*made.graph, made.tensors, made.stages, inputForm));
    std::size_t bytes = 0;
    for (const plan::StagePlan &stage : plan.stages) {
        for (const plan::GroupPlan &group : stage.groups) {
            plan::GroupScratch scratch(plan, group);
            for (const plan::OperatorTasks &op : group.operators) {
                scratch.begin(op);
                (void)scratch.reserve((bytes += 100) % 700);
            }
        }
    }
    plan::arrangeArena(plan);
    return plan;
}

PlanCase inception(TensorLayout layout, MemoryRules::Strided strided, std::int64_t batch = 1)
{
    PlanCase made{inceptionModule(16, batch), {}, mergedSchedule().stages};
    const std::vector<TensorLayout> layouts(made.graph->tensors().size(), layout);
    made.tensors = plan::planTensors(*made.graph, layouts, {64, 4, strided, 1});
    return made;
}

template <typename Visit>
void forEachTask(const Plan &plan, const Visit &visit)
{
    for (const plan::StagePlan &stage : plan.stages) {
        for (const plan::GroupPlan &group : stage.groups) {
            for (const plan::OperatorTasks &op : group.operators) {
                for (const Task &task : op.tasks)
                    visit(task);
            }
        }
    }
}

std::size_t count(const Plan &plan, Task::Kind kind)
{
    std::size_t tasks = 0;
    forEachTask(plan, [&](const Task &task) { tasks += task.kind == kind; });
    return tasks;
}

// By definition: every use of a tensor keeps its buffer, what comes from outside and outputs of the graph stay.
std::vector<plan::BufferLife> livesOf(const Graph &graph, std::span<const Stage> stages, const Plan &plan)
{
    std::vector<std::set<std::size_t>> uses(plan.buffers.size());
    const auto bufferOf = [&](TensorId tensor) { return plan.tensors[tensor.index()]->index; };
    std::set<TensorId> produced;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        for (const auto &group : stages[stage].groups) {
            for (const OperatorId id : group) {
                for (const auto &part : graph.op(id).inputs) {
                    for (const TensorId tensor : part)
                        uses[bufferOf(tensor)].insert(stage);
                }
                for (const TensorId tensor : graph.op(id).outputs) {
                    uses[bufferOf(tensor)].insert(stage);
                    produced.insert(tensor);
                }
            }
        }
        for (const plan::GroupPlan &group : plan.stages[stage].groups) {
            uses[group.scratchBuffer].insert(stage);
            for (const plan::OperatorTasks &op : group.operators) {
                for (const Task &task : op.tasks)
                    uses[task.output().index].insert(stage);
            }
        }
    }
    const std::size_t last = stages.size() - 1;
    for (const TensorId tensor : plan.outside)
        uses[bufferOf(tensor)].insert({0, last});
    for (const TensorId tensor : graph.outputs()) {
        if (produced.contains(tensor))
            uses[bufferOf(tensor)].insert(last);
    }
    std::vector<plan::BufferLife> lives;
    for (std::size_t buffer = 0; buffer < plan.buffers.size(); ++buffer)
        lives.push_back({plan.buffers[buffer].bytes, *uses[buffer].begin(), *uses[buffer].rbegin()});
    return lives;
}

} // namespace

class TestPlan : public QObject {
    Q_OBJECT

private slots:
    void planStages_randomGraphs_readWhatWasWritten();
    void planStages_randomGraphs_eachStageAlone_readsWhatWasWritten();
    void planStages_brokenArena_isFound();
    void planStages_randomGraphs_buffersLiveAsLongAsTheyAreUsed();
    void planStages_randomGraphs_arenasHoldNoMoreThanTheirBuffers();
    void planStages_randomGraphs_readDenseViewsUnlessToldOtherwise();
    void planStages_twice_isTheSame();
    void planStages_joinOfAliases_costsNoTask();
    void planStages_merge_splitsOnlyWhatIsJoinedElsewhere();
    void planStages_mergeWithChannelsLast_splitsWhatKernelsRead();
    void planStages_joinOfAMerge_isItsOutput();
    void planStages_membersOfAMerge_liveUntilTheLastIsRead();
    void planStages_refusedOperator_isNotPlanned();
    void planTensors_tensorJoinedTwice_hasNoAlias();
    void planTensors_unevenChannels_haveNoAlias();
};

void TestPlan::planStages_randomGraphs_readWhatWasWritten()
{
    std::minstd_rand random(5);
    std::size_t merges = 0;
    std::size_t slices = 0;
    std::size_t joins = 0;
    for (int round = 0; round < kRounds; ++round) {
        const PlanCase made = randomPlanCase(random);
        const Plan plan = planned(made);
        for (const GroupOrder order : {GroupOrder::Ascending, GroupOrder::Descending, GroupOrder::InTurns}) {
            const QString wrong = wrongValue(*made.graph, made.tensors, plan, order);
            QVERIFY2(wrong.isEmpty(), qPrintable(QString("round %1: %2").arg(round).arg(wrong)));
        }
        merges += count(plan, Task::Kind::Merged);
        slices += count(plan, Task::Kind::Slice);
        joins += count(plan, Task::Kind::Join);
    }
    QVERIFY(merges > 50 && slices > 50 && joins > 200);
}

void TestPlan::planStages_randomGraphs_eachStageAlone_readsWhatWasWritten()
{
    std::minstd_rand random(6);
    for (int round = 0; round < kRounds / 8; ++round) {
        PlanCase made = randomPlanCase(random);
        const std::vector<Stage> all = made.stages;
        for (const Stage &stage : all) {
            made.stages = {stage};
            QCOMPARE(wrongValue(*made.graph, made.tensors, planned(made), GroupOrder::InTurns), QString());
        }
    }
}

// The check above can fail: buffers that live at once share bytes.
void TestPlan::planStages_brokenArena_isFound()
{
    const PlanCase made = inception(TensorLayout::RowMajor, MemoryRules::Strided::Never);
    Plan plan = planned(made);
    QCOMPARE(wrongValue(*made.graph, made.tensors, plan, GroupOrder::Ascending), QString());
    std::ranges::fill(plan.arena.offsets, 0);
    QVERIFY(wrongValue(*made.graph, made.tensors, plan, GroupOrder::Ascending).endsWith("is not what was written"));
}

void TestPlan::planStages_randomGraphs_buffersLiveAsLongAsTheyAreUsed()
{
    std::minstd_rand random(8);
    for (int round = 0; round < kRounds; ++round) {
        const PlanCase made = randomPlanCase(random);
        const Plan plan = planned(made);
        const std::vector<plan::BufferLife> lives = livesOf(*made.graph, made.stages, plan);
        QVERIFY(plan.buffers == lives);
        const std::vector<std::size_t> live = plan.liveBytes();
        for (std::size_t stage = 0; stage < made.stages.size(); ++stage) {
            std::size_t bytes = 0;
            for (const plan::BufferLife &life : lives)
                bytes += life.isLive(stage) ? life.bytes : 0;
            QCOMPARE(live[stage], bytes);
        }
    }
}

void TestPlan::planStages_randomGraphs_arenasHoldNoMoreThanTheirBuffers()
{
    std::minstd_rand random(9);
    for (int round = 0; round < kRounds; ++round) {
        const PlanCase made = randomPlanCase(random);
        const Plan plan = planned(made);
        std::size_t sum = 0;
        for (std::size_t a = 0; a < plan.buffers.size(); ++a) {
            const std::size_t end = plan.arena.offsets[a] + plan.buffers[a].bytes;
            QVERIFY(plan.arena.offsets[a] % made.tensors.rules.alignment == 0 && end <= plan.arena.bytes);
            for (std::size_t b = 0; b < a; ++b) {
                const bool together = plan.buffers[a].firstStage <= plan.buffers[b].lastStage &&
                                      plan.buffers[b].firstStage <= plan.buffers[a].lastStage;
                const std::size_t endOfOther = plan.arena.offsets[b] + plan.buffers[b].bytes;
                QVERIFY(!together || end <= plan.arena.offsets[b] || endOfOther <= plan.arena.offsets[a]);
            }
            sum += plan::aligned(plan.buffers[a].bytes, made.tensors.rules.alignment);
        }
        QVERIFY(plan.arena.bytes <= sum && plan.arena.bytes >= std::ranges::max(plan.liveBytes()));
    }
}

// Where a backend does not take channels that lie apart, its operators neither read nor write them.
void TestPlan::planStages_randomGraphs_readDenseViewsUnlessToldOtherwise()
{
    std::minstd_rand random(10);
    std::size_t apart = 0;
    for (int round = 0; round < kRounds; ++round) {
        const PlanCase made = randomPlanCase(random);
        forEachTask(planned(made), [&](const Task &task) {
            const auto isApart = [](const plan::View &view) {
                return view.block == 1 && !isDense(view, TensorLayout::RowMajor) &&
                       !isDense(view, TensorLayout::ChannelsLast);
            };
            bool found = std::ranges::any_of(task.writes, isApart);
            for (const plan::Part &part : task.reads)
                found = found || std::ranges::any_of(part.summands, isApart);
            apart += found;
            const auto strided = made.tensors.rules.strided;
            QVERIFY(!found || strided == MemoryRules::Strided::Always ||
                    (strided == MemoryRules::Strided::ReadByJoins && task.kind == Task::Kind::Join));
        });
    }
    QVERIFY(apart > 50);
}

void TestPlan::planStages_twice_isTheSame()
{
    std::minstd_rand random(12);
    for (int round = 0; round < 20; ++round) {
        const PlanCase made = randomPlanCase(random);
        const Plan first = planned(made);
        const Plan second = planned(made);
        QVERIFY(first.tensors == second.tensors && first.buffers == second.buffers && first.arena == second.arena &&
                first.outside == second.outside);
        std::vector<plan::View> views;
        forEachTask(first, [&](const Task &task) { views.push_back(task.output()); });
        std::size_t next = 0;
        forEachTask(second, [&](const Task &task) { QVERIFY(task.output() == views[next++]); });
        QCOMPARE(next, views.size());
    }
}

void TestPlan::planStages_joinOfAliases_costsNoTask()
{
    PlanCase made = inception(TensorLayout::Blocked8, MemoryRules::Strided::Never);
    made.stages.clear();
    for (std::size_t id = 0; id < made.graph->size(); ++id)
        made.stages.push_back({0, Strategy::Concurrent, {{OperatorId::fromIndex(id)}}});
    const Plan plan = planned(made);
    QCOMPARE(count(plan, Task::Kind::Join), std::size_t{0});
    QCOMPARE(count(plan, Task::Kind::Run), made.graph->size() - 1);
}

// Members 1 and 4 are joined later and have aliases apart from each other; member 2 is read in place.
void TestPlan::planStages_merge_splitsOnlyWhatIsJoinedElsewhere()
{
    const PlanCase made = inception(TensorLayout::RowMajor, MemoryRules::Strided::Always, 2);
    const Plan plan = planned(made);
    QCOMPARE(count(plan, Task::Kind::Merged), std::size_t{1});
    QCOMPARE(count(plan, Task::Kind::Slice), std::size_t{2});
    const plan::View &merged = plan.stages[1].groups[0].operators[0].tasks[0].output();
    QCOMPARE(plan.tensors[made.graph->op(OperatorId{2}).outputs.front().index()]->index, merged.index);
}

// A kernel that takes no channels apart gets its own copy; a join reads them where they are.
void TestPlan::planStages_mergeWithChannelsLast_splitsWhatKernelsRead()
{
    const PlanCase never = inception(TensorLayout::ChannelsLast, MemoryRules::Strided::Never);
    QCOMPARE(count(planned(never), Task::Kind::Slice), std::size_t{3});
    const PlanCase byJoins = inception(TensorLayout::ChannelsLast, MemoryRules::Strided::ReadByJoins);
    QCOMPARE(count(planned(byJoins), Task::Kind::Slice), std::size_t{1});
}

void TestPlan::planStages_joinOfAMerge_isItsOutput()
{
    for (const auto strided : {MemoryRules::Strided::ReadByJoins, MemoryRules::Strided::Always}) {
        NetworkMaker maker(Shape{{2, 8, 3, 3}});
        const TensorId a = maker.conv({{maker.x()}}, 6, Window{});
        const TensorId b = maker.conv({{maker.x()}}, 10, Window{});
        const TensorId joined = maker.join({{a}, {b}});
        PlanCase made{
            maker.build(),
            {},
            {{0, Strategy::Merge, {{OperatorId{0}}, {OperatorId{1}}}}, {0, Strategy::Concurrent, {{OperatorId{2}}}}}};
        const std::vector<TensorLayout> layouts(made.graph->tensors().size(), TensorLayout::ChannelsLast);
        made.tensors = plan::planTensors(*made.graph, layouts, {64, 4, strided, 16}); // 6 channels: 24 bytes
        const Plan plan = planned(made);
        QVERIFY(!made.tensors.aliases[a.index()]);
        QCOMPARE(count(plan, Task::Kind::Slice) + count(plan, Task::Kind::Join), std::size_t{0});
        QVERIFY(*plan.tensors[joined.index()] == plan.stages[0].groups[0].operators[0].tasks[0].output());
        QCOMPARE(wrongValue(*made.graph, made.tensors, plan, GroupOrder::Ascending), QString());
    }
}

void TestPlan::planStages_membersOfAMerge_liveUntilTheLastIsRead()
{
    NetworkMaker maker(Shape{{1, 8, 4, 4}});
    const TensorId a = maker.conv({{maker.x()}}, 8, Window{});
    const TensorId b = maker.conv({{maker.x()}}, 8, Window{});
    const TensorId c = maker.conv({{a}}, 8, Window{});
    (void)maker.join({{b, c}});
    PlanCase made{maker.build(), {}, {{0, Strategy::Merge, {{OperatorId{0}}, {OperatorId{1}}}}}};
    for (const std::uint32_t id : {2U, 3U})
        made.stages.push_back({0, Strategy::Concurrent, {{OperatorId{id}}}});
    const std::vector<TensorLayout> layouts(made.graph->tensors().size());
    made.tensors = plan::planTensors(*made.graph, layouts, {64, 4, MemoryRules::Strided::Never, 1});
    const Plan plan = planned(made);
    const std::size_t merged = plan.tensors[a.index()]->index;
    QCOMPARE(plan.tensors[b.index()]->index, merged);
    QCOMPARE(plan.buffers[merged].lastStage, std::size_t{2}); // b is read there, a one stage before
    QCOMPARE(plan.buffers[merged].bytes, std::size_t{2 * 8 * 16 * 4});
}

void TestPlan::planStages_refusedOperator_isNotPlanned()
{
    const PlanCase made = inception(TensorLayout::RowMajor, MemoryRules::Strided::Never);
    for (const OperatorId refused : {OperatorId{2}, OperatorId{6}}) { // in a merge, and alone
        const auto plan = plan::planStages(*made.graph, made.tensors, made.stages,
                                           [&](const Graph &graph, OperatorId id) -> Result<plan::InputForm> {
                                               if (id == refused)
                                                   return within("operator " + graph.op(id).name,
                                                                 Error{ErrorCode::InvalidInput, "has no task", {}, {}});
                                               return plan::InputForm::Joined;
                                           });
        QVERIFY(!plan);
        QCOMPARE(plan.error().context.front(), "operator " + made.graph->op(refused).name);
    }
}

void TestPlan::planTensors_tensorJoinedTwice_hasNoAlias()
{
    NetworkMaker maker(Shape{{1, 8, 4, 4}});
    const TensorId a = maker.conv({{maker.x()}}, 8, Window{});
    const TensorId b = maker.conv({{maker.x()}}, 8, Window{});
    (void)maker.join({{a}, {b}});
    const TensorId second = maker.join({{a}, {maker.x()}});
    const auto graph = maker.build();
    const auto tensors = plan::planTensors(*graph, std::vector<TensorLayout>(graph->tensors().size()), {});
    QVERIFY(!tensors.aliases[a.index()]);
    QVERIFY(tensors.aliases[b.index()] && tensors.aliases[b.index()]->channel == 8);
    QVERIFY(!tensors.aliases[maker.x().index()]); // nobody writes it
    QVERIFY(!tensors.aliases[second.index()]);
}

void TestPlan::planTensors_unevenChannels_haveNoAlias()
{
    NetworkMaker maker(Shape{{1, 8, 4, 4}});
    const TensorId a = maker.conv({{maker.x()}}, 8, Window{});
    const TensorId b = maker.conv({{maker.x()}}, 6, Window{});
    const TensorId c = maker.conv({{maker.x()}}, 8, Window{});
    (void)maker.join({{a}, {b}, {c}});
    const auto graph = maker.build();
    const auto aliases = [&](TensorLayout layout, MemoryRules::Strided strided, std::int64_t strideBytes) {
        const std::vector<TensorLayout> layouts(graph->tensors().size(), layout);
        const auto tensors = plan::planTensors(*graph, layouts, {64, 4, strided, strideBytes});
        std::vector<bool> found;
        for (const TensorId tensor : {a, b, c})
            found.push_back(tensors.aliases[tensor.index()].has_value());
        return found;
    };
    using Found = std::vector<bool>;
    QVERIFY(aliases(TensorLayout::RowMajor, MemoryRules::Strided::Never, 1) == (Found{true, true, true}));
    QVERIFY(aliases(TensorLayout::Blocked8, MemoryRules::Strided::Never, 1) == (Found{true, false, false}));
    QVERIFY(aliases(TensorLayout::ChannelsLast, MemoryRules::Strided::Never, 1) == (Found{false, false, false}));
    QVERIFY(aliases(TensorLayout::ChannelsLast, MemoryRules::Strided::Always, 4) == (Found{true, true, true}));
    QVERIFY(aliases(TensorLayout::ChannelsLast, MemoryRules::Strided::Always, 16) == (Found{false, false, false}));
    QVERIFY(aliases(TensorLayout::RowMajor, MemoryRules::Strided::Always, 16) == (Found{true, true, true}));
}

STAGECRAFT_SUITE(TestPlan)

} // namespace tst_plan
#include "tst_plan.moc"
