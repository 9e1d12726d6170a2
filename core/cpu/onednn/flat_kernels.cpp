#include "cpu/onednn/flat_kernels.h"

#include <algorithm>

namespace stagecraft::cpu {
namespace {

// Small enough that the partial sums stay in the first-level cache, large enough to be split among threads seldom.
constexpr std::size_t kChunk = 4096;
constexpr std::size_t kWorthThreads = 4 * kChunk;

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define STAGECRAFT_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define STAGECRAFT_VECTOR_CLONES
#endif

STAGECRAFT_VECTOR_CLONES void copyRun(const float *from, float *to, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = from[i];
}

STAGECRAFT_VECTOR_CLONES void addRun(const float *a, const float *b, float *to, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = a[i] + b[i];
}

STAGECRAFT_VECTOR_CLONES void reluRun(float *to, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = to[i] > 0 ? to[i] : 0;
}

} // namespace

void sumRuns(std::span<const float *const> from, float *to, std::size_t count, bool relu)
{
    const auto chunks = static_cast<std::ptrdiff_t>((count + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(static) if (count > kWorthThreads)
    for (std::ptrdiff_t chunk = 0; chunk < chunks; ++chunk) {
        const std::size_t begin = static_cast<std::size_t>(chunk) * kChunk;
        const std::size_t size = std::min(kChunk, count - begin);
        if (from.size() == 1)
            copyRun(from[0] + begin, to + begin, size);
        else
            addRun(from[0] + begin, from[1] + begin, to + begin, size);
        for (std::size_t k = 2; k < from.size(); ++k)
            addRun(to + begin, from[k] + begin, to + begin, size);
        if (relu)
            reluRun(to + begin, size);
    }
}

void copyChannels(const float *from, const ChannelLayout &fromLayout, std::int64_t fromChannel, float *to,
                  const ChannelLayout &toLayout, std::int64_t toChannel, std::int64_t count)
{
    const std::int64_t pixels = toLayout.pixels;
    for (std::int64_t image = 0; image < toLayout.batch; ++image) {
        // Runs of channels that lie side by side in both.
        for (std::int64_t done = 0; done < count;) {
            const std::int64_t run = std::min({count - done, fromLayout.block - (fromChannel + done) % fromLayout.block,
                                               toLayout.block - (toChannel + done) % toLayout.block});
            const float *source = from + fromLayout.offset(image, fromChannel + done);
            float *target = to + toLayout.offset(image, toChannel + done);
            if (fromLayout.block == run && toLayout.block == run) {
                std::copy_n(source, pixels * run, target);
            } else {
                for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
                    for (std::int64_t channel = 0; channel < run; ++channel)
                        target[pixel * toLayout.block + channel] = source[pixel * fromLayout.block + channel];
                }
            }
            done += run;
        }
    }
}

void zeroPadding(float *to, const ChannelLayout &layout)
{
    const std::int64_t used = layout.channels % layout.block;
    if (used == 0)
        return;
    for (std::int64_t image = 0; image < layout.batch; ++image) {
        float *block = to + layout.offset(image, layout.channels / layout.block * layout.block);
        for (std::int64_t pixel = 0; pixel < layout.pixels; ++pixel)
            std::fill(block + pixel * layout.block + used, block + (pixel + 1) * layout.block, 0.0F);
    }
}

} // namespace stagecraft::cpu
