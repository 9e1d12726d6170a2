// rPrograms: what the wavefront policy makes, and what the verifier refuses.

#include "schedule/rtasks/verify_rprogram.h"
#include "schedule/rtasks/wavefront.h"
#include "support/error_text.h"
#include "support/graph_making.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QtTest>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_rprogram {
namespace {

constexpr int kRegisters = 32;
constexpr std::int64_t kMostUnits = 8; // of the thriftiest rKernels

// A device whose units have registers in proportion: twice as many registers, half as many units.
std::int64_t resident(const UnitNeeds &needs)
{
    return kMostUnits * kRegisters / std::max(kRegisters, needs.registersPerThread);
}

RKernel rKernel(const std::string &name, std::int64_t rTasks, int registers, double aloneNs)
{
    return {name, rTasks, {64, registers, 1024}, aloneNs};
}

// An rOperator for each operator, with a fast rKernel of many rTasks and a thrifty one of few.
std::vector<ROperator> rOperatorsOf(const Graph &graph, std::mt19937 &random)
{
    std::vector<ROperator> rOperators;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const auto id = OperatorId::fromIndex(i);
        const std::int64_t rTasks = 2 + static_cast<std::int64_t>(random() % 5);
        ROperator &made = rOperators.emplace_back();
        made.op = id;
        made.rKernels = {rKernel("fast", 2 * rTasks, 2 * kRegisters, 100), rKernel("thrifty", rTasks, kRegisters, 150)};
        for (const OperatorId producer : graph.predecessors(id))
            made.reads.push_back(producer.value);
    }
    return rOperators;
}

// One fault, and what the verifier has to say of it; empty: the rProgram has no place for this fault.
using Mutation = std::function<std::string(RProgram &, const Graph &, std::mt19937 &)>;

struct Place {
    std::size_t unit = 0;
    std::size_t step = 0;
};

template <typename Step>
std::vector<Place> placesOf(const RProgram &program)
{
    std::vector<Place> places;
    for (std::size_t unit = 0; unit < program.units.size(); ++unit) {
        for (std::size_t step = 0; step < program.units[unit].size(); ++step) {
            if (std::holds_alternative<Step>(program.units[unit][step]))
                places.push_back({unit, step});
        }
    }
    return places;
}

template <typename T>
const T &oneOf(const std::vector<T> &values, std::mt19937 &random)
{
    return values[random() % values.size()];
}

UnitStep &stepAt(RProgram &program, const Place &place)
{
    return program.units[place.unit][place.step];
}

std::string nameOf(const Graph &graph, const RProgram &program, std::uint32_t rOperator)
{
    return "operator " + graph.op(program.rOperators[rOperator].op).name;
}

std::string dropTask(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    const Place place = oneOf(placesOf<RTask>(program), random);
    const RTask task = std::get<RTask>(stepAt(program, place));
    auto &steps = program.units[place.unit];
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(place.step));
    return nameOf(graph, program, task.rOperator) + ": its rTask " + std::to_string(task.index + 1) + " is on no unit";
}

std::string repeatTask(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    const RTask task = std::get<RTask>(stepAt(program, oneOf(placesOf<RTask>(program), random)));
    program.units[random() % program.units.size()].emplace_back(task);
    return nameOf(graph, program, task.rOperator) + ": its rTask " + std::to_string(task.index + 1) + " runs again on";
}

std::string taskBeyondGrid(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    RTask &task = std::get<RTask>(stepAt(program, oneOf(placesOf<RTask>(program), random)));
    const std::int64_t rTasks = program.rOperators[task.rOperator].rKernel().rTasks;
    task.index = random() % 2 == 0 ? rTasks : -1;
    return nameOf(graph, program, task.rOperator) + ": unit ";
}

std::string taskOfNoOperator(RProgram &program, const Graph &, std::mt19937 &random)
{
    const Place place = oneOf(placesOf<RTask>(program), random);
    std::get<RTask>(stepAt(program, place)).rOperator = static_cast<std::uint32_t>(program.rOperators.size());
    return "unit " + std::to_string(place.unit + 1) + " runs an rTask of an rOperator that the rProgram does not have";
}

std::string waitForNoOperator(RProgram &program, const Graph &, std::mt19937 &random)
{
    const auto waits = placesOf<Wait>(program);
    if (waits.empty())
        return {};
    const Place place = oneOf(waits, random);
    std::get<Wait>(stepAt(program, place)).rOperators.push_back(static_cast<std::uint32_t>(program.rOperators.size()));
    return "unit " + std::to_string(place.unit + 1) + " waits for an rOperator that the rProgram does not have";
}

