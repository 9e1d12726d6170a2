#include "cpu/onednn/flat_kernels.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::cpu {
namespace {

// Small enough that the partial sums stay in the first-level cache.
constexpr std::size_t kChunk = 4096;
constexpr std::int64_t kDenseRow = 1024;

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
            const bool dense = fromLayout.block == run && toLayout.block == run;
            const std::int64_t rows = dense ? (pixels * run + kDenseRow - 1) / kDenseRow : pixels;
#pragma omp parallel for schedule(static) if (static_cast <std::size_t>(pixels * run) > kWorthThreads)
            for (std::int64_t row = 0; row < rows; ++row) {
                if (dense)
                    copyRun(source + row * kDenseRow, target + row * kDenseRow,
                            static_cast<std::size_t>(std::min(kDenseRow, pixels * run - row * kDenseRow)));
                else
                    copyRun(source + row * fromLayout.block, target + row * toLayout.block,
                            static_cast<std::size_t>(run));
            }
            done += run;
        }
    }
}

void joinChannelsLast(std::span<const float *const> from, std::span<const std::int64_t> widths, float *to,
                      std::int64_t pixels)
{
    const std::int64_t whole = std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
#pragma omp parallel for schedule(static) if (static_cast <std::size_t>(pixels * whole) > kWorthThreads)
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        float *target = to + pixel * whole;
        for (std::size_t k = 0; k < from.size(); ++k) {
            copyRun(from[k] + pixel * widths[k], target, static_cast<std::size_t>(widths[k]));
            target += widths[k];
        }
    }
}

void unfoldPatches(const float *from, float *to, std::int64_t rows, std::int64_t columns, std::int64_t height,
                   std::int64_t run)
{
#pragma omp parallel for schedule(static) if (static_cast <std::size_t>(rows * columns * height * run) > kWorthThreads)
    for (std::int64_t row = 0; row < rows * height; ++row) {
        const float *source = from + (row / height * columns * height + row % height) * run;
        float *target = to + row * columns * run;
        for (std::int64_t column = 0; column < columns; ++column, source += height * run, target += run)
            copyRun(source, target, static_cast<std::size_t>(run));
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
