#include "search/stages/stage_table.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft {

namespace {

constexpr double kSameLatency = 1e-9;

// Operators of the set without a predecessor or without a successor in it: the set stays a legal stage without one of
// them.
OperatorSet removable(const BlockView &view, OperatorSet set)
{
    OperatorSet result = 0;
    for (OperatorSet rest = set; rest != 0; rest &= rest - 1) {
        const int op = lowest(rest);
        if ((view.predecessors[op] & set) == 0 || (view.successors[op] & set) == 0)
            result |= single(op);
    }
    return result;
}

// Summarises how far each measured stage was below an assumed bound.
BoundChecks summary(std::vector<double> violations)
{
    BoundChecks checks;
    checks.checked = static_cast<std::int64_t>(violations.size());
    if (violations.empty())
        return checks;
    checks.broken = std::ranges::count_if(violations, [](double violation) { return violation > 0; });
    checks.worst = std::ranges::max(violations);
    const auto place = violations.begin() + static_cast<std::ptrdiff_t>((violations.size() - 1) * 95 / 100);
    std::ranges::nth_element(violations, place);
    checks.usual = *place;
    return checks;
}

} // namespace

std::unique_ptr<StageTable> StageTable::make(std::span<const StateSpace> spaces, LatencyQueries &queries,
                                             SearchBounds bounds)
{
    std::unique_ptr<StageTable> table(new StageTable(spaces));
    if (!table->classify(queries))
        return nullptr;
    const bool knowsBounds =
        std::ranges::any_of(table->m_classes, [](const StageClass &entry) { return entry.safeUs > 0; });
    table->m_assume = bounds == SearchBounds::Assumed || (bounds == SearchBounds::Auto && !knowsBounds);
    if (!queries.source().isTable() && !table->relate(queries.interrupt()))
        return nullptr;
    if (!queries.source().isTable() && queries.source().chainsAddUp())
        table->link();
    for (std::uint32_t index = 0; index < table->size(); ++index) {
        if (table->m_classes[index].known() && std::isfinite(table->m_classes[index].latencyUs))
            table->spread(index);
        table->publish(index);
    }
    return table;
}

bool StageTable::classify(LatencyQueries &queries)
{
    const StageLatencySource &source = queries.source();
    std::unordered_map<StageSignature, std::uint32_t> byKey;
    std::vector<std::uint32_t> counts;
    for (std::uint32_t s = 0; s < m_spaces.size(); ++s) {
        const StateSpace &space = m_spaces[s];
        auto &classOf = m_classOf.emplace_back();
        classOf.reserve(space.stages.size());
        m_atLeast.emplace_back(space.stages.size());
        m_versions.push_back(1);
        for (std::uint32_t i = 0; i < space.stages.size(); ++i) {
            if ((i & 255) == 0 && queries.interrupt().raised())
                return false;
            const auto fresh = static_cast<std::uint32_t>(m_classes.size());
            const Stage stage = space.stage(i);
            const StageSignature key = queries.keyOf(stage);
            const std::uint32_t index = byKey.try_emplace(key, fresh).first->second;
            if (index == fresh) {
                StageClass made{.space = s, .stage = i, .strategy = stage.strategy};
                made.operators = static_cast<std::uint32_t>(stage.operatorCount());
                made.sourceUs = source.isTable() ? 0 : source.lowerBoundUs(stage);
                made.boundUs = made.safeUs = made.sourceUs;
                made.latencyUs = queries.known(key).value_or(StageClass::kUnknown);
                m_unknown += !made.known();
                m_classes.push_back(made);
                m_keys.push_back(key);
                counts.push_back(0);
            }
            classOf.push_back(index);
            ++counts[index];
        }
    }

    m_firstMember.assign(m_classes.size() + 1, 0);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        m_firstMember[i + 1] = m_firstMember[i] + counts[i];
        m_knownStages += m_classes[i].known() ? counts[i] : 0;
    }
    m_members.resize(m_firstMember.back());
    auto next = m_firstMember;
    for (std::uint32_t s = 0; s < m_spaces.size(); ++s) {
        for (std::uint32_t i = 0; i < m_classOf[s].size(); ++i)
            m_members[next[m_classOf[s][i]]++] = {s, i};
    }
    return true;
}

