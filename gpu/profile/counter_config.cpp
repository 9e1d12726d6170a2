#include "gpu/profile/counter_config.h"

#include "gpu/cuda/failure.h"

#include <fmt/format.h>

namespace stagecraft::gpu {

CounterConfig::CounterConfig(const Cupti &cupti, const std::string &chip, std::span<const char *const> metrics,
                             std::vector<std::uint8_t> availability)
    : m_cupti(cupti), m_metrics(metrics.begin(), metrics.end()), m_availability(std::move(availability))
{
    auto host =
        cuptiParameters<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    host.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
    host.pChipName = chip.c_str();
    host.pCounterAvailabilityImage = m_availability.empty() ? nullptr : m_availability.data();
    requireCupti(cupti, cupti.cuptiProfilerHostInitialize(&host), ("reading the counters of " + chip).c_str());
    m_host = host.pHostObject;
    try {
        // In one call: each call adds a pass.
        auto add = cuptiParameters<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
            CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
        add.pHostObject = m_host;
        add.ppMetricNames = m_metrics.data();
        add.numMetrics = m_metrics.size();
        requireCupti(cupti, cupti.cuptiProfilerHostConfigAddMetrics(&add), ("choosing metrics of " + chip).c_str());
        auto size = cuptiParameters<CUpti_Profiler_Host_GetConfigImageSize_Params>(
            CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
        size.pHostObject = m_host;
        requireCupti(cupti, cupti.cuptiProfilerHostGetConfigImageSize(&size), "configuring counters");
        m_image.resize(size.configImageSize);
        auto image = cuptiParameters<CUpti_Profiler_Host_GetConfigImage_Params>(
            CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
        image.pHostObject = m_host;
        image.configImageSize = m_image.size();
        image.pConfigImage = m_image.data();
        requireCupti(cupti, cupti.cuptiProfilerHostGetConfigImage(&image), "configuring counters");
        auto passes = cuptiParameters<CUpti_Profiler_Host_GetNumOfPasses_Params>(
            CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
        passes.configImageSize = m_image.size();
        passes.pConfigImage = m_image.data();
        requireCupti(cupti, cupti.cuptiProfilerHostGetNumOfPasses(&passes), "configuring counters");
        m_passes = passes.numOfPasses;
        if (m_passes != 1)
            throw Failure{fail(ErrorCode::DeviceFailed,
                               fmt::format("the metrics need {} passes on {}, sampling has one", m_passes, chip))
                              .value(),
                          false};
    } catch (const Failure &) {
        auto end = cuptiParameters<CUpti_Profiler_Host_Deinitialize_Params>(
            CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
        end.pHostObject = m_host;
        cupti.cuptiProfilerHostDeinitialize(&end);
        throw;
    }
}

CounterConfig::~CounterConfig()
{
    auto end =
        cuptiParameters<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    end.pHostObject = m_host;
    m_cupti.cuptiProfilerHostDeinitialize(&end);
}

std::vector<double> CounterConfig::values(const std::vector<std::uint8_t> &data, std::size_t sample) const
{
    std::vector<double> values(m_metrics.size());
    std::vector<const char *> names = m_metrics;
    auto evaluate = cuptiParameters<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
        CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
    evaluate.pHostObject = m_host;
    evaluate.pCounterDataImage = data.data();
    evaluate.counterDataImageSize = data.size();
    evaluate.rangeIndex = sample;
    evaluate.ppMetricNames = names.data();
    evaluate.numMetrics = names.size();
    evaluate.pMetricValues = values.data();
    requireCupti(m_cupti, m_cupti.cuptiProfilerHostEvaluateToGpuValues(&evaluate), "reading sampled counters");
    return values;
}

} // namespace stagecraft::gpu
