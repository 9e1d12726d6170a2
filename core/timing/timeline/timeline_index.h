#pragma once

// Answers about ranges and moments of a timeline without visiting all its kernels: what runs on a row at a moment, how
// busy a row or the device is in a range, and why nothing runs. Times in nanoseconds from the start of the schedule.
// Made once (linear in kernels); about 17 bytes a kernel and row. Kernels of one row do not
// overlap; of those that do, the one that starts last counts.

#include "timing/timeline/time_parts.h"
#include "timing/timeline/timeline.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

// Half open: [fromNs, toNs).
struct TimeRange {
    std::int64_t fromNs = 0;
    std::int64_t toNs = 0;

    [[nodiscard]] std::int64_t sizeNs() const { return toNs - fromNs; }
    friend bool operator==(const TimeRange &, const TimeRange &) = default;
};

// Why a row has no kernel.
enum class GapKind : std::uint8_t {
    Launch,  // its next kernel is being launched, or waits for free SMs
    Wait,    // its group is done; it waits at the barrier for the other groups of the stage
    Barrier, // all groups are done: the next stage has not begun
    Unused,  // no group of the stage is on this row
    Idle,    // of a profile, which does not say why nothing ran
};

struct Gap {
    GapKind kind = GapKind::Unused;
    TimeRange range;
    std::size_t stage = 0; // the one that is launched, waited in, or ended by the barrier; kOfNoStage: not known

    friend bool operator==(const Gap &, const Gap &) = default;
};

struct RangeStatistics {
    TimeRange range;
    std::int64_t busyNs = 0; // at least one kernel runs
    std::int64_t idleNs = 0; // none does
    std::size_t kernels = 0; // that run in the range, also in part
    double flops = 0;        // of kernels partly inside, in proportion to time
    double bytes = 0;
};

class TimelineIndex {
public:
    struct RowSpan {
        std::int64_t startNs = 0;
        std::uint32_t shortLengthNs = 0; // the most an uint32 holds if it is longer
        std::uint32_t kernel = 0;        // index into the timeline's
    };

    explicit TimelineIndex(std::shared_ptr<const Timeline> timeline); // not null

    [[nodiscard]] const Timeline &timeline() const { return *m_timeline; }
    [[nodiscard]] const TimelineParts &parts() const { return m_parts; } // where its time goes
    [[nodiscard]] std::size_t rows() const { return m_rows.size(); }
    [[nodiscard]] std::span<const RowSpan> row(std::size_t row) const { return m_rows[row].spans; }
    [[nodiscard]] const KernelSpan &kernel(const RowSpan &span) const { return m_timeline->kernels[span.kernel]; }
    [[nodiscard]] std::int64_t endOf(const RowSpan &span) const;

    [[nodiscard]] std::size_t firstEndingAfter(std::size_t row, std::int64_t ns) const; // index into the row's spans
    // Of the spans from `from` on; cheap if it is near.
    [[nodiscard]] std::size_t firstStartingAt(std::size_t row, std::int64_t ns, std::size_t from = 0) const;
    [[nodiscard]] const KernelSpan *kernelAt(std::size_t row, std::int64_t ns) const; // null: none runs
    [[nodiscard]] std::int64_t busyNs(std::size_t row, TimeRange range) const;
    [[nodiscard]] std::int64_t lengthNs(std::size_t row, std::size_t first, std::size_t last) const; // of [first, last)
    [[nodiscard]] RangeStatistics statistics(TimeRange range) const;

    [[nodiscard]] std::optional<Gap> gapAt(std::size_t row, std::int64_t ns) const; // nullopt: a kernel runs
    // Before the span, and after it in its stage; of no length if there is none, or a profile does not say.
    [[nodiscard]] TimeRange launchBefore(std::size_t row, std::size_t span) const;
    [[nodiscard]] TimeRange waitAfter(std::size_t row, std::size_t span) const;
    // Places in the timeline's stages. From the end of a stage's last kernel to the start of the next stage; of no
    // length in a profile.
    [[nodiscard]] std::size_t firstStageEndingAfter(std::int64_t ns) const;
    [[nodiscard]] TimeRange barrierAfter(std::size_t place) const;
    [[nodiscard]] std::optional<std::size_t> stagePlace(std::size_t stage) const;

    // Over all its kernels; nullopt if it has none.
    [[nodiscard]] std::optional<TimeRange> rangeOf(OperatorId op) const;
    [[nodiscard]] std::optional<TimeRange> rangeOfStage(std::size_t stage) const;

private:
    struct Row {
        std::vector<RowSpan> spans;         // ascending by start
        std::vector<std::int64_t> busyUpTo; // before every kStep-th span
    };
    // All kernels before every kSumStep-th one.
    struct Sums {
        std::int64_t coveredNs = 0; // time with at least one of them
        std::int64_t reachNs = 0;   // the last end
        double flops = 0;
        double bytes = 0;
    };
    struct KernelRange {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
    };

    void addKernels();
    void addStages();
    [[nodiscard]] std::int64_t busyBefore(std::size_t row, std::int64_t ns) const;
    [[nodiscard]] std::int64_t lengthOfFirst(std::size_t row, std::size_t count) const;
    [[nodiscard]] std::size_t kernelsStartingBefore(std::int64_t ns) const;
    [[nodiscard]] Sums sumsOfFirst(std::size_t kernels) const;

    std::shared_ptr<const Timeline> m_timeline;
    TimelineParts m_parts;
    std::vector<Row> m_rows;
    std::vector<Sums> m_sums;
    std::vector<TimeRange> m_kernelsOfStages; // by place: first start, last end of its kernels
    std::vector<KernelRange> m_kernelsOf;     // by operator: first and last kernel; first > last: none
};

} // namespace stagecraft