// Finds which classes contain which, using one stage per class: isomorphic stages contain isomorphic ones.
bool StageTable::relate(const Interrupt &interrupt)
{
    std::vector<std::uint32_t> found;
    for (std::uint32_t index = 0; index < m_classes.size(); ++index) {
        if ((index & 255) == 0 && interrupt.raised())
            return false;
        const StageClass &entry = m_classes[index];
        found.clear();
        if (entry.strategy == Strategy::Concurrent) {
            const StateSpace &space = m_spaces[entry.space];
            const OperatorSet set = space.stages[entry.stage].operators;
            const auto look = [&](OperatorSet part) {
                const std::uint32_t stage = part == 0 ? OperatorSetIndex::kNone : space.concurrent.find(part);
                return stage == OperatorSetIndex::kNone ? stage : m_classOf[entry.space][stage];
            };
            for (OperatorSet rest = set; rest != 0;) {
                const OperatorSet group = space.view.component(set, lowest(rest));
                rest &= ~group;
                if (const std::uint32_t part = look(group); part != OperatorSetIndex::kNone) {
                    m_groups.items.push_back(part);
                    if (part != index)
                        found.push_back(part);
                }
            }
            const bool isOneGroup = m_groups.items.size() - m_groups.first.back() == 1;
            for (OperatorSet rest = isOneGroup ? removable(space.view, set) : 0; rest != 0; rest &= rest - 1) {
                if (const std::uint32_t part = look(set ^ (rest & -rest)); part != OperatorSetIndex::kNone)
                    found.push_back(part);
            }
            std::ranges::sort(found);
            found.erase(std::unique(found.begin(), found.end()), found.end());
        }
        m_groups.first.push_back(static_cast<std::uint32_t>(m_groups.items.size()));
        m_smaller.items.insert(m_smaller.items.end(), found.begin(), found.end());
        m_smaller.first.push_back(static_cast<std::uint32_t>(m_smaller.items.size()));
    }
    m_larger = inverted(m_smaller);
    if (m_assume) {
        m_assumedSmaller = withOneOperatorLess();
        m_assumedLarger = inverted(m_assumedSmaller);
    }
    // Bounds of the source hold for larger stages as well.
    for (std::uint32_t index = 0; index < m_classes.size(); ++index) {
        if (m_classes[index].boundUs > 0)
            spread(index);
    }
    return true;
}

// Finds the operators of stages with one group. Those that are no stage by themselves count nothing.
void StageTable::link()
{
    for (std::uint32_t index = 0; index < m_classes.size(); ++index) {
        const StageClass &entry = m_classes[index];
        if (entry.strategy == Strategy::Concurrent && entry.operators > 1 && groups(index).size() == 1) {
            const StateSpace &space = m_spaces[entry.space];
            for (OperatorSet rest = space.stages[entry.stage].operators; rest != 0; rest &= rest - 1) {
                const std::uint32_t stage = space.concurrent.find(single(lowest(rest)));
                if (stage != OperatorSetIndex::kNone)
                    m_links.items.push_back(m_classOf[entry.space][stage]);
            }
        }
        m_links.first.push_back(static_cast<std::uint32_t>(m_links.items.size()));
    }
    m_chains = inverted(m_links);
}

// Stages with several groups, each without one removable operator: the smaller stages of the assumption.
StageTable::Lists StageTable::withOneOperatorLess() const
{
    Lists lists;
    for (std::uint32_t index = 0; index < m_classes.size(); ++index) {
        const StageClass &entry = m_classes[index];
        if (entry.strategy == Strategy::Concurrent && groups(index).size() > 1) {
            const StateSpace &space = m_spaces[entry.space];
            const OperatorSet set = space.stages[entry.stage].operators;
            for (OperatorSet rest = removable(space.view, set); rest != 0; rest &= rest - 1) {
                const std::uint32_t stage = space.concurrent.find(set ^ (rest & -rest));
                if (stage != OperatorSetIndex::kNone)
                    lists.items.push_back(m_classOf[entry.space][stage]);
            }
        }
        lists.first.push_back(static_cast<std::uint32_t>(lists.items.size()));
    }
    return lists;
}