// Takes out of a wait what an rTask right behind it reads.
std::string dropAwaited(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    std::vector<Place> needed;
    for (const Place &place : placesOf<Wait>(program)) {
        const auto &steps = program.units[place.unit];
        const ROperator &reader = program.rOperators[std::get<RTask>(steps[place.step + 1]).rOperator];
        const bool isNeeded = std::ranges::any_of(std::get<Wait>(steps[place.step]).rOperators, [&](std::uint32_t one) {
            const auto isOfIt = [&](const UnitStep &step) {
                const RTask *task = std::get_if<RTask>(&step);
                return task && task->rOperator == one;
            };
            return std::ranges::count(reader.reads, one) > 0 &&
                   std::ranges::count_if(steps, isOfIt) < program.rOperators[one].rKernel().rTasks;
        });
        if (isNeeded)
            needed.push_back(place);
    }
    if (needed.empty())
        return {};
    const Place place = oneOf(needed, random);
    const RTask task = std::get<RTask>(program.units[place.unit][place.step + 1]);
    std::get<Wait>(stepAt(program, place)).rOperators.clear();
    return nameOf(graph, program, task.rOperator) + ": its rTask " + std::to_string(task.index + 1) + " on unit " +
           std::to_string(place.unit + 1) + " has not waited for";
}

// A unit waits for what it has still to run itself.
std::string waitForItself(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    const Place place = oneOf(placesOf<RTask>(program), random);
    const RTask task = std::get<RTask>(stepAt(program, place));
    auto &steps = program.units[place.unit];
    steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(place.step), Wait{{task.rOperator}});
    return nameOf(graph, program, task.rOperator) + ": unit ";
}

std::string readItself(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    const auto rOperator = static_cast<std::uint32_t>(random() % program.rOperators.size());
    program.rOperators[rOperator].reads.push_back(rOperator);
    return nameOf(graph, program, rOperator) + ": it reads its own output, in a cycle";
}

std::string readNothing(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    const auto rOperator = static_cast<std::uint32_t>(random() % program.rOperators.size());
    program.rOperators[rOperator].reads.push_back(static_cast<std::uint32_t>(program.rOperators.size()));
    return nameOf(graph, program, rOperator) + ": it reads an rOperator that the rProgram does not have";
}

std::string chooseNone(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    const auto rOperator = static_cast<std::uint32_t>(random() % program.rOperators.size());
    program.rOperators[rOperator].chosen = 2;
    return nameOf(graph, program, rOperator) + ": its rKernel 3 is chosen, of 2";
}

std::string emptyGrid(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    const auto rOperator = static_cast<std::uint32_t>(random() % program.rOperators.size());
    ROperator &one = program.rOperators[rOperator];
    one.rKernels[one.chosen].rTasks = 0;
    return nameOf(graph, program, rOperator) + ": its rKernel has no rTasks";
}

std::string greedyKernel(RProgram &program, const Graph &graph, std::mt19937 &random)
{
    const auto rOperator = static_cast<std::uint32_t>(random() % program.rOperators.size());
    ROperator &one = program.rOperators[rOperator];
    one.rKernels[one.chosen].needs.registersPerThread = 100 * kRegisters;
    return nameOf(graph, program, rOperator) + ": " + std::to_string(program.units.size()) +
           " units with what its rKernel";
}

std::string tooManyUnits(RProgram &program, const Graph &, std::mt19937 &random)
{
    program.units.resize(static_cast<std::size_t>(kMostUnits) + 1 + random() % 8);
    return std::to_string(program.units.size()) + " units with what its rKernel";
}

} // namespace

class TestRProgram : public QObject {
    Q_OBJECT

private slots:
    void wavefront_randomGraphs_isLegal_data();
    void wavefront_randomGraphs_isLegal();
    void wavefront_smallWave_takesFastKernels();
    void wavefront_rTasks_areInTurnOnFreeUnits();
    void wavefront_noUnitIsResident_hasNoUnits();
    void verify_mutated_namesTheFault();
};

void TestRProgram::wavefront_randomGraphs_isLegal_data()
{
    QTest::addColumn<int>("choice");
    QTest::newRow("by wave") << static_cast<int>(RKernelChoice::ByWave);
    QTest::newRow("fastest") << static_cast<int>(RKernelChoice::Fastest);
    QTest::newRow("thriftiest") << static_cast<int>(RKernelChoice::Thriftiest);
}

