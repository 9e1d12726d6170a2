#pragma once

// Kernels over dense runs of floats, split over the OpenMP width of the calling thread.

#include "device/cpu/onednn/layout.h"

#include <cstddef>
#include <span>

// Loops compiled once for each width of vectors, chosen when the program starts. Sanitizers cannot follow the choice.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define STAGECRAFT_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define STAGECRAFT_VECTOR_CLONES
#endif

namespace stagecraft::cpu {

// Below this number of elements, waking another thread costs more than it saves.
inline constexpr std::size_t kMinParallelElements = 16384;

// to[i] = the sum of from[k][i] over k, or the larger of it and zero. `to` may be one of `from`.
void sumRuns(std::span<const float *const> from, float *to, std::size_t count, bool relu);

// Copies `count` channels of every image from one tensor into another, whatever their blocks. All threads take part.
void copyChannels(const float *from, const ChannelLayout &fromLayout, std::int64_t fromChannel, float *to,
                  const ChannelLayout &toLayout, std::int64_t toChannel, std::int64_t count);

// Where a tensor with its channels last goes in a larger one: `width` channels of every pixel.
struct JoinedChannels {
    std::int64_t width = 0;
    std::int64_t pitch = 0;   // distance between its pixels
    std::int64_t channel = 0; // its first channel in the larger tensor
};

// from[i] is described by parts[i]; pixels of `to` are `pitch` apart.
void joinChannelsLast(std::span<const float *const> from, std::span<const JoinedChannels> parts, float *to,
                      std::int64_t pitch, std::int64_t pixels);

// Rewrites row-major images of few channels with their channels last.
void interleaveChannels(const float *from, float *to, std::int64_t images, std::int64_t channels, std::int64_t pixels);

// Every pixel of `from` holds `height` runs, which become a column of `height` rows of `to`.
void unfoldPatches(const float *from, float *to, std::int64_t rows, std::int64_t columns, std::int64_t height,
                   std::int64_t run);

// A row-major tensor around one of its axes.
struct AroundAxis {
    std::int64_t outer = 1;
    std::int64_t axis = 1;
    std::int64_t inner = 1;
};

// The steps of a softmax over an axis with others behind it, besides the exponential.
void subtractLargest(const float *from, float *to, const AroundAxis &shape);
void divideBySums(float *values, const AroundAxis &shape);
void subtractLogarithmOfSums(const float *exponentials, float *to, const AroundAxis &shape);

// A plane (one channel of every image) of one of several tensors.
struct CopiedPlane {
    std::size_t from = 0;       // which tensor
    std::int64_t first = 0;     // offset of its first pixel in the first image
    std::int64_t nextPixel = 1; // distance between pixels
    std::int64_t nextImage = 0;
};
void copyPlanes(std::span<const float *const> from, std::span<const CopiedPlane> planes, float *to,
                const ChannelLayout &layout);

// Blocked layouts require zeros after the last channel.
void zeroPadding(float *to, const ChannelLayout &layout);

} // namespace stagecraft::cpu
