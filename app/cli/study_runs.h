#pragma once

// Studies on the command line: the pruning trade-off (sweep) and specialisation (specialize), also for exports.

#include "cli/command_line.h"
#include "flow/study/pruning_study.h"
#include "flow/study/specialization.h"

#include <span>
#include <string>
#include <vector>

namespace stagecraft {

// --r and --s of a study: numbers and ranges, "1..5".
struct PruningBounds {
    std::vector<std::string> r{"1..3"};
    std::vector<std::string> s{"3", "8"};

    void addTo(CLI::App &command, const std::string &prefix = {}); // before the descriptions
    [[nodiscard]] PruningGrid grid() const;                        // of both strategies and connected groups
};

[[nodiscard]] Result<void> checkSize(const PruningGrid &grid); // WrongUse: too many points

// The most informative points first. Ends early, without an error, when a stop was requested.
[[nodiscard]] Result<void> runStudy(PruningStudy &study, std::span<const PruningPoint> points, const DeviceInfo &device,
                                    const CostBasis &basis, const CommandLine &line);

// Batch sizes and devices that schedules are made for and run on.
struct StudiedPlaces {
    std::vector<RunPlace> places;
    bool namesDevices = false; // there are several

    [[nodiscard]] std::string labelOf(const RunPlace &place) const; // "batch 1", "sim:k80, batch 1"
};

// Of devices, or of the one of --device, and batch sizes. "pool:FILE" stands for its members, each by itself. Errors:
// of the file.
[[nodiscard]] Result<StudiedPlaces> studiedPlaces(const std::vector<std::string> &devices, const std::string &device,
                                                  const std::vector<std::int64_t> &batches);

// Opens `model` at each place. `deviceOption` named the device, for errors.
[[nodiscard]] Specialization specializationOf(const std::string &model, const std::string &deviceOption);
// Fills the whole table.
[[nodiscard]] Result<void> fillTable(Specialization &study, const StudiedPlaces &places, const CommandLine &line);

} // namespace stagecraft
