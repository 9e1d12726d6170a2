#include "flow/tune_kernels.h"

#include "search/order/tile_search.h"
#include "timing/statistics/means.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace stagecraft {
namespace {

constexpr std::size_t kBatch = 8; // measured before the model is fitted again
constexpr std::size_t kFewestSamples = 24;
constexpr int kRoundsOfTrial = 2;
constexpr std::size_t kFinalists = 3;
constexpr int kRoundsOfFinalists = 4;
constexpr int kRoundsOfBest = 3 * kRoundsForVerdict;

constexpr double kMostSpread = 0.1; // of the mean; above, the machine was busy

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double ratioOf(const KernelTrial &trial)
{
    return geometricMeanOf(trial.tunedUs) / geometricMeanOf(trial.libraryUs);
}

// Other programs slow the library's threads down, and ours less: what is found beside them may not hold without.
bool isDisturbed(const std::vector<double> &roundsUs)
{
    return deviationOf(roundsUs) > kMostSpread * meanOf(roundsUs);
}

class Tuning {
public:
    Tuning(KernelTuner &tuner, const TuneRequest &request, const TuneCallback &onProgress, std::stop_token stop)
        : m_tuner(tuner), m_request(request), m_onProgress(onProgress), m_stop(std::move(stop))
    {
    }

    Result<KernelTuning> tune(const TunableKernel &kernel, TuneProgress progress)
    {
        std::vector<std::vector<int>> axes;
        for (const KernelAxis &axis : kernel.axes)
            axes.push_back(axis.values);
        TileSearch search(std::move(axes), kernel.features, static_cast<std::uint32_t>(progress.kernel + 1));
        const auto start = Clock::now();
        const double seconds = secondsFor(progress);
        while (progress.trials < m_request.trials && (progress.trials == 0 || secondsSince(start) < seconds)) {
            const auto left = static_cast<std::size_t>(m_request.trials - progress.trials);
            const auto next = search.next(std::min(kBatch, left), model(search).get());
            if (next.empty())
                break;
            for (const KernelParameters &parameters : next) {
                TRY_AS(const auto trial, m_tuner.tryKernel(kernel.key, parameters, kRoundsOfTrial, m_stop));
                const double ratio = ratioOf(trial);
                search.add(parameters, ratio);
                ++progress.trials;
                progress.bestRatio = progress.bestRatio > 0 ? std::min(progress.bestRatio, ratio) : ratio;
                if (m_onProgress)
                    m_onProgress(progress);
            }
        }
        const auto samples = search.samples();
        m_samples.insert(m_samples.end(), samples.begin(), samples.end());
        return judged(kernel, search);
    }

private:
    [[nodiscard]] double secondsFor(const TuneProgress &progress) const
    {
        if (!m_request.seconds)
            return std::numeric_limits<double>::infinity();
        const double left = std::max(0.0, *m_request.seconds - secondsSince(m_start));
        return left / static_cast<double>(progress.kernels - progress.kernel);
    }

    // Of this kernel's samples and those of the kernels before; null: too few, or the library failed.
    [[nodiscard]] std::unique_ptr<LatencyModel> model(const TileSearch &search) const
    {
        std::vector<StageSample> samples = m_samples;
        const auto own = search.samples();
        samples.insert(samples.end(), own.begin(), own.end());
        auto fitted = LatencyModel::fit(samples, search.features(), kFewestSamples);
        return fitted ? std::move(*fitted) : nullptr;
    }

    // The best of many looks better than it is: it is chosen among the fastest by new measurements, and judged by
    // others.
    Result<KernelTuning> judged(const TunableKernel &kernel, const TileSearch &search)
    {
        KernelParameters best;
        double bestRatio = std::numeric_limits<double>::infinity();
        for (const KernelParameters &parameters : search.fastest(kFinalists)) {
            TRY_AS(const auto trial, m_tuner.tryKernel(kernel.key, parameters, kRoundsOfFinalists, m_stop));
            if (ratioOf(trial) < bestRatio) {
                bestRatio = ratioOf(trial);
                best = parameters;
            }
        }
        TRY_AS(const auto trial, m_tuner.tryKernel(kernel.key, best, kRoundsOfBest, m_stop));
        const SpeedupEstimate estimate = judge(trial.libraryUs, trial.tunedUs);
        const bool isBusy = isDisturbed(trial.libraryUs) || isDisturbed(trial.tunedUs);
        KernelTuning tuning;
        tuning.verdict = isBusy ? Verdict::NotShown : estimate.verdict;
        tuning.operators = kernel.operators;
        for (const KernelAxis &axis : kernel.axes)
            tuning.parameterNames.push_back(axis.name);
        tuning.best = {kernel.key,
                       tuning.verdict == Verdict::Faster ? best : KernelParameters{},
                       medianOf(trial.tunedUs),
                       medianOf(trial.libraryUs),
                       estimate.speedup,
                       estimate.low,
                       estimate.high,
                       static_cast<std::int64_t>(search.measured())};
        return tuning;
    }

    KernelTuner &m_tuner;
    const TuneRequest &m_request;
    const TuneCallback &m_onProgress;
    std::stop_token m_stop;
    Clock::time_point m_start = Clock::now();
    std::vector<StageSample> m_samples; // of the kernels before
};

} // namespace

Result<std::vector<KernelTuning>> tuneKernels(DeviceSession &session, const TuneRequest &request,
                                              const std::function<Result<void>(const KernelTuning &)> &found,
                                              const TuneCallback &onProgress, const std::stop_token &stop)
{
    KernelTuner *tuner = session.tuner();
    if (!tuner)
        return fail(ErrorCode::WrongUse, "the device has no kernels of its own whose tiles could be searched",
                    "Tune on cpu");
    TRY_AS(const auto kernels, tuner->tunableKernels(stop));
    Tuning tuning(*tuner, request, onProgress, stop);
    std::vector<KernelTuning> all;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        auto tuned = tuning.tune(kernels[i], {i, kernels.size(), 0, 0});
        if (!tuned && tuned.error().code == ErrorCode::Cancelled)
            return all;
        TRY(tuned);
        TRY(found(*tuned));
        all.push_back(std::move(*tuned));
    }
    return all;
}

double meanSpeedup(const std::vector<KernelTuning> &kernels)
{
    std::vector<double> speedups;
    for (const KernelTuning &kernel : kernels)
        speedups.push_back(kernel.best.parameters.empty() ? 1 : kernel.best.speedup);
    return speedups.empty() ? 1 : geometricMeanOf(speedups);
}

} // namespace stagecraft