// Inverts a relation: from contained items to containing ones.
StageTable::Lists StageTable::inverted(const Lists &lists) const
{
    Lists result;
    result.first.assign(m_classes.size() + 1, 0);
    for (const std::uint32_t item : lists.items)
        ++result.first[item + 1];
    for (std::size_t i = 0; i < m_classes.size(); ++i)
        result.first[i + 1] += result.first[i];
    result.items.resize(lists.items.size());
    auto next = result.first;
    for (std::uint32_t index = 0; index < m_classes.size(); ++index) {
        for (const std::uint32_t item : slice(lists, index))
            result.items[next[item]++] = index;
    }
    return result;
}

std::vector<double> StageTable::boundsUs(std::size_t space, BoundBasis basis, const Allowance &allowed) const
{
    std::vector<double> result;
    result.reserve(m_classOf[space].size());
    for (const std::uint32_t index : m_classOf[space]) {
        const StageClass &entry = m_classes[index];
        double us = entry.sourceUs;
        if (basis != BoundBasis::Source)
            us = std::max(us, entry.safeUs / (1 + allowed.slowestGroup));
        if (basis == BoundBasis::FewerOperators)
            us = std::max(us, entry.boundUs / (1 + allowed.fewerOperators));
        result.push_back(entry.known() ? entry.latencyUs : us);
    }
    return result;
}

void StageTable::setLatency(std::uint32_t index, double latencyUs)
{
    keep(index);
    StageClass &entry = m_classes[index];
    if (!entry.known())
        countKnown(index, true);
    entry.latencyUs = latencyUs;
    publish(index);
    if (std::isfinite(latencyUs))
        spread(index);
}

void StageTable::countKnown(std::uint32_t index, bool known)
{
    const std::uint32_t stages = m_firstMember[index + 1] - m_firstMember[index];
    m_unknown = known ? m_unknown - 1 : m_unknown + 1;
    m_knownStages = known ? m_knownStages + stages : m_knownStages - stages;
}

void StageTable::keep(std::uint32_t index)
{
    if (m_isAssuming)
        m_before.emplace_back(index, m_classes[index]);
}

void StageTable::takeBack()
{
    for (const auto &[index, before] : std::views::reverse(m_before)) {
        if (m_classes[index].known() != before.known())
            countKnown(index, before.known());
        m_classes[index] = before;
        publish(index);
    }
    m_before.clear();
    m_isAssuming = false;
}

// Raises the bounds of all stages that contain this one.
void StageTable::spread(std::uint32_t index)
{
    if (m_larger.items.empty() && m_assumedLarger.items.empty())
        return;
    m_pending.assign(1, index);
    while (!m_pending.empty()) {
        const std::uint32_t from = m_pending.back();
        m_pending.pop_back();
        const double boundUs = m_classes[from].atLeastUs();
        const double safeUs = m_classes[from].known() ? m_classes[from].latencyUs : m_classes[from].safeUs;
        for (const std::uint32_t larger : slice(m_larger, from))
            raise(larger, boundUs, safeUs);
        if (!m_assumedLarger.items.empty()) {
            for (const std::uint32_t larger : slice(m_assumedLarger, from))
                raise(larger, boundUs, 0);
        }
        if (!m_chains.items.empty()) {
            for (const std::uint32_t chain : slice(m_chains, from))
                addUp(chain);
        }
    }
}

void StageTable::addUp(std::uint32_t chain)
{
    const auto [boundUs, safeUs] = sumOfLinks(chain);
    raise(chain, boundUs, safeUs);
}

// The bound and the safe bound of a group from its operators.
std::pair<double, double> StageTable::sumOfLinks(std::uint32_t chain) const
{
    double boundUs = 0;
    double safeUs = 0;
    for (const std::uint32_t link : slice(m_links, chain)) {
        const StageClass &entry = m_classes[link];
        if (entry.known() && !std::isfinite(entry.latencyUs))
            continue; // refused alone, perhaps not here
        boundUs += entry.atLeastUs();
        safeUs += entry.known() ? entry.latencyUs : entry.safeUs;
    }
    return {boundUs, safeUs};
}

