#include "device/cpu/onednn/resample.h"

#include "device/cpu/onednn/flat_kernels.h"

#include <algorithm>

namespace stagecraft::cpu {
namespace {

STAGECRAFT_VECTOR_CLONES void blend(const float *const *corners, const float *weights, float *to, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = corners[0][i] * weights[0] + corners[1][i] * weights[1] + corners[2][i] * weights[2] +
                corners[3][i] * weights[3];
}

} // namespace

void resample(const float *from, const ChannelLayout &layout, std::int64_t inWidth, float *to, const Sampled &rows,
              const Sampled &columns)
{
    const std::int64_t block = layout.block;
    const std::int64_t planes = layout.batch * layout.paddedChannels() / block;
    const auto height = static_cast<std::int64_t>(rows.lower.size());
    const auto width = static_cast<std::int64_t>(columns.lower.size());
    const auto isZero = [](float weight) { return weight == 0; };
    const bool nearest = std::ranges::all_of(rows.weight, isZero) && std::ranges::all_of(columns.weight, isZero);
#pragma omp parallel for schedule(static) if (static_cast <std::size_t>(planes * height * width * block) >             \
                                              kMinParallelElements)
    for (std::int64_t row = 0; row < planes * height; ++row) {
        const auto y = static_cast<std::size_t>(row % height);
        const float *plane = from + row / height * layout.pixels * block;
        const float *low = plane + rows.lower[y] * inWidth * block;
        const float *high = plane + rows.upper[y] * inWidth * block;
        float *target = to + row * width * block;
        for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x, target += block) {
            const std::int64_t left = columns.lower[x] * block;
            if (nearest) {
                std::copy_n(low + left, block, target);
                continue;
            }
            const std::int64_t right = columns.upper[x] * block;
            const float *const corners[]{low + left, low + right, high + left, high + right};
            const float down = rows.weight[y];
            const float across = columns.weight[x];
            const float weights[]{(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across};
            blend(corners, weights, target, block);
        }
    }
}

} // namespace stagecraft::cpu
