#include "cupti_of_test.h"

namespace stagecraft::test {
namespace {

using Reason = CUpti_PmSampling_DecodeStopReason;
constexpr Reason kEnd = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
constexpr Reason kFull = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;

std::vector<PlayedSample> samplesOfDecode()
{
    if (!play.samples.empty())
        return play.samples;
    const std::uint64_t begin = 3 * (play.decodes - 1) * play.interval; // the very first has no start
    std::vector<PlayedSample> samples;
    for (std::uint64_t i = 0; i < 3; ++i)
        samples.push_back({begin + i * play.interval, begin + (i + 1) * play.interval, 10.0 + static_cast<double>(i)});
    return samples;
}

} // namespace

Play play;

const gpu::Cupti &realCupti()
{
    static const Result<gpu::Cupti> loaded = gpu::cupti();
    if (!loaded)
        qFatal("no CUPTI: %s", loaded.error().message.c_str());
    return *loaded;
}

CUptiResult note(const char *what, CUptiResult code)
{
    play.asked << what;
    return play.interval < play.worksFrom && QLatin1String(what) == QLatin1String(play.broken) ? CUPTI_ERROR_UNKNOWN
                                                                                               : code;
}

gpu::Cupti playedCupti()
{
    gpu::Cupti fake = realCupti();
    fake.cuptiSubscribe = [](CUpti_SubscriberHandle *, CUpti_CallbackFunc callback, void *) {
        play.callback = callback;
        return note("subscribe", play.subscribe);
    };
    fake.cuptiUnsubscribe = [](CUpti_SubscriberHandle) { return note("unsubscribe"); };
    fake.cuptiEnableCallback = [](std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
        return CUPTI_SUCCESS;
    };
    fake.cuptiEnableDomain = [](std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) { return CUPTI_SUCCESS; };
    fake.cuptiGetGraphNodeId = [](CUgraphNode node, std::uint64_t *id) {
        *id = reinterpret_cast<std::uintptr_t>(node);
        return CUPTI_SUCCESS;
    };
    fake.cuptiActivityRegisterCallbacks = [](CUpti_BuffersCallbackRequestFunc request,
                                             CUpti_BuffersCallbackCompleteFunc complete) {
        play.request = request;
        play.complete = complete;
        return CUPTI_SUCCESS;
    };
    fake.cuptiActivityEnable = [](CUpti_ActivityKind kind) {
        return note(kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? "trace concurrent" : "trace something else");
    };
    fake.cuptiActivityDisable = [](CUpti_ActivityKind) { return note("trace no more"); };
    fake.cuptiActivityFlushAll = [](std::uint32_t) {
        std::uint8_t *buffer = nullptr;
        std::size_t size = 0;
        std::size_t most = 0;
        play.request(&buffer, &size, &most);
        play.read = 0;
        play.complete(nullptr, 0, buffer, size, play.pending.size() * sizeof(CUpti_ActivityKernel10));
        play.pending.clear();
        return note("flush");
    };
    fake.cuptiActivityGetNextRecord = [](std::uint8_t *, std::size_t, CUpti_Activity **record) {
        if (play.read == play.pending.size())
            return CUPTI_ERROR_MAX_LIMIT_REACHED;
        *record = reinterpret_cast<CUpti_Activity *>(&play.pending[play.read++]);
        return CUPTI_SUCCESS;
    };
    fake.cuptiActivityGetNumDroppedRecords = [](CUcontext, std::uint32_t, std::size_t *dropped) {
        *dropped = 0;
        return CUPTI_SUCCESS;
    };
    fake.cuptiProfilerInitialize = [](CUpti_Profiler_Initialize_Params *) { return note("initialize"); };
    fake.cuptiProfilerDeInitialize = [](CUpti_Profiler_DeInitialize_Params *) { return note("deinitialize"); };
    fake.cuptiProfilerDeviceSupported = [](CUpti_Profiler_DeviceSupported_Params *support) {
        support->vGpu = play.vGpu;
        support->isSupported = play.isSupported;
        return CUPTI_SUCCESS;
    };
    fake.cuptiDeviceGetChipName = [](CUpti_Device_GetChipName_Params *chip) {
        chip->pChipName = "GH100";
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingGetCounterAvailability = [](CUpti_PmSampling_GetCounterAvailability_Params *ask) {
        ask->counterAvailabilityImageSize = 0;
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingEnable = [](CUpti_PmSampling_Enable_Params *enable) {
        enable->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object *>(&play);
        return note("enable", play.enable);
    };
    fake.cuptiPmSamplingDisable = [](CUpti_PmSampling_Disable_Params *) { return note("disable"); };
    fake.cuptiPmSamplingSetConfig = [](CUpti_PmSampling_SetConfig_Params *config) {
        play.interval = config->samplingInterval;
        play.decodes = 0;
        const bool good =
            config->configSize > 0 && config->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
        return note("configure", good ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
    };
    fake.cuptiPmSamplingStart = [](CUpti_PmSampling_Start_Params *) { return note("start"); };
    fake.cuptiPmSamplingStop = [](CUpti_PmSampling_Stop_Params *) { return note("stop"); };
    fake.cuptiPmSamplingGetCounterDataSize = [](CUpti_PmSampling_GetCounterDataSize_Params *size) {
        size->counterDataSize = 64;
        play.room = size->maxSamples;
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingCounterDataImageInitialize = [](CUpti_PmSampling_CounterDataImage_Initialize_Params *) {
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingDecodeData = [](CUpti_PmSampling_DecodeData_Params *decode) {
        decode->overflow = play.interval < play.holdsFrom ? 1 : 0;
        const bool isFull = play.interval < play.fitsFrom || play.room < play.roomNeeded;
        decode->decodeStopReason = isFull                               ? kFull
                                   : play.decodes < play.reasons.size() ? play.reasons[play.decodes]
                                                                        : kEnd;
        ++play.decodes;
        return note("decode");
    };
    fake.cuptiPmSamplingGetCounterDataInfo = [](CUpti_PmSampling_GetCounterDataInfo_Params *info) {
        info->numCompletedSamples = play.decodes > play.empty ? 0 : samplesOfDecode().size();
        return CUPTI_SUCCESS;
    };
    fake.cuptiPmSamplingCounterDataGetSampleInfo = [](CUpti_PmSampling_CounterData_GetSampleInfo_Params *info) {
        const PlayedSample sample = samplesOfDecode()[info->sampleIndex];
        info->startTimestamp = sample.start;
        info->endTimestamp = sample.end;
        return CUPTI_SUCCESS;
    };
    fake.cuptiProfilerHostEvaluateToGpuValues = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params *values) {
        const double first = samplesOfDecode()[values->rangeIndex].value;
        for (std::size_t i = 0; i < values->numMetrics; ++i)
            values->pMetricValues[i] = first + 10.0 * static_cast<double>(i);
        return CUPTI_SUCCESS;
    };
    return fake;
}

} // namespace stagecraft::test