// All that it bounds, directly or not, small before large.
std::vector<std::uint32_t> StageTable::largerThan(std::uint32_t index) const
{
    std::vector<std::uint32_t> found;
    std::unordered_set<std::uint32_t> seen;
    const auto add = [&](const Lists &lists, std::uint32_t from) {
        if (lists.items.empty())
            return;
        for (const std::uint32_t larger : slice(lists, from)) {
            if (seen.insert(larger).second)
                found.push_back(larger);
        }
    };
    for (std::size_t i = 0; i <= found.size(); ++i) {
        const std::uint32_t from = i == 0 ? index : found[i - 1];
        add(m_larger, from);
        add(m_assumedLarger, from);
        add(m_chains, from);
    }
    std::ranges::stable_sort(found, {}, [this](std::uint32_t larger) { return m_classes[larger].operators; });
    return found;
}

std::int64_t StageTable::forget(std::uint32_t index)
{
    keep(index);
    m_classes[index].latencyUs = StageClass::kUnknown;
    countKnown(index, false);
    publish(index);
    const std::vector<std::uint32_t> larger = largerThan(index);
    for (const std::uint32_t each : larger)
        boundAnew(each);
    return static_cast<std::int64_t>(larger.size());
}

void StageTable::boundAnew(std::uint32_t index)
{
    StageClass &entry = m_classes[index];
    double boundUs = entry.sourceUs;
    double safeUs = entry.sourceUs;
    const auto atLeastUs = [](const StageClass &part, double us) {
        return part.known() && std::isfinite(part.latencyUs) ? part.latencyUs : us;
    };
    for (const std::uint32_t part : smaller(index)) {
        boundUs = std::max(boundUs, atLeastUs(m_classes[part], m_classes[part].boundUs));
        safeUs = std::max(safeUs, atLeastUs(m_classes[part], m_classes[part].safeUs));
    }
    if (!m_assumedSmaller.items.empty()) {
        for (const std::uint32_t part : slice(m_assumedSmaller, index))
            boundUs = std::max(boundUs, atLeastUs(m_classes[part], m_classes[part].boundUs));
    }
    if (!m_links.items.empty() && !slice(m_links, index).empty()) {
        const auto [sumUs, safeSumUs] = sumOfLinks(index);
        boundUs = std::max(boundUs, sumUs);
        safeUs = std::max(safeUs, safeSumUs);
    }
    if (boundUs == entry.boundUs && safeUs == entry.safeUs)
        return;
    keep(index);
    entry.boundUs = boundUs;
    entry.safeUs = safeUs;
    if (!entry.known())
        publish(index);
}

BoundChecks StageTable::checks(BoundBasis basis) const
{
    std::vector<double> violations;
    const bool isRelated = m_smaller.first.size() > m_classes.size(); // in a table of latencies nothing bounds anything
    for (std::uint32_t index = 0; isRelated && index < m_classes.size(); ++index) {
        const StageClass &entry = m_classes[index];
        if (!entry.known() || !std::isfinite(entry.latencyUs))
            continue;
        const bool tells = basis == BoundBasis::FewerOperators
                               ? groups(index).size() > 1
                               : std::ranges::any_of(smaller(index), [this](std::uint32_t part) {
                                     const StageClass &inside = m_classes[part];
                                     return inside.known() ? std::isfinite(inside.latencyUs) : inside.safeUs > 0;
                                 });
        if (!tells)
            continue;
        const double saidUs = basis == BoundBasis::FewerOperators ? entry.boundUs : entry.safeUs;
        const double violation = saidUs / entry.latencyUs - 1;
        violations.push_back(violation > kSameLatency ? violation : 0);
    }
    return summary(std::move(violations));
}

void StageTable::raise(std::uint32_t index, double boundUs, double safeUs)
{
    StageClass &entry = m_classes[index];
    if (entry.boundUs >= boundUs && entry.safeUs >= safeUs)
        return;
    keep(index);
    entry.safeUs = std::max(entry.safeUs, safeUs);
    entry.boundUs = std::max(entry.boundUs, boundUs);
    if (entry.known())
        return;
    publish(index);
    m_pending.push_back(index);
}

void StageTable::publish(std::uint32_t index)
{
    const double value = m_classes[index].atLeastUs();
    for (std::uint32_t i = m_firstMember[index]; i < m_firstMember[index + 1]; ++i) {
        m_atLeast[m_members[i].space][m_members[i].stage] = value;
        ++m_versions[m_members[i].space];
    }
}

} // namespace stagecraft
