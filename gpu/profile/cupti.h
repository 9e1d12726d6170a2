#pragma once

// CUPTI, loaded when a timeline is asked for and not before: without it a GPU measures as well, and only the timeline
// is missing. One copy per process, never unloaded.

#include "support/result.h"

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <span>
#include <string>

namespace stagecraft::gpu {

// clang-format off
#define STAGECRAFT_CUPTI_FUNCTIONS(X) \
    X(cuptiGetResultString) X(cuptiGetVersion) X(cuptiSubscribe) X(cuptiUnsubscribe) X(cuptiEnableCallback) \
    X(cuptiEnableDomain) X(cuptiGetGraphNodeId) X(cuptiActivityRegisterCallbacks) X(cuptiActivityEnable) \
    X(cuptiActivityDisable) X(cuptiActivityFlushAll) X(cuptiActivityGetNextRecord) \
    X(cuptiActivityGetNumDroppedRecords) X(cuptiProfilerInitialize) X(cuptiProfilerDeInitialize) \
    X(cuptiProfilerDeviceSupported) X(cuptiDeviceGetChipName) X(cuptiProfilerHostInitialize) \
    X(cuptiProfilerHostDeinitialize) X(cuptiProfilerHostConfigAddMetrics) X(cuptiProfilerHostGetConfigImageSize) \
    X(cuptiProfilerHostGetConfigImage) X(cuptiProfilerHostGetNumOfPasses) X(cuptiProfilerHostEvaluateToGpuValues) \
    X(cuptiPmSamplingEnable) X(cuptiPmSamplingDisable) X(cuptiPmSamplingSetConfig) X(cuptiPmSamplingStart) \
    X(cuptiPmSamplingStop) X(cuptiPmSamplingDecodeData) X(cuptiPmSamplingGetCounterAvailability) \
    X(cuptiPmSamplingGetCounterDataSize) X(cuptiPmSamplingCounterDataImageInitialize) \
    X(cuptiPmSamplingGetCounterDataInfo) X(cuptiPmSamplingCounterDataGetSampleInfo)
// clang-format on

struct Cupti {
#define STAGECRAFT_CUPTI_MEMBER(name) decltype(&::name) name = nullptr;
    STAGECRAFT_CUPTI_FUNCTIONS(STAGECRAFT_CUPTI_MEMBER)
#undef STAGECRAFT_CUPTI_MEMBER
};

// DeviceFailed, with what to install: no such library, or one without a function that is needed.
[[nodiscard]] Result<Cupti> loadCupti(std::span<const std::string> files);
[[nodiscard]] const Result<Cupti> &cupti(); // from the usual places

// What a refusal means for a person: which right is missing, and who can give it.
[[nodiscard]] std::string refusalText(CUptiResult code, const std::string &cuptisWord);

// Throws Failure, not fatal, with `what` and the refusal.
void requireCupti(const Cupti &cupti, CUptiResult code, const char *what);

// CUPTI's parameter blocks begin with their size.
template <typename Parameters>
[[nodiscard]] Parameters cuptiParameters(std::size_t size)
{
    Parameters parameters{};
    parameters.structSize = size;
    return parameters;
}

} // namespace stagecraft::gpu
