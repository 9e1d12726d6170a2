#include "gpu/profile/counter_sampler.h"

#include "gpu/device/failure.h"

#include <optional>

namespace stagecraft::gpu {
namespace {

constexpr std::array<std::int64_t, 3> kIntervalsNs{2'000, 5'000, 10'000};
constexpr std::size_t kHardwareBufferBytes = std::size_t{256} << 20U;
constexpr std::uint32_t kImageSamples = 8192; // decoded at a time

const char *const kSampling = "sampling active warps";

// Which part of the machine does not allow profiling at all, in words; empty: none.
std::string unsupportedPart(const CUpti_Profiler_DeviceSupported_Params &support)
{
    const auto lacks = [](CUpti_Profiler_Support_Level level) {
        return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
    };
    if (lacks(support.vGpu))
        return refusalText(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, {});
    if (lacks(support.confidentialCompute))
        return refusalText(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, {});
    if (lacks(support.cmp))
        return refusalText(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, {});
    if (lacks(support.sli))
        return refusalText(CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, {});
    if (lacks(support.wsl))
        return refusalText(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, {});
    return lacks(support.isSupported) ? refusalText(CUPTI_ERROR_NOT_SUPPORTED, {}) : "";
}

// The profiling interface of the process, for as long as this lives.
class ProfilerInterface {
public:
    explicit ProfilerInterface(const Cupti &cupti) : m_cupti(cupti)
    {
        auto start = cuptiParameters<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
        requireCupti(cupti, cupti.cuptiProfilerInitialize(&start), kSampling);
    }
    ~ProfilerInterface()
    {
        auto end = cuptiParameters<CUpti_Profiler_DeInitialize_Params>(CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE);
        m_cupti.cuptiProfilerDeInitialize(&end);
    }
    ProfilerInterface(const ProfilerInterface &) = delete;
    ProfilerInterface &operator=(const ProfilerInterface &) = delete;

private:
    const Cupti &m_cupti;
};

// Sampling of one GPU. Enabled by the constructor, disabled once.
class Sampler {
public:
    Sampler(const Cupti &cupti, int device) : m_cupti(cupti)
    {
        auto enable = cuptiParameters<CUpti_PmSampling_Enable_Params>(CUpti_PmSampling_Enable_Params_STRUCT_SIZE);
        enable.deviceIndex = static_cast<std::size_t>(device);
        requireCupti(cupti, cupti.cuptiPmSamplingEnable(&enable), kSampling);
        m_sampling = enable.pPmSamplingObject;
    }
    ~Sampler()
    {
        if (m_isRunning)
            (void)stopped();
        auto disable = cuptiParameters<CUpti_PmSampling_Disable_Params>(CUpti_PmSampling_Disable_Params_STRUCT_SIZE);
        disable.pPmSamplingObject = m_sampling;
        m_cupti.cuptiPmSamplingDisable(&disable);
    }
    Sampler(const Sampler &) = delete;
    Sampler &operator=(const Sampler &) = delete;

    [[nodiscard]] CUptiResult configure(const CounterConfig &config, std::int64_t intervalNs)
    {
        auto set = cuptiParameters<CUpti_PmSampling_SetConfig_Params>(CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
        set.pPmSamplingObject = m_sampling;
        set.configSize = config.image().size();
        set.pConfig = config.image().data();
        set.hardwareBufferSize = kHardwareBufferBytes;
        set.samplingInterval = static_cast<std::uint64_t>(intervalNs);
        set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
        set.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
        return m_cupti.cuptiPmSamplingSetConfig(&set);
    }

    void run(const std::function<void()> &body)
    {
        auto start = cuptiParameters<CUpti_PmSampling_Start_Params>(CUpti_PmSampling_Start_Params_STRUCT_SIZE);
        start.pPmSamplingObject = m_sampling;
        requireCupti(m_cupti, m_cupti.cuptiPmSamplingStart(&start), kSampling);
        m_isRunning = true;
        body();
        requireCupti(m_cupti, stopped(), kSampling);
    }

    // None where the hardware's buffer was too small.
    [[nodiscard]] std::optional<std::vector<CounterSample>> decoded(const CounterConfig &config)
    {
        std::vector<std::uint8_t> image(imageBytes());
        std::vector<CounterSample> samples;
        for (;;) {
            initialise(image);
            auto decode =
                cuptiParameters<CUpti_PmSampling_DecodeData_Params>(CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
            decode.pPmSamplingObject = m_sampling;
            decode.pCounterDataImage = image.data();
            decode.counterDataImageSize = image.size();
            const CUptiResult code = m_cupti.cuptiPmSamplingDecodeData(&decode);
            if (decode.overflow != 0 || code == CUPTI_ERROR_OUT_OF_MEMORY)
                return std::nullopt;
            requireCupti(m_cupti, code, "reading sampled counters");
            const std::size_t before = samples.size();
            append(config, image, samples);
            if (decode.decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL ||
                samples.size() == before)
                return samples;
        }
    }

private:
    [[nodiscard]] CUptiResult stopped()
    {
        m_isRunning = false;
        auto stop = cuptiParameters<CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
        stop.pPmSamplingObject = m_sampling;
        return m_cupti.cuptiPmSamplingStop(&stop);
    }

    [[nodiscard]] std::size_t imageBytes() const
    {
        std::array<const char *, kSampledMetrics.size()> metrics = kSampledMetrics;
        auto size = cuptiParameters<CUpti_PmSampling_GetCounterDataSize_Params>(
            CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
        size.pPmSamplingObject = m_sampling;
        size.pMetricNames = metrics.data();
        size.numMetrics = metrics.size();
        size.maxSamples = kImageSamples;
        requireCupti(m_cupti, m_cupti.cuptiPmSamplingGetCounterDataSize(&size), "reading sampled counters");
        return size.counterDataSize;
    }

    void initialise(std::vector<std::uint8_t> &image) const
    {
        auto blank = cuptiParameters<CUpti_PmSampling_CounterDataImage_Initialize_Params>(
            CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
        blank.pPmSamplingObject = m_sampling;
        blank.counterDataSize = image.size();
        blank.pCounterData = image.data();
        requireCupti(m_cupti, m_cupti.cuptiPmSamplingCounterDataImageInitialize(&blank), "reading sampled counters");
    }

    void append(const CounterConfig &config, const std::vector<std::uint8_t> &image,
                std::vector<CounterSample> &samples) const
    {
        auto info = cuptiParameters<CUpti_PmSampling_GetCounterDataInfo_Params>(
            CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
        info.pCounterDataImage = image.data();
        info.counterDataImageSize = image.size();
        requireCupti(m_cupti, m_cupti.cuptiPmSamplingGetCounterDataInfo(&info), "reading sampled counters");
        for (std::size_t i = 0; i < info.numCompletedSamples; ++i) {
            auto when = cuptiParameters<CUpti_PmSampling_CounterData_GetSampleInfo_Params>(
                CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE);
            when.pPmSamplingObject = m_sampling;
            when.pCounterDataImage = image.data();
            when.counterDataImageSize = image.size();
            when.sampleIndex = i;
            requireCupti(m_cupti, m_cupti.cuptiPmSamplingCounterDataGetSampleInfo(&when), "reading sampled counters");
            // The first sample of a run has no beginning.
            if (when.endTimestamp <= when.startTimestamp || when.startTimestamp == 0)
                continue;
            const std::vector<double> values = config.values(image, i);
            samples.push_back({static_cast<std::int64_t>(when.startTimestamp),
                               static_cast<std::int64_t>(when.endTimestamp), values[0], values[1], values[2]});
        }
    }

    const Cupti &m_cupti;
    CUpti_PmSampling_Object *m_sampling = nullptr;
    bool m_isRunning = false;
};

std::vector<std::uint8_t> availabilityOf(const Cupti &cupti, int device)
{
    auto ask = cuptiParameters<CUpti_PmSampling_GetCounterAvailability_Params>(
        CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE);
    ask.deviceIndex = static_cast<std::size_t>(device);
    requireCupti(cupti, cupti.cuptiPmSamplingGetCounterAvailability(&ask), kSampling);
    std::vector<std::uint8_t> image(ask.counterAvailabilityImageSize);
    ask.pCounterAvailabilityImage = image.data();
    requireCupti(cupti, cupti.cuptiPmSamplingGetCounterAvailability(&ask), kSampling);
    return image;
}

std::string chipOf(const Cupti &cupti, int device)
{
    auto ask = cuptiParameters<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
    ask.deviceIndex = static_cast<std::size_t>(device);
    requireCupti(cupti, cupti.cuptiDeviceGetChipName(&ask), kSampling);
    return ask.pChipName;
}

} // namespace

SampledRun sampleCounters(const Cupti &cupti, int device, const std::function<void()> &body)
{
    const ProfilerInterface profiling(cupti);
    auto support =
        cuptiParameters<CUpti_Profiler_DeviceSupported_Params>(CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
    support.cuDevice = device;
    support.api = CUPTI_PROFILER_PM_SAMPLING;
    if (cupti.cuptiProfilerDeviceSupported(&support) == CUPTI_SUCCESS) {
        if (const std::string part = unsupportedPart(support); !part.empty())
            throw Failure{{ErrorCode::DeviceFailed, std::string(kSampling) + " failed: " + part, {}, {}}, false};
    }
    const CounterConfig config(cupti, chipOf(cupti, device), kSampledMetrics, availabilityOf(cupti, device));
    CUptiResult refused = CUPTI_SUCCESS;
    for (const std::int64_t intervalNs : kIntervalsNs) {
        // Each try has a sampler of its own: a buffer that ran over is not to be used again.
        Sampler sampler(cupti, device);
        refused = sampler.configure(config, intervalNs);
        if (refused != CUPTI_SUCCESS)
            continue;
        sampler.run(body);
        if (auto samples = sampler.decoded(config))
            return {std::move(*samples), intervalNs};
    }
    requireCupti(cupti, refused, kSampling);
    throw Failure{{ErrorCode::DeviceFailed,
                   std::string(kSampling) + " failed: the schedule makes more samples than the buffer holds",
                   {},
                   {}},
                  false};
}

} // namespace stagecraft::gpu
