#pragma once

// What the search knows about the stages of its spaces. Stages with the same signature form one class, across all
// blocks: asked for once, known everywhere. A class with an unknown latency is bounded from below by what the source
// states without measuring and by every known smaller stage that it contains, because more concurrent work never
// finishes sooner; a group also by the sum of its operators where the source says so (chainsAddUp). Devices break that
// now and then, so the table also counts how often (checks). Merged and fused stages are bounded by the source alone.
// For a table of recorded latencies every stage is a class of its own and nothing is bounded
// (StageLatencySource::isTable).

#include "search/stages/latency_queries.h"
#include "search/stages/state_space.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace stagecraft {

struct StageClass {
    static constexpr double kUnknown = -1;

    double latencyUs = kUnknown; // infinity if the device refused it
    double sourceUs = 0;         // lower bound from the source
    double safeUs = 0;           // at least sourceUs; a lower bound if no part takes longer than the whole
    double boundUs = 0;          // at least safeUs; a lower bound if the assumption of the table holds
    std::uint32_t space = 0;     // representative stage of the class
    std::uint32_t stage = 0;
    std::uint32_t operators = 0;
    Strategy strategy = Strategy::Concurrent;

    [[nodiscard]] bool known() const { return latencyUs != kUnknown; }
    [[nodiscard]] double atLeastUs() const { return known() ? latencyUs : boundUs; }
};

// Which bounds are trusted; each value includes those before it.
enum class BoundBasis {
    Source,         // what the source states: always true
    SlowestGroup,   // no stage is faster than its slowest group (nor a group than its operators, if chains add up)
    FewerOperators, // no stage gets faster with one more operator (if the table assumes it)
};

// How an assumption fared on the measured stages that test it.
struct BoundChecks {
    std::int64_t checked = 0;
    std::int64_t broken = 0;
    double worst = 0; // 0.02: one took 1/1.02 of its bound
    double usual = 0; // exceeded by 5 % only. The worst of hundreds of noisy answers may be one moment in which another
                      // program interfered.
};

class StageTable {
public:
    // Null if interrupted. The spaces must outlive the table.
    static std::unique_ptr<StageTable> make(std::span<const StateSpace> spaces, LatencyQueries &queries,
                                            SearchBounds bounds);

    [[nodiscard]] std::size_t size() const { return m_classes.size(); }
    [[nodiscard]] const StageClass &at(std::uint32_t index) const { return m_classes[index]; }
    // LatencyQueries::keyOf the stages in the class.
    [[nodiscard]] const StageSignature &key(std::uint32_t index) const { return m_keys[index]; }
    [[nodiscard]] std::uint32_t classOf(std::size_t space, std::uint32_t stage) const
    {
        return m_classOf[space][stage];
    }
    [[nodiscard]] Stage stage(std::uint32_t index) const
    {
        return m_spaces[m_classes[index].space].stage(m_classes[index].stage);
    }

    // The groups of the class's stage, each as a stage; empty for merges.
    [[nodiscard]] std::span<const std::uint32_t> groups(std::uint32_t index) const { return slice(m_groups, index); }
    // The classes that bound it: its groups; for a single group, the group without its first or last operator.
    [[nodiscard]] std::span<const std::uint32_t> smaller(std::uint32_t index) const { return slice(m_smaller, index); }

    void setLatency(std::uint32_t index, double latencyUs);

    // From assume() to takeBack(), latencies are only assumed: takeBack() restores what was known before.
    void assume() { m_isAssuming = true; }
    void takeBack();
    // In between: as if the latency of the class were not known. Returns how many classes that may concern.
    std::int64_t forget(std::uint32_t index);

    // Per stage of a space: its latency or, if unknown, the largest trusted bound. Assumed bounds are divided by 1 +
    // `allowed`: valid if no stage breaks the assumption by more.
    struct Allowance {
        double slowestGroup = 0;
        double fewerOperators = 0;
    };
    [[nodiscard]] std::vector<double> boundsUs(std::size_t space, BoundBasis basis, const Allowance &allowed) const;

    // Per stage of a space: its latency, or its bound if unknown.
    [[nodiscard]] std::span<const double> atLeast(std::size_t space) const { return m_atLeast[space]; }
    // Grows whenever a value of atLeast(space) changes.
    [[nodiscard]] std::uint64_t version(std::size_t space) const { return m_versions[space]; }

    [[nodiscard]] std::size_t unknown() const { return m_unknown; } // number of classes
    [[nodiscard]] std::size_t knownStages() const { return m_knownStages; }

    [[nodiscard]] BoundChecks checks(BoundBasis basis) const;
    [[nodiscard]] bool assumes() const { return m_assume; }

private:
    struct Lists {
        std::vector<std::uint32_t> first{0};
        std::vector<std::uint32_t> items;
    };
    struct Member {
        std::uint32_t space = 0;
        std::uint32_t stage = 0;
    };

    explicit StageTable(std::span<const StateSpace> spaces) : m_spaces(spaces) {}
    bool classify(LatencyQueries &queries);
    bool relate(const Interrupt &interrupt);
    void link();
    [[nodiscard]] Lists withOneOperatorLess() const;
    [[nodiscard]] Lists inverted(const Lists &lists) const;
    void spread(std::uint32_t index);
    void addUp(std::uint32_t chain);
    [[nodiscard]] std::pair<double, double> sumOfLinks(std::uint32_t chain) const;
    [[nodiscard]] std::vector<std::uint32_t> largerThan(std::uint32_t index) const;
    void boundAnew(std::uint32_t index);
    void raise(std::uint32_t index, double boundUs, double safeUs);
    void publish(std::uint32_t index);
    void countKnown(std::uint32_t index, bool known);
    void keep(std::uint32_t index);

    static std::span<const std::uint32_t> slice(const Lists &lists, std::uint32_t index)
    {
        return {lists.items.data() + lists.first[index], lists.items.data() + lists.first[index + 1]};
    }

    std::span<const StateSpace> m_spaces;
    std::vector<StageClass> m_classes;
    std::vector<StageSignature> m_keys; // of the classes, stored apart: loops over the classes do not need them
    std::vector<std::vector<std::uint32_t>> m_classOf; // per space and stage
    std::vector<std::uint32_t> m_firstMember;
    std::vector<Member> m_members;
    Lists m_groups, m_smaller, m_larger;
    Lists m_assumedSmaller;  // smaller by one operator, beyond m_smaller
    Lists m_assumedLarger;   // its inverse
    Lists m_links, m_chains; // operators of one-group stages, as classes, and the inverse; empty unless chains add up
    bool m_assume = false;
    std::vector<std::vector<double>> m_atLeast;
    std::vector<std::uint64_t> m_versions;
    std::vector<std::uint32_t> m_pending;
    std::size_t m_unknown = 0;
    std::size_t m_knownStages = 0; // stages of all spaces whose class is known
    bool m_isAssuming = false;
    std::vector<std::pair<std::uint32_t, StageClass>> m_before; // each change since assume(), first to last
};

} // namespace stagecraft
