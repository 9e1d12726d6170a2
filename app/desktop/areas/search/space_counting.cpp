#include "desktop/areas/search/space_counting.h"

#include <algorithm>
#include <chrono>

namespace stagecraft {
namespace {

// Time limits: all blocks, one block, and one block after the total is used up.
constexpr double kCountSeconds = 12;
constexpr double kBlockCountSeconds = 2;
constexpr double kLeastCountSeconds = 0.02;
constexpr std::size_t kCountStates = 2'000'000; // 300 MiB
constexpr auto kCountReportEvery = std::chrono::milliseconds(50);

} // namespace

SpaceCounting::SpaceCounting(QObject *parent) : QObject(parent)
{
    connect(&m_lane, &JobLane::busyChanged, this, &SpaceCounting::busyChanged);
}

void SpaceCounting::start(const ModelPtr &model, const SearchOptions &options)
{
    m_lane.start([this, model, options](const JobLane::Context &context) -> JobLane::Delivery {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        auto reported = begin;
        std::size_t first = 0;
        std::vector<SpaceCount> counts;
        const auto deliver = [&] {
            context.report([this, first, counts] { emit counted(first, counts); });
            first += counts.size();
            counts.clear();
            reported = Clock::now();
        };
        for (const Block &block : model->blocks) {
            const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
            CountLimits limits;
            limits.seconds = std::clamp(kCountSeconds - spent, kLeastCountSeconds, kBlockCountSeconds);
            limits.states = kCountStates;
            const auto count = countSpace(*model->graph, block, options, context.stop, limits);
            if (!count) // cancelled, or options that exclude everything
                return {};
            counts.push_back(*count);
            if (Clock::now() - reported >= kCountReportEvery)
                deliver();
        }
        deliver();
        return {};
    });
}

} // namespace stagecraft
