#pragma once

// How numbers and places are written in all views. Numbering starts at one: the stage with index 0 is "Stage 1".

#include "graph/block.h"
#include "graph/graph.h"
#include "timing/provenance.h"

#include <QString>

#include <cstddef>
#include <cstdint>

namespace stagecraft {

struct TimedSchedule;
struct StageRange;

[[nodiscard]] QString latencyText(double latencyUs);                    // "12.4 µs", "184 µs", "4.03 ms", "1.20 s"
[[nodiscard]] QString latencyText(double latencyUs, bool atLeast);      // "at least 4.03 ms" if work is left out
[[nodiscard]] QString shortLatencyText(double latencyUs, bool atLeast); // "≥ 4.03 ms", in tables
[[nodiscard]] QString countText(std::int64_t count);                    // "1,234,567"
[[nodiscard]] QString magnitudeText(double count);         // "1,234,567", "9.2 × 10²²": exact below 10⁸
[[nodiscard]] QString shortMagnitudeText(double count);    // "9,999", "25.6k", "1.20M", "9×10²²"
[[nodiscard]] QString flopsText(double flops);             // "1.23 GFLOP"
[[nodiscard]] QString bytesText(double bytes);             // "4.71 MiB"
[[nodiscard]] QString shapeText(const Shape &shape);       // "1 × 64 × 56 × 56", "unknown"
[[nodiscard]] QString percentText(double share);           // "12.3 %"
[[nodiscard]] QString signedPercentText(double share);     // "+1.5 %", "−3.0 %", "0 %"
[[nodiscard]] QString signedLatencyText(double latencyUs); // "+4.1 µs", "−12.0 µs", "0"
[[nodiscard]] QString
provenanceText(const TimedSchedule &schedule);               // "sum of stages, recorded", for the whole schedule
[[nodiscard]] QString provenanceText(Provenance provenance); // "simulated"
// "330 µs, 15.6 % less": how fast a schedule without barriers could be at best; empty where that is not known.
[[nodiscard]] QString withoutBarriersText(const TimedSchedule &schedule);
[[nodiscard]] QString stageTitle(std::size_t stage);        // "Stage 4"
[[nodiscard]] QString stagesText(const StageRange &stages); // "stage 4", "stages 4 to 6"
// The same, or "launch 4", "launches 4 to 6" of a schedule with streams.
[[nodiscard]] QString stageText(const TimedSchedule &schedule, std::size_t stage);
[[nodiscard]] QString stagesText(const TimedSchedule &schedule, const StageRange &stages);
[[nodiscard]] QString blockTitle(std::size_t block);                // "Block 3"
[[nodiscard]] QString groupLetter(std::size_t group);               // "a", ..., "z", "aa"
[[nodiscard]] QString plural(std::int64_t count, const char *noun); // "1 operator", "11 operators"

} // namespace stagecraft
