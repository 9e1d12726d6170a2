#include "device/simulated/unit_scheduler.h"

#include "device/simulated/sm_class.h"
#include "device/simulated/sm_rates.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace stagecraft {

namespace {

constexpr double kDone = 1e-9; // share of an rTask
constexpr double kNever = std::numeric_limits<double>::infinity();

// Units of an SM that run rTasks of the same rOperators in the same order.
struct Team {
    const std::vector<UnitStep> *steps = nullptr;
    int units = 0;
    std::size_t next = 0;
    double readyNs = 0;
    bool isRunning = false;
    std::size_t row = 0; // of the trace
};

// The teams of SMs that have the same ones.
using Teams = std::vector<Team>;

std::int64_t wholeNs(double ns)
{
    return static_cast<std::int64_t>(std::floor(ns + 0.5));
}

// Numbers units by what they run, whichever rTask of an rOperator it is.
std::vector<std::size_t> kindsOf(const RProgram &program)
{
    constexpr std::uint32_t kWait = 0xffffffff;
    std::map<std::vector<std::uint32_t>, std::size_t> known;
    std::vector<std::size_t> kinds;
    for (const auto &steps : program.units) {
        std::vector<std::uint32_t> text;
        for (const UnitStep &step : steps) {
            if (const Wait *wait = std::get_if<Wait>(&step)) {
                text.push_back(kWait);
                text.insert(text.end(), wait->rOperators.begin(), wait->rOperators.end());
                text.push_back(kWait);
            } else {
                text.push_back(std::get<RTask>(step).rOperator);
            }
        }
        kinds.push_back(known.emplace(std::move(text), known.size()).first->second);
    }
    return kinds;
}

class UnitRun {
public:
    UnitRun(const SmLimits &limits, const RProgram &program, std::span<const Kernel *const> kernels, BlockTrace *trace);
    double finish();

private:
    void goOn();
    void goOn(std::size_t sms, Team &team);
    void start(std::size_t sms, Team &team, const RTask &task);
    [[nodiscard]] bool isOpen(const Wait &wait) const;
    [[nodiscard]] double nextEvent() const;
    void advance(double toNs);
    void retire();

