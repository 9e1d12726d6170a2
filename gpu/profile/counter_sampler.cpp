#include "gpu/profile/counter_sampler.h"

#include "gpu/cuda/failure.h"
#include "gpu/profile/counter_config.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

namespace stagecraft::gpu {
namespace {

// 5 us is the finest interval of NVIDIA's own profilers (200 kHz); 10 us are required.
constexpr std::array<std::int64_t, 5> kIntervalsNs{5'000, 10'000, 20'000, 50'000, 100'000};
// Bytes per sample: 4 to 7 KB here, and about 16 KB in the decoded image.
constexpr std::size_t kHardwareBufferBytes = std::size_t{256} << 20U;
constexpr std::int64_t kFewestSamples = std::int64_t{1} << 13U; // 41 ms at the finest interval: room for surprises
constexpr std::int64_t kMostSamples = std::int64_t{1} << 15U;
constexpr std::int64_t kSpareSamples = 64;
constexpr int kMostRuns = 5;
constexpr std::chrono::microseconds kPause{500}; // before, between and after runs
constexpr std::int64_t kPauseNs = 600'000;       // duration of a pause
constexpr int kEmptyDecodes = 2;                 // in a row, after which no more samples are expected

const char *const kSampling = "sampling active warps";
const char *const kReading = "reading sampled counters";

// CUPTI does not sample at this interval; another one may work.
struct Refused : Failure {};

// There were more samples than the image has room for: at the same interval, with more room, it may work.
struct ImageFull : Refused {};

Failure failure(const std::string &why)
{
    return {fail(ErrorCode::DeviceFailed, fmt::format("{} {}", kSampling, why)).value(), false};
}

[[noreturn]] void refuse(const std::string &why)
{
    throw Refused{failure("failed: " + why)};
}

void allow(const Cupti &cupti, CUptiResult code, const char *what)
{
    try {
        requireCupti(cupti, code, what);
    } catch (const Failure &failure) {
        throw Refused{failure};
    }
}

// The number of samples to reserve. Sampling locks the clocks, maybe lower than otherwise: half as much again.
std::int64_t samplesOf(int runs, std::int64_t runNs, std::int64_t intervalNs)
{
    return std::max(kFewestSamples, 3 * (runs * (runNs + kPauseNs) + kPauseNs) / (2 * intervalNs) + kSpareSamples);
}

// What does not allow profiling at all, as text; empty: nothing.
std::string unsupportedPart(const CUpti_Profiler_DeviceSupported_Params &support)
{
    const auto lacks = [](CUpti_Profiler_Support_Level level) {
        return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
    };
    // The other fields say why it is not; some of them are set on a GPU that allows it.
    if (!lacks(support.isSupported))
        return {};
    if (lacks(support.vGpu))
        return refusalText(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, {});
    if (lacks(support.confidentialCompute))
        return refusalText(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, {});
    if (lacks(support.cmp))
        return refusalText(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, {});
    if (lacks(support.sli))
        return refusalText(kSliNotSupported, {});
    if (lacks(support.wsl))
        return refusalText(kWslNotSupported, {});
    return refusalText(CUPTI_ERROR_NOT_SUPPORTED, {});
}

// The profiling interface of the process, for the lifetime of the object.
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

// Samples one GPU. Enabled by the constructor, disabled once.
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

    void configure(const CounterConfig &config, std::int64_t intervalNs)
    {
        auto set = cuptiParameters<CUpti_PmSampling_SetConfig_Params>(CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
        set.pPmSamplingObject = m_sampling;
        set.configSize = config.image().size();
        set.pConfig = config.image().data();
        set.hardwareBufferSize = kHardwareBufferBytes;
        set.samplingInterval = static_cast<std::uint64_t>(intervalNs);
        set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
#if CUPTI_API_VERSION >= 26 // toolkit 12.8; before, there is no other mode
        set.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
#endif
        allow(m_cupti, m_cupti.cuptiPmSamplingSetConfig(&set), kSampling);
        m_intervalNs = intervalNs;
    }

    void run(int runs, const std::function<void()> &run)
    {
        auto start = cuptiParameters<CUpti_PmSampling_Start_Params>(CUpti_PmSampling_Start_Params_STRUCT_SIZE);
        start.pPmSamplingObject = m_sampling;
        allow(m_cupti, m_cupti.cuptiPmSamplingStart(&start), kSampling);
        m_isRunning = true;
        for (int i = 0; i < runs; ++i) {
            std::this_thread::sleep_for(kPause);
            run();
        }
        std::this_thread::sleep_for(kPause);
        allow(m_cupti, stopped(), kSampling);
    }

    // Decodes into an image for `most` samples. What does not fit is lost. Throws ImageFull.
    [[nodiscard]] std::vector<CounterSample> decoded(const CounterConfig &config, std::int64_t most)
    {
        std::vector<std::uint8_t> image(imageBytes(most));
        std::vector<CounterSample> samples;
        m_leftOut = 0;
        m_hasBegun = false;
        for (int barren = 0; barren < kEmptyDecodes;) {
            initialise(image);
            auto decode =
                cuptiParameters<CUpti_PmSampling_DecodeData_Params>(CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
            decode.pPmSamplingObject = m_sampling;
            decode.pCounterDataImage = image.data();
            decode.counterDataImageSize = image.size();
            const CUptiResult code = m_cupti.cuptiPmSamplingDecodeData(&decode);
            if (decode.overflow != 0 || code == CUPTI_ERROR_OUT_OF_MEMORY)
                refuse("there are more samples than the GPU's buffer holds");
            allow(m_cupti, code, kReading);
            if (decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL)
                throw ImageFull{{failure("failed: there are more samples than expected")}};
            const std::size_t found = append(config, image, samples);
            if (decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS)
                break;
            barren = found == 0 ? barren + 1 : 0; // an empty result for another reason: more may come
        }
        if (m_leftOut > samples.size())
            refuse("most samples have no time or value");
        std::ranges::stable_sort(samples, {}, &CounterSample::startNs);
        return samples;
    }

    [[nodiscard]] std::size_t leftOut() const
    {
        return m_leftOut;
    }

private:
    [[nodiscard]] CUptiResult stopped()
    {
        m_isRunning = false;
        auto stop = cuptiParameters<CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
        stop.pPmSamplingObject = m_sampling;
        return m_cupti.cuptiPmSamplingStop(&stop);
    }

    [[nodiscard]] std::size_t imageBytes(std::int64_t samples) const
    {
        std::array<const char *, kSampledMetrics.size()> metrics = kSampledMetrics;
        auto size = cuptiParameters<CUpti_PmSampling_GetCounterDataSize_Params>(
            CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
        size.pPmSamplingObject = m_sampling;
        size.pMetricNames = metrics.data();
        size.numMetrics = metrics.size();
        size.maxSamples = static_cast<std::uint32_t>(samples);
        allow(m_cupti, m_cupti.cuptiPmSamplingGetCounterDataSize(&size), kReading);
        return size.counterDataSize;
    }

    void initialise(std::vector<std::uint8_t> &image) const
    {
        auto blank = cuptiParameters<CUpti_PmSampling_CounterDataImage_Initialize_Params>(
            CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
        blank.pPmSamplingObject = m_sampling;
        blank.counterDataSize = image.size();
        blank.pCounterData = image.data();
        allow(m_cupti, m_cupti.cuptiPmSamplingCounterDataImageInitialize(&blank), kReading);
    }

    // Returns how many samples the image had, used or not.
    std::size_t append(const CounterConfig &config, const std::vector<std::uint8_t> &image,
                       std::vector<CounterSample> &samples)
    {
        auto info = cuptiParameters<CUpti_PmSampling_GetCounterDataInfo_Params>(
            CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
        info.pCounterDataImage = image.data();
        info.counterDataImageSize = image.size();
        allow(m_cupti, m_cupti.cuptiPmSamplingGetCounterDataInfo(&info), kReading);
        for (std::size_t i = 0; i < info.numCompletedSamples; ++i) {
            auto when = cuptiParameters<CUpti_PmSampling_CounterData_GetSampleInfo_Params>(
                CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE);
            when.pPmSamplingObject = m_sampling;
            when.pCounterDataImage = image.data();
            when.counterDataImageSize = image.size();
            when.sampleIndex = i;
            allow(m_cupti, m_cupti.cuptiPmSamplingCounterDataGetSampleInfo(&when), kReading);
            if (when.endTimestamp == when.startTimestamp && when.startTimestamp != 0)
                continue; // covers no time: one or two at the end of sampling
            const bool isFirst = !std::exchange(m_hasBegun, true);
            if (const auto sample = sampleAt(when.startTimestamp, when.endTimestamp, config.values(image, i)))
                samples.push_back(*sample);
            else if (!isFirst)
                ++m_leftOut;
        }
        return info.numCompletedSamples;
    }

    // Empty if not usable. The first sample covers all the time since the previous sampling, or has no start; others
    // have been seen with times and values of zero.
    [[nodiscard]] std::optional<CounterSample> sampleAt(std::uint64_t startNs, std::uint64_t endNs,
                                                        const std::vector<double> &values) const
    {
        constexpr auto kLatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        constexpr std::uint64_t kLongest = 4; // intervals
        if (startNs == 0 || endNs <= startNs || endNs > kLatest ||
            endNs - startNs > kLongest * static_cast<std::uint64_t>(m_intervalNs))
            return std::nullopt;
        if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value) && value >= 0; }))
            return std::nullopt;
        return CounterSample{static_cast<std::int64_t>(startNs), static_cast<std::int64_t>(endNs), values[0], values[1],
                             values[2]};
    }

    const Cupti &m_cupti;
    CUpti_PmSampling_Object *m_sampling = nullptr;
    std::int64_t m_intervalNs = 0;
    std::size_t m_leftOut = 0;
    bool m_isRunning = false;
    bool m_hasBegun = false;
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

void requireSupport(const Cupti &cupti, int device)
{
    auto support =
        cuptiParameters<CUpti_Profiler_DeviceSupported_Params>(CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
    support.cuDevice = device;
    support.api = CUPTI_PROFILER_PM_SAMPLING;
    if (cupti.cuptiProfilerDeviceSupported(&support) != CUPTI_SUCCESS)
        return; // if it does not work, later calls report it
    if (const std::string part = unsupportedPart(support); !part.empty())
        throw failure("failed: " + part);
}

// Samples at one interval, from CUPTI's start to its end: no state is left for the next attempt. A full image is no
// reason to end: the GPU's own buffer is fine, so the runs are sampled once more, into twice the room.
SampledRun sampledEvery(std::int64_t intervalNs, std::int64_t most, const Cupti &cupti, int device, int runs,
                        const std::function<void()> &run)
{
    const ProfilerInterface profiling(cupti);
    requireSupport(cupti, device);
    const CounterConfig config(cupti, chipOf(cupti, device), kSampledMetrics, availabilityOf(cupti, device));
    Sampler sampler(cupti, device);
    sampler.configure(config, intervalNs);
    SampledRun sampled{{}, intervalNs, {}};
    for (bool isDecoded = false; !isDecoded;) {
        sampler.run(runs, run);
        try {
            sampled.samples = sampler.decoded(config, most);
            isDecoded = true;
        } catch (const ImageFull &) {
            if (most >= kMostSamples)
                throw;
            most = std::min(2 * most, kMostSamples);
        }
    }
    if (sampler.leftOut() > 0)
        sampled.notes.push_back(fmt::format("{} of {} samples had no time or value and were left out",
                                            sampler.leftOut(), sampler.leftOut() + sampled.samples.size()));
    return sampled;
}

} // namespace

SampledRun sampleCounters(const Cupti &cupti, int device, std::int64_t runNs, const std::function<void()> &run)
{
    if (std::getenv("STAGECRAFT_NO_SAMPLING"))
        throw failure("is switched off (STAGECRAFT_NO_SAMPLING)");
    int runs = kMostRuns;
    while (runs > 1 && samplesOf(runs, runNs, kIntervalsNs.front()) > kMostSamples)
        --runs;
    std::vector<std::string> notes;
    Refused last{failure("failed: a run of the schedule is too long")};
    for (const std::int64_t intervalNs : kIntervalsNs) {
        const std::int64_t most = samplesOf(runs, runNs, intervalNs);
        if (most > kMostSamples)
            continue;
        try {
            SampledRun sampled = sampledEvery(intervalNs, most, cupti, device, runs, run);
            sampled.notes.insert(sampled.notes.begin(), notes.begin(), notes.end());
            return sampled;
        } catch (const Refused &refused) {
            notes.push_back(fmt::format("every {} us: {}", intervalNs / 1000, refused.error.message));
            last = refused;
        } catch (Failure &failure) {
            if (!notes.empty()) // the likely reason
                failure.error.message += fmt::format(" (after {})", notes.back());
            throw;
        }
    }
    throw Failure(last);
}

} // namespace stagecraft::gpu
