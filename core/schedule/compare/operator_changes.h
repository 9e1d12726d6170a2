#pragma once

// What changed for each operator of a graph between two runs of it, as far as files show how it ran: schedules, and
// profiles of other programs (flow/profile/operator_runs.h).

#include "support/ids.h"
#include "timing/statistics/repeats.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class Graph;
struct TimedSchedule;

enum class OperatorAspect { Kernel, Precision, Layout, Fusion, Stream };

inline constexpr std::array kOperatorAspects{OperatorAspect::Kernel, OperatorAspect::Precision, OperatorAspect::Layout,
                                             OperatorAspect::Fusion, OperatorAspect::Stream};

[[nodiscard]] std::string_view toString(OperatorAspect aspect); // "kernel", "precision", ...

struct OperatorRun {
    std::vector<std::string> kernels{};    // names, ascending, as often as they ran
    std::string precision{};               // of what it makes, as the file names it; empty: not shown
    std::string layout{};                  // the same
    std::vector<OperatorId> fusedWith{};   // that the same kernels computed, or it was merged with; ascending
    std::optional<std::uint32_t> stream{}; // of OperatorRuns::streams
    Repeats repeats{};                     // of what its kernels took; a latency of 0: not known, or another's
    bool isThere = false;                  // the file shows that it ran
};

struct OperatorRuns {
    std::vector<OperatorRun> operators;         // by operator of the graph
    std::vector<std::string> streams;           // "stream 7"
    std::bitset<kOperatorAspects.size()> shown; // what the file shows at all, of at least one operator

    [[nodiscard]] bool shows(OperatorAspect aspect) const { return shown.test(static_cast<std::size_t>(aspect)); }
    void setShown(OperatorAspect aspect) { shown.set(static_cast<std::size_t>(aspect)); }
};

// Of a schedule of ours: what is merged, the group of its stage or its stream, and layouts that it states. An operator
// that is a stage by itself has its latency.
[[nodiscard]] OperatorRuns operatorRuns(const Graph &graph, const TimedSchedule &schedule);

struct AspectChange {
    OperatorAspect aspect = OperatorAspect::Kernel;
    std::string before; // words: names of kernels or operators, "alone"
    std::string after;

    friend bool operator==(const AspectChange &, const AspectChange &) = default;
};

struct OperatorChange {
    std::string name;                  // of the operator
    std::vector<AspectChange> aspects; // empty: it is only faster or slower
    std::optional<double> beforeUs;    // empty: not known, not comparable, or counted for another of its kernel
    std::optional<double> afterUs;
    std::optional<JudgedRepeats> judged; // of both times, together with all other operators

    [[nodiscard]] double lostUs() const { return beforeUs && afterUs ? *afterUs - *beforeUs : 0; }
};

struct OperatorChanges {
    std::vector<AspectChange> ofAll;       // the same of every operator that both show, and left out of `operators`
    std::vector<OperatorChange> operators; // what lost most first, or in the graph's order; equal ones are left out
    std::vector<std::string> onlyBefore;   // operators that only one of the two shows
    std::vector<std::string> onlyAfter;
    std::vector<OperatorAspect> notShown; // by at least one of the two
    std::size_t equal = 0;                // operators that both show, and that are not different
};

// How times of the one relate to times of the other.
enum class OperatorTimes { NotComparable, Repeated, Exact };

// Streams are the same where most of their operators are, whatever their names.
[[nodiscard]] OperatorChanges operatorChanges(const Graph &graph, const OperatorRuns &before, const OperatorRuns &after,
                                              OperatorTimes times);

} // namespace stagecraft
