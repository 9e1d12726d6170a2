#pragma once

// The installed CUPTI, and a fake CUPTI that records calls and simulates a GPU.

#include "gpu/cuda/failure.h"
#include "gpu/profile/cupti.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace stagecraft::test {

[[nodiscard]] const gpu::Cupti &realCupti(); // ends the test if there is none

struct PlayedSample {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    double value = 10; // of the first metric; each other one has 10 more
};

// What the simulated GPU does, and what CUPTI was asked.
struct Play {
    QStringList asked;
    CUpti_CallbackFunc callback = nullptr;
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    std::vector<gpu::KernelActivity> pending; // delivered by the next flush
    std::size_t read = 0;
    CUptiResult subscribe = CUPTI_SUCCESS;
    CUptiResult enable = CUPTI_SUCCESS;
    CUpti_Profiler_Support_Level vGpu = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    CUpti_Profiler_Support_Level isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    std::uint64_t interval = 0;
    std::uint64_t holdsFrom = 0;  // the buffer overflows at finer intervals
    std::uint64_t fitsFrom = 0;   // the image fills up at finer intervals
    std::uint64_t worksFrom = 0;  // `broken` fails at finer intervals
    std::uint32_t roomNeeded = 0; // the image fills up with less
    const char *broken = "";
    std::uint32_t room = 0;                                 // samples that the image has room for
    std::vector<CUpti_PmSampling_DecodeStopReason> reasons; // of the decodes; then END_OF_RECORDS
    std::vector<PlayedSample> samples;                      // of each decode; empty: three in a row
    std::size_t decodes = 0;                                // at this interval
    std::size_t empty = SIZE_MAX;                           // later decodes return nothing
};
extern Play play;

// Records the call; returns `code`, or an unknown error if the call is the broken one.
CUptiResult note(const char *what, CUptiResult code = CUPTI_SUCCESS);

// Error texts and host functions are the real ones.
[[nodiscard]] gpu::Cupti playedCupti();

// The error of the body's Failure; empty if it did not fail.
template <typename Body>
QString failureOf(const Body &body)
{
    try {
        body();
    } catch (const gpu::Failure &failure) {
        return QString::fromStdString(failure.error.message);
    }
    return {};
}

} // namespace stagecraft::test
