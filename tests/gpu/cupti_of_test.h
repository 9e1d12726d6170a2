#pragma once

// The CUPTI that is installed, and one of the tests' own that notes what it is asked and plays a GPU.

#include "gpu/cuda/failure.h"
#include "gpu/profile/cupti.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace stagecraft::test {

[[nodiscard]] const gpu::Cupti &realCupti(); // the installed one; ends the test where there is none

struct PlayedSample {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    double value = 10; // of the first metric; the others have 10 more each
};

// What the GPU does, and what was asked of CUPTI.
struct Play {
    QStringList asked;
    CUpti_CallbackFunc callback = nullptr;
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    std::vector<CUpti_ActivityKernel10> pending; // handed over by the next flush
    std::size_t read = 0;
    CUptiResult subscribe = CUPTI_SUCCESS;
    CUptiResult enable = CUPTI_SUCCESS;
    CUpti_Profiler_Support_Level vGpu = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    std::uint64_t interval = 0;
    std::uint64_t holdsFrom = 0; // the buffer runs over at finer intervals
    std::uint64_t fitsFrom = 0;  // the image fills up at finer intervals
    std::uint64_t worksFrom = 0; // `broken` fails at finer intervals
    const char *broken = "";
    std::uint32_t room = 0;                                 // samples that the image was made for
    std::vector<CUpti_PmSampling_DecodeStopReason> reasons; // of the decodes, END_OF_RECORDS after them
    std::vector<PlayedSample> samples;                      // of each decode; none: three, one behind the other
    std::size_t decodes = 0;                                // at this interval
    std::size_t empty = SIZE_MAX;                           // decodes from this one on have nothing
};
extern Play play;

// Notes the call; `code`, or an unknown error where the call is the broken one.
CUptiResult note(const char *what, CUptiResult code = CUPTI_SUCCESS);

// Words and host functions are the real ones.
[[nodiscard]] gpu::Cupti playedCupti();

// What the body's Failure says; nothing: it did not fail.
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
