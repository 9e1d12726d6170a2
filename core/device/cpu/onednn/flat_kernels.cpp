#include "device/cpu/onednn/flat_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace stagecraft::cpu {
namespace {

// Small enough that the partial sums stay in the first-level cache.
constexpr std::size_t kChunk = 4096;

// Calls body(first row, count) for chunks of about kChunk floats, on all threads if there is enough to do.
template <typename Body>
void forRows(std::int64_t rows, std::int64_t width, const Body &body)
{
    const std::int64_t share =
        std::max<std::int64_t>(static_cast<std::int64_t>(kChunk) / std::max<std::int64_t>(width, 1), 1);
    const std::int64_t shares = (rows + share - 1) / share;
#pragma omp parallel for schedule(static) if (static_cast <std::size_t>(rows * width) > kMinParallelElements)
    for (std::int64_t i = 0; i < shares; ++i)
        body(i * share, std::min(share, rows - i * share));
}

STAGECRAFT_VECTOR_CLONES void copyRun(const float *from, float *to, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = from[i];
}

// Copies `rows` short runs, `fromPitch` and `toPitch` apart. A call or a loop for each run would cost more than the
// copy.
STAGECRAFT_VECTOR_CLONES void copyRows(const float *from, std::int64_t fromPitch, float *to, std::int64_t toPitch,
                                       std::int64_t width, std::int64_t rows)
{
    constexpr std::int64_t kPiece = 8;
    const std::int64_t whole = width / kPiece * kPiece;
    for (std::int64_t row = 0; row < rows; ++row, from += fromPitch, to += toPitch) {
        std::int64_t i = 0;
        for (; i < whole; i += kPiece)
            std::memcpy(to + i, from + i, kPiece * sizeof(float));
        for (; i < width; ++i)
            to[i] = from[i];
    }
}

STAGECRAFT_VECTOR_CLONES void interleavePixels(const float *from, float *to, std::int64_t channels, std::int64_t pixels,
                                               std::int64_t begin, std::int64_t end)
{
    if (channels == 3) { // RGB: with a constant count the compiler needs no loop over channels
        for (std::int64_t i = begin; i < end; ++i) {
            to[i * 3] = from[i];
            to[i * 3 + 1] = from[pixels + i];
            to[i * 3 + 2] = from[2 * pixels + i];
        }
        return;
    }
    for (std::int64_t i = begin; i < end; ++i) {
        for (std::int64_t channel = 0; channel < channels; ++channel)
            to[i * channels + channel] = from[channel * pixels + i];
    }
}

STAGECRAFT_VECTOR_CLONES void addRun(const float *a, const float *b, float *to, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = a[i] + b[i];
}

STAGECRAFT_VECTOR_CLONES void reluRun(float *to, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = to[i] < 0 ? 0 : to[i]; // what is no number stays
}

STAGECRAFT_VECTOR_CLONES void largerRun(const float *from, float *to, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = to[i] < from[i] ? from[i] : to[i];
}

STAGECRAFT_VECTOR_CLONES void subtractRun(const float *a, const float *b, float *to, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] = a[i] - b[i];
}

STAGECRAFT_VECTOR_CLONES void divideRun(float *to, const float *by, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to[i] /= by[i];
}

constexpr std::int64_t kTogether = 16; // channels of a pixel that are copied together

// Up to kTogether planes into adjacent channels, whose pixels are `toPitch` apart.
void copyPixels(const float *const *from, const std::int64_t *fromPitch, std::int64_t count, float *to,
                std::int64_t toPitch, std::int64_t pixels)
{
    if (count == kTogether) { // a constant count needs no loop
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
            for (std::int64_t i = 0; i < kTogether; ++i)
                to[pixel * toPitch + i] = from[i][pixel * fromPitch[i]];
        }
        return;
    }
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        for (std::int64_t i = 0; i < count; ++i)
            to[pixel * toPitch + i] = from[i][pixel * fromPitch[i]];
    }
}

constexpr std::int64_t kColumns = 512; // of a tensor around an axis that are computed together

using Columns = std::array<float, kColumns>;

// Calls body(offset of the first element, count) for groups of adjacent columns, on all threads if there is enough to
// do.
template <typename Body>
void forColumns(const AroundAxis &shape, const Body &body)
{
    const std::int64_t groups = (shape.inner + kColumns - 1) / kColumns;
    const bool isMuch = static_cast<std::size_t>(shape.outer * shape.axis * shape.inner) > kMinParallelElements;
#pragma omp parallel for schedule(static) if (isMuch)
    for (std::int64_t i = 0; i < shape.outer * groups; ++i) {
        const std::int64_t column = i % groups * kColumns;
        body(i / groups * shape.axis * shape.inner + column,
             static_cast<std::size_t>(std::min(kColumns, shape.inner - column)));
    }
}

Columns sumsOf(const float *first, std::size_t count, const AroundAxis &shape)
{
    Columns sums{};
    for (std::int64_t k = 0; k < shape.axis; ++k)
        addRun(sums.data(), first + k * shape.inner, sums.data(), count);
    return sums;
}

} // namespace

