#pragma once

// Where a recorded latency is from: the profile of another program, and what of its time no operator took. Times of the
// run with the median latency.

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

struct ProfileSource {
    std::string file;
    std::string sha256; // of the file as it lies there, also where it is gzipped

    friend bool operator==(const ProfileSource &, const ProfileSource &) = default;
};

// Kernels of one name that were told to be no operator's.
struct UnmappedKernels {
    std::string name;
    double timeUs = 0; // of all of them
    std::int64_t count = 0;

    friend bool operator==(const UnmappedKernels &, const UnmappedKernels &) = default;
};

struct RecordedProfile {
    std::string program; // that recorded it: "PyTorch profiler"
    std::string version; // of the program; empty: unknown
    std::vector<ProfileSource> files;
    double mappedUs = 0; // of kernels that were told to be an operator's
    double unmappedUs = 0;
    std::vector<UnmappedKernels> unmapped; // longest first
    std::vector<std::string> notes;        // what the schedule does not say of what was observed

    friend bool operator==(const RecordedProfile &, const RecordedProfile &) = default;
};

} // namespace stagecraft