void TestRProgram::wavefront_randomGraphs_isLegal()
{
    QFETCH(const int, choice);
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const Graph graph = randomGraph(seed, {.operators = 1 + static_cast<int>(seed % 12)});
        std::mt19937 random(seed);
        const RProgram program =
            wavefrontProgram(rOperatorsOf(graph, random), resident, static_cast<RKernelChoice>(choice));
        const auto verified = verifyRProgram(graph, program, resident);
        QVERIFY2(verified, verified ? "" : errorText(verified.error()).c_str());
        QVERIFY(!program.units.empty());
    }
}

// Two waves: the first fits the units with fast rKernels, the second does not.
void TestRProgram::wavefront_smallWave_takesFastKernels()
{
    std::vector<ROperator> rOperators(4);
    for (std::uint32_t i = 0; i < rOperators.size(); ++i) {
        rOperators[i].op = OperatorId{i};
        rOperators[i].rKernels = {rKernel("fast", 4, 2 * kRegisters, 10), rKernel("thrifty", 1, kRegisters, 20)};
    }
    for (const std::uint32_t reader : {1U, 2U, 3U})
        rOperators[reader].reads = {0};
    QCOMPARE(wavesOf(rOperators), (std::vector<std::size_t>{0, 1, 1, 1}));
    const RProgram program = wavefrontProgram(rOperators, resident);
    QCOMPARE(program.rOperators[0].chosen, std::size_t{0}); // 4 rTasks on 4 units
    for (const std::size_t reader : {1U, 2U, 3U})
        QCOMPARE(program.rOperators[reader].chosen, std::size_t{1}); // 12 would not fit
    QCOMPARE(program.units.size(), std::size_t{4});
    const Wait wait{{0}};
    QVERIFY(std::get<Wait>(program.units[0][1]) == wait);
    QCOMPARE(program.units[3].size(), std::size_t{1}); // nothing to run in the second wave, and no wait
}

void TestRProgram::wavefront_rTasks_areInTurnOnFreeUnits()
{
    std::vector<ROperator> rOperators(2);
    for (std::uint32_t i = 0; i < rOperators.size(); ++i) {
        rOperators[i].op = OperatorId{i};
        rOperators[i].rKernels = {rKernel("only", i == 0 ? 5 : 3, kRegisters, 10)};
    }
    const RProgram program = wavefrontProgram(rOperators, resident);
    QCOMPARE(program.units.size(), std::size_t{8});
    for (std::size_t unit = 0; unit < 8; ++unit) {
        const RTask &task = std::get<RTask>(program.units[unit].front());
        QCOMPARE(task.rOperator, unit < 5 ? 0U : 1U);
        QCOMPARE(program.units[unit].size(), std::size_t{1});
    }
}

void TestRProgram::wavefront_noUnitIsResident_hasNoUnits()
{
    std::vector<ROperator> rOperators(1);
    rOperators[0].op = OperatorId{0};
    rOperators[0].rKernels = {rKernel("only", 1, kRegisters, 10)};
    QVERIFY(wavefrontProgram(rOperators, [](const UnitNeeds &) { return std::int64_t{0}; }).units.empty());
}

void TestRProgram::verify_mutated_namesTheFault()
{
    const std::vector<Mutation> mutations{dropTask,   repeatTask,   taskBeyondGrid,    taskOfNoOperator, dropAwaited,
                                          readItself, readNothing,  waitForNoOperator, waitForItself,    chooseNone,
                                          emptyGrid,  greedyKernel, tooManyUnits};
    std::map<std::size_t, int> refused; // by mutation
    int count = 0;
    for (std::uint32_t seed = 0; count < 10'000; ++seed) {
        std::mt19937 random(seed);
        const Graph graph = randomGraph(seed, {.operators = 2 + static_cast<int>(seed % 9)});
        const RProgram legal = wavefrontProgram(rOperatorsOf(graph, random), resident);
        for (std::size_t i = 0; i < 3 * mutations.size(); ++i) {
            const std::size_t which = i % mutations.size();
            RProgram program = legal;
            const std::string expected = mutations[which](program, graph, random);
            if (expected.empty())
                continue;
            const auto verified = verifyRProgram(graph, program, resident);
            QVERIFY2(!verified, ("not refused: " + expected).c_str());
            const std::string text = errorText(verified.error());
            QVERIFY2(text.find(expected) != std::string::npos, (text + " instead of " + expected).c_str());
            ++refused[which];
            ++count;
        }
    }
    QCOMPARE(refused.size(), mutations.size());
}

STAGECRAFT_SUITE(TestRProgram)

} // namespace tst_rprogram
#include "tst_rprogram.moc"