void subtractLargest(const float *from, float *to, const AroundAxis &shape)
{
    forColumns(shape, [&](std::int64_t offset, std::size_t count) {
        Columns largest;
        std::copy_n(from + offset, count, largest.begin());
        for (std::int64_t k = 1; k < shape.axis; ++k)
            largerRun(from + offset + k * shape.inner, largest.data(), count);
        for (std::int64_t k = 0; k < shape.axis; ++k)
            subtractRun(from + offset + k * shape.inner, largest.data(), to + offset + k * shape.inner, count);
    });
}

void divideBySums(float *values, const AroundAxis &shape)
{
    forColumns(shape, [&](std::int64_t offset, std::size_t count) {
        const Columns sums = sumsOf(values + offset, count, shape);
        for (std::int64_t k = 0; k < shape.axis; ++k)
            divideRun(values + offset + k * shape.inner, sums.data(), count);
    });
}

void subtractLogarithmOfSums(const float *exponentials, float *to, const AroundAxis &shape)
{
    forColumns(shape, [&](std::int64_t offset, std::size_t count) {
        Columns sums = sumsOf(exponentials + offset, count, shape);
        for (float &sum : std::span(sums).first(count))
            sum = std::log(sum);
        for (std::int64_t k = 0; k < shape.axis; ++k)
            subtractRun(to + offset + k * shape.inner, sums.data(), to + offset + k * shape.inner, count);
    });
}

void sumRuns(std::span<const float *const> from, float *to, std::size_t count, bool relu)
{
    const auto chunks = static_cast<std::ptrdiff_t>((count + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(static) if (count > kMinParallelElements)
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
        // Runs of channels that are adjacent in both tensors.
        for (std::int64_t done = 0; done < count;) {
            const std::int64_t run = std::min({count - done, fromLayout.block - (fromChannel + done) % fromLayout.block,
                                               toLayout.block - (toChannel + done) % toLayout.block});
            const float *source = from + fromLayout.offset(image, fromChannel + done);
            float *target = to + toLayout.offset(image, toChannel + done);
            if (fromLayout.block == run && toLayout.block == run)
                sumRuns(std::array{source}, target, static_cast<std::size_t>(pixels * run), false);
            else
                forRows(pixels, run, [&](std::int64_t begin, std::int64_t rows) {
                    copyRows(source + begin * fromLayout.block, fromLayout.block, target + begin * toLayout.block,
                             toLayout.block, run, rows);
                });
            done += run;
        }
    }
}

void copyPlanes(std::span<const float *const> from, std::span<const CopiedPlane> planes, float *to,
                const ChannelLayout &layout)
{
    constexpr std::int64_t kPixels = 64; // what of a plane is copied at once
    const std::int64_t width = std::min(layout.block, kTogether);
    const std::int64_t groups = (layout.channels + width - 1) / width;
    const std::int64_t pieces = (layout.pixels + kPixels - 1) / kPixels;
    const std::int64_t all = layout.batch * groups * pieces;
    const bool isMuch = static_cast<std::size_t>(layout.batch * layout.channels * layout.pixels) > kMinParallelElements;
#pragma omp parallel for schedule(static) if (isMuch)
    for (std::int64_t i = 0; i < all; ++i) {
        const std::int64_t image = i / (groups * pieces);
        const std::int64_t channel = i / pieces % groups * width;
        const std::int64_t pixel = i % pieces * kPixels;
        const std::int64_t pixels = std::min(kPixels, layout.pixels - pixel);
        const std::int64_t count = std::min(width, layout.channels - channel);
        std::array<const float *, kTogether> sources{};
        std::array<std::int64_t, kTogether> pitches{};
        for (std::int64_t k = 0; k < count; ++k) {
            const auto place = static_cast<std::size_t>(k);
            const CopiedPlane &plane = planes[static_cast<std::size_t>(channel + k)];
            sources[place] = from[plane.from] + plane.first + image * plane.nextImage + pixel * plane.nextPixel;
            pitches[place] = plane.nextPixel;
        }
        float *target = to + layout.offset(image, channel) + pixel * layout.block;
        if (layout.block == 1 && pitches[0] == 1)
            copyRun(sources[0], target, static_cast<std::size_t>(pixels));
        else
            copyPixels(sources.data(), pitches.data(), count, target, layout.block, pixels);
    }
}

void joinChannelsLast(std::span<const float *const> from, std::span<const JoinedChannels> parts, float *to,
                      std::int64_t pitch, std::int64_t pixels)
{
    forRows(pixels, pitch, [&](std::int64_t begin, std::int64_t rows) {
        for (std::size_t k = 0; k < from.size(); ++k)
            copyRows(from[k] + begin * parts[k].pitch, parts[k].pitch, to + begin * pitch + parts[k].channel, pitch,
                     parts[k].width, rows);
    });
}

void interleaveChannels(const float *from, float *to, std::int64_t images, std::int64_t channels, std::int64_t pixels)
{
    for (std::int64_t image = 0; image < images; ++image) {
        const std::int64_t offset = image * channels * pixels;
        forRows(pixels, channels, [&](std::int64_t begin, std::int64_t rows) {
            interleavePixels(from + offset, to + offset, channels, pixels, begin, begin + rows);
        });
    }
}

void unfoldPatches(const float *from, float *to, std::int64_t rows, std::int64_t columns, std::int64_t height,
                   std::int64_t run)
{
#pragma omp parallel for schedule(static) if (static_cast <std::size_t>(rows * columns * height * run) >               \
                                              kMinParallelElements)
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