    const SmLimits &m_limits;
    std::vector<Launch> m_launches;   // by rOperator
    std::vector<std::int64_t> m_left; // by rOperator: rTasks that have not ended
    std::vector<SmClass> m_classes;
    std::vector<Teams> m_teams;                  // by class
    std::vector<std::vector<std::size_t>> m_who; // by class: the teams of its cohorts
    SmRates m_rates;
    std::vector<int> m_cohorts; // by rOperator: on all classes
    BlockTrace *m_trace;
    double m_nowNs = 0;
    bool m_changed = true;
};

UnitRun::UnitRun(const SmLimits &limits, const RProgram &program, std::span<const Kernel *const> kernels,
                 BlockTrace *trace)
    : m_limits(limits), m_cohorts(kernels.size(), 0), m_trace(trace)
{
    assert(kernels.size() == program.rOperators.size());
    for (const Kernel *kernel : kernels) {
        m_launches.push_back({kernel, 0, 0});
        m_left.push_back(kernel->blocks());
    }
    m_rates.begin(m_launches.size());
    const std::vector<std::size_t> kinds = kindsOf(program);
    const auto smCount = static_cast<std::size_t>(limits.smCount);
    std::map<std::vector<std::size_t>, int> sms; // by the kinds of their units
    std::vector<std::vector<std::size_t>> unitsOf(smCount);
    for (std::size_t unit = 0; unit < kinds.size(); ++unit)
        unitsOf[unit % smCount].push_back(kinds[unit]);
    for (std::vector<std::size_t> &units : unitsOf) {
        std::ranges::sort(units);
        ++sms[std::move(units)];
    }
    std::map<std::size_t, const std::vector<UnitStep> *> stepsOf;
    for (std::size_t unit = 0; unit < kinds.size(); ++unit)
        stepsOf.emplace(kinds[unit], &program.units[unit]);
    std::size_t rows = 0;
    for (const auto &[units, count] : sms) {
        Teams teams;
        for (std::size_t i = 0; i < units.size(); ++i) {
            if (i == 0 || units[i] != units[i - 1])
                teams.push_back({stepsOf.at(units[i]), 0, 0, limits.rampNs, false, rows++});
            ++teams.back().units;
        }
        for (const Team &team : teams) {
            if (trace)
                trace->units.push_back({static_cast<std::uint32_t>(count * team.units), {}});
        }
        m_classes.emplace_back().sms = count;
        m_teams.push_back(std::move(teams));
        m_who.emplace_back();
    }
}

double UnitRun::finish()
{
    while (true) {
        goOn();
        if (std::exchange(m_changed, false)) {
            m_rates.compute(m_limits, m_launches, m_classes);
            if (m_trace)
                m_trace->samples.push_back(sampleOf(m_nowNs, m_launches, m_classes));
        }
        const double next = nextEvent();
        if (next == kNever)
            return m_nowNs;
        advance(next);
        retire();
    }
}

void UnitRun::goOn()
{
    for (std::size_t sms = 0; sms < m_classes.size(); ++sms) {
        for (Team &team : m_teams[sms]) {
            if (!team.isRunning)
                goOn(sms, team);
        }
    }
}

void UnitRun::goOn(std::size_t sms, Team &team)
{
    for (; team.next < team.steps->size(); ++team.next) {
        const UnitStep &step = (*team.steps)[team.next];
        if (const Wait *wait = std::get_if<Wait>(&step)) {
            if (!isOpen(*wait))
                return;
            team.readyNs = std::max(team.readyNs, m_nowNs) + kUnitBarrierNs;
        } else if (team.readyNs <= m_nowNs) {
            start(sms, team, std::get<RTask>(step));
            ++team.next;
            return;
        } else {
            return;
        }
    }
}

void UnitRun::start(std::size_t sms, Team &team, const RTask &task)
{
    SmClass &on = m_classes[sms];
    assert(on.cohortCount < static_cast<int>(kMaxCohorts));
    on.cohorts[static_cast<std::size_t>(on.cohortCount++)] = {static_cast<int>(task.rOperator), team.units, 1, 0};
    on.residentWarps += team.units * m_launches[task.rOperator].kernel->warpsPerBlock();
    m_who[sms].push_back(static_cast<std::size_t>(&team - m_teams[sms].data()));
    team.isRunning = true;
    if (m_trace)
        m_trace->units[team.row].tasks.push_back({task.rOperator, wholeNs(m_nowNs), wholeNs(m_nowNs)});
    if (m_cohorts[task.rOperator]++ == 0)
        m_rates.add(static_cast<int>(task.rOperator));
    m_changed = true;
}

bool UnitRun::isOpen(const Wait &wait) const
{
    return std::ranges::all_of(wait.rOperators, [&](std::uint32_t one) { return m_left[one] == 0; });
}

double UnitRun::nextEvent() const
{
    double next = kNever;
    for (std::size_t sms = 0; sms < m_classes.size(); ++sms) {
        for (int i = 0; i < m_classes[sms].cohortCount; ++i) {
            const Cohort &cohort = m_classes[sms].cohorts[static_cast<std::size_t>(i)];
            next = std::min(next, m_nowNs + cohort.remaining / cohort.rate);
        }
        for (const Team &team : m_teams[sms]) {
            if (!team.isRunning && team.next < team.steps->size() && team.readyNs > m_nowNs)
                next = std::min(next, team.readyNs);
        }
    }
    return next;
}

void UnitRun::advance(double toNs)
{
    const double elapsed = toNs - m_nowNs;
    for (SmClass &sms : m_classes) {
        for (int i = 0; i < sms.cohortCount; ++i) {
            Cohort &cohort = sms.cohorts[static_cast<std::size_t>(i)];
            cohort.remaining -= cohort.rate * elapsed;
        }
    }
    m_nowNs = toNs;
}

void UnitRun::retire()
{
    for (std::size_t sms = 0; sms < m_classes.size(); ++sms) {
        SmClass &on = m_classes[sms];
        std::vector<std::size_t> &who = m_who[sms];
        std::size_t kept = 0;
        for (std::size_t i = 0; i < who.size(); ++i) {
            const Cohort cohort = on.cohorts[i];
            if (cohort.remaining > kDone) {
                who[kept] = who[i];
                on.cohorts[kept++] = cohort;
                continue;
            }
            const auto rOperator = static_cast<std::size_t>(cohort.launch);
            on.residentWarps -= cohort.blocks * m_launches[rOperator].kernel->warpsPerBlock();
            m_left[rOperator] -= std::int64_t{on.sms} * cohort.blocks;
            Team &team = m_teams[sms][who[i]];
            team.isRunning = false;
            if (m_trace)
                m_trace->units[team.row].tasks.back().endNs = wholeNs(m_nowNs);
            if (--m_cohorts[rOperator] == 0)
                m_rates.remove(cohort.launch);
            m_changed = true;
        }
        who.resize(kept);
        on.cohortCount = static_cast<int>(kept);
    }
}

} // namespace

std::int64_t residentUnits(const SmLimits &limits, const UnitNeeds &needs)
{
    Kernel unit;
    unit.threadsPerBlock = needs.threads;
    unit.registersPerThread = needs.registersPerThread;
    unit.sharedBytesPerBlock = needs.sharedBytes;
    return std::int64_t{limits.smCount} * residentBlocks(limits, unit);
}

UnitScheduler::UnitScheduler(SmLimits limits) : m_limits(limits) {}

double UnitScheduler::run(const RProgram &program, std::span<const Kernel *const> kernels, BlockTrace *trace) const
{
    if (trace) {
        trace->samples.clear();
        trace->units.clear();
    }
    return program.units.empty() ? 0 : UnitRun(m_limits, program, kernels, trace).finish();
}

} // namespace stagecraft
