#pragma once

// CUPTI, loaded when a timeline is first asked for: without it a GPU can still measure, and only the timeline is
// missing. One copy per process, never unloaded.

#include "support/result.h"

#include <cupti.h>
#if __has_include(<cupti_pmsampling.h>) // toolkits before 12.6 do not sample counters
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#endif
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <span>
#include <string>

namespace stagecraft::gpu {

// Names that toolkits before 12.8 lack.
inline constexpr int kMigNotSupported = 43; // CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED
inline constexpr int kSliNotSupported = 44;
inline constexpr int kWslNotSupported = 45;
#if CUPTI_API_VERSION >= 130000
using KernelActivity = CUpti_ActivityKernel10;
#else
using KernelActivity = CUpti_ActivityKernel9;
#endif

// clang-format off
#define STAGECRAFT_CUPTI_FUNCTIONS(X) \
    X(cuptiGetResultString) X(cuptiGetVersion) X(cuptiSubscribe) X(cuptiUnsubscribe) X(cuptiEnableCallback) \
    X(cuptiEnableDomain) X(cuptiGetGraphNodeId) X(cuptiActivityRegisterCallbacks) X(cuptiActivityEnable) \
    X(cuptiActivityDisable) X(cuptiActivityFlushAll) X(cuptiActivityGetNextRecord) \
    X(cuptiActivityGetNumDroppedRecords)
#if __has_include(<cupti_pmsampling.h>)
#define STAGECRAFT_CUPTI_SAMPLING_FUNCTIONS(X) \
    X(cuptiProfilerInitialize) X(cuptiProfilerDeInitialize) X(cuptiProfilerDeviceSupported) \
    X(cuptiDeviceGetChipName) X(cuptiProfilerHostInitialize) X(cuptiProfilerHostDeinitialize) \
    X(cuptiProfilerHostConfigAddMetrics) X(cuptiProfilerHostGetConfigImageSize) X(cuptiProfilerHostGetConfigImage) \
    X(cuptiProfilerHostGetNumOfPasses) X(cuptiProfilerHostEvaluateToGpuValues) X(cuptiPmSamplingEnable) \
    X(cuptiPmSamplingDisable) X(cuptiPmSamplingSetConfig) X(cuptiPmSamplingStart) X(cuptiPmSamplingStop) \
    X(cuptiPmSamplingDecodeData) X(cuptiPmSamplingGetCounterAvailability) X(cuptiPmSamplingGetCounterDataSize) \
    X(cuptiPmSamplingCounterDataImageInitialize) X(cuptiPmSamplingGetCounterDataInfo) \
    X(cuptiPmSamplingCounterDataGetSampleInfo)
#else
#define STAGECRAFT_CUPTI_SAMPLING_FUNCTIONS(X)
#endif
// clang-format on

struct Cupti {
#define STAGECRAFT_CUPTI_MEMBER(name) decltype(&::name) name = nullptr; // NOLINT(bugprone-macro-parentheses)
    STAGECRAFT_CUPTI_FUNCTIONS(STAGECRAFT_CUPTI_MEMBER)
    STAGECRAFT_CUPTI_SAMPLING_FUNCTIONS(STAGECRAFT_CUPTI_MEMBER)
#undef STAGECRAFT_CUPTI_MEMBER
};

// DeviceFailed, with what to install: the library is missing, or lacks a required function.
[[nodiscard]] Result<Cupti> loadCupti(std::span<const std::string> files);
[[nodiscard]] const Result<Cupti> &cupti(); // from the usual places

// A refusal as text for people: the missing permission, and who can give it.
[[nodiscard]] std::string refusalText(int code, const std::string &cuptiText);

// Throws Failure, not fatal, with `what` and the refusal.
void requireCupti(const Cupti &cupti, CUptiResult code, const char *what);

// CUPTI's parameter blocks start with their size.
template <typename Parameters>
[[nodiscard]] Parameters cuptiParameters(std::size_t size)
{
    Parameters parameters{};
    parameters.structSize = size;
    return parameters;
}

} // namespace stagecraft::gpu
