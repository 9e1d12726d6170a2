// A convolution of our own: implicit matrix product, pixels by output channels, 4 x 4 results a thread. It takes any
// strides, groups and windows, so it stands in where cuDNN has no engine, and for small products it may win. Few pixels
// and channels are few blocks: then parts of the reduced dimension are summed by blocks of their own (split-K), and a
// second kernel adds the parts, always in the same order.

namespace stagecraft::gpu::kernels {

inline constexpr int kDepth = 16; // of a tile, along the reduced dimension

// The sums over the reduced dimension from `firstK` to before `endK`: finish(pixel, channel, sum) for each of the
// thread's. Threads: kPixels * kChannels / 16. Grid: groups of pixels, groups of channels.
template <int kPixels, int kChannels, typename Finish>
__device__ __forceinline__ void sumTile(const ConvParameters &p, int group, int firstK, int endK, const Finish &finish)
{
    constexpr int kThreads = kPixels * kChannels / 16;
    __shared__ float xs[kDepth][kPixels];
    __shared__ float ws[kDepth][kChannels + 1];
    const int thread = static_cast<int>(threadIdx.x);
    const int inChannels = p.in.c / p.groups;
    const int outChannels = p.out.c / p.groups;
    const int windowSize = p.window.kernelH * p.window.kernelW;
    const int pixels = p.out.n * p.out.h * p.out.w;
    const int firstPixel = static_cast<int>(blockIdx.x) * kPixels;
    const int firstChannel = static_cast<int>(blockIdx.y) * kChannels;

    // The pixel this thread loads, the same for every step.
    const int pixel = firstPixel + thread % kPixels;
    const int n = pixel / (p.out.h * p.out.w);
    const int top = pixel / p.out.w % p.out.h * p.window.strideH - p.window.top;
    const int left = pixel % p.out.w * p.window.strideW - p.window.left;
    const Element *x = static_cast<const Element *>(p.x) + n * p.in.strideN + group * inChannels * p.in.strideC;
    const Element *w = static_cast<const Element *>(p.w) + group * outChannels * p.wStrideK;

    const int rowOfThread = thread / (kChannels / 4) * 4;
    const int columnOfThread = thread % (kChannels / 4) * 4;
    float sums[4][4] = {};
    for (int begin = firstK; begin < endK; begin += kDepth) {
        for (int i = thread / kPixels; i < kDepth; i += kThreads / kPixels) {
            const int k = begin + i;
            float value = 0;
            if (pixel < pixels && k < endK) {
                const int c = windowSize == 1 ? k : k / windowSize;
                const int at = windowSize == 1 ? 0 : k % windowSize;
                const int h = top + at / p.window.kernelW * p.window.dilationH;
                const int column = left + at % p.window.kernelW * p.window.dilationW;
                if (h >= 0 && h < p.in.h && column >= 0 && column < p.in.w)
                    value = asFloat(x[c * p.in.strideC + h * p.in.strideH + column * p.in.strideW]);
            }
            xs[i][thread % kPixels] = value;
        }
        for (int channel = thread / kDepth; channel < kChannels; channel += kThreads / kDepth) {
            const int k = begin + thread % kDepth;
            float value = 0;
            if (firstChannel + channel < outChannels && k < endK) {
                const int c = k / windowSize;
                const int at = k % windowSize;
                value = asFloat(w[(firstChannel + channel) * p.wStrideK + c * p.wStrideC +
                                  at / p.window.kernelW * p.wStrideH + at % p.window.kernelW * p.wStrideW]);
            }
            ws[thread % kDepth][channel] = value;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    sums[i][j] += xs[k][rowOfThread + i] * ws[k][columnOfThread + j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int to = firstPixel + rowOfThread + i;
        if (to >= pixels)
            break;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int channel = firstChannel + columnOfThread + j;
            if (channel >= outChannels)
                break;
            finish(to, group * outChannels + channel, sums[i][j]);
        }
    }
}

__device__ __forceinline__ int offsetIn(const Image &image, int pixel, int channel)
{
    return pixel / (image.h * image.w) * image.strideN + channel * image.strideC +
           pixel / image.w % image.h * image.strideH + pixel % image.w * image.strideW;
}

struct StoreResult {
    const ConvParameters &p;

    __device__ __forceinline__ void operator()(int pixel, int channel, float sum) const
    {
        const float bias = p.bias ? asFloat(static_cast<const Element *>(p.bias)[channel]) : 0.0f;
        store(static_cast<Element *>(p.y) + offsetIn(p.out, pixel, channel), activated(p.after, sum + bias));
    }
};

struct StorePart {
    float *part;
    const Image &whole;

    __device__ __forceinline__ void operator()(int pixel, int channel, float sum) const
    {
        part[offsetIn(whole, pixel, channel)] = sum;
    }
};

__device__ __forceinline__ int depthOf(const ConvParameters &p)
{
    return p.in.c / p.groups * p.window.kernelH * p.window.kernelW;
}

// Third axis of the grid: groups of the convolution.
template <int kPixels, int kChannels>
__device__ __forceinline__ void convTile(const ConvParameters &p)
{
    sumTile<kPixels, kChannels>(p, static_cast<int>(blockIdx.z), 0, depthOf(p), StoreResult{p});
}

// Few pixels (a matrix product of few rows): a block per output channel, its threads along the reduced dimension.
inline constexpr int kRowThreads = 128;

} // namespace stagecraft::gpu::kernels

extern "C" __global__ void convTile_64_64(stagecraft::gpu::kernels::ConvParameters p)
{
    stagecraft::gpu::kernels::convTile<64, 64>(p);
}

extern "C" __global__ void convTile_32_32(stagecraft::gpu::kernels::ConvParameters p)
{
    stagecraft::gpu::kernels::convTile<32, 32>(p);
}

// Third axis of the grid: parts, and within them groups of the convolution.
extern "C" __global__ void convParts_32_32(stagecraft::gpu::kernels::ConvPartsParameters p)
{
    using namespace stagecraft::gpu::kernels;
    const int group = static_cast<int>(blockIdx.z) % p.conv.groups;
    const int part = static_cast<int>(blockIdx.z) / p.conv.groups;
    const int begin = part * p.depthEach;
    const int depth = depthOf(p.conv);
    const int end = begin + p.depthEach < depth ? begin + p.depthEach : depth;
    float *to = p.parts + static_cast<long long>(part) * p.whole.n * p.whole.strideN;
    sumTile<32, 32>(p.conv, group, begin, end, StorePart{to, p.whole});
}

// A thread per element of y, in the order of the parts.
extern "C" __global__ void convSum(stagecraft::gpu::kernels::ConvSumParameters p)
{
    using namespace stagecraft::gpu::kernels;
    const int elements = p.whole.n * p.whole.strideN;
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= elements)
        return;
    float sum = 0;
    for (int part = 0; part < p.count; ++part)
        sum += p.parts[static_cast<long long>(part) * elements + i];
    const int c = i / p.whole.strideC % p.whole.c;
    const int h = i / p.whole.strideH % p.whole.h;
    const int w = i / p.whole.strideW % p.whole.w;
    const float bias = p.bias ? asFloat(static_cast<const Element *>(p.bias)[c]) : 0.0f;
    store(static_cast<Element *>(p.y) + i / p.whole.strideN * p.out.strideN + c * p.out.strideC + h * p.out.strideH +
              w * p.out.strideW,
          activated(p.after, sum + bias));
}

// 1x1 convolutions of one-pixel images. Grid: output channels, images.
extern "C" __global__ void convRow(stagecraft::gpu::kernels::ConvParameters p)
{
    using namespace stagecraft::gpu::kernels;
    __shared__ float partial[kRowThreads];
    const int thread = static_cast<int>(threadIdx.x);
    const int channel = static_cast<int>(blockIdx.x);
    const int n = static_cast<int>(blockIdx.y);
    const Element *x = static_cast<const Element *>(p.x) + n * p.in.strideN;
    const Element *w = static_cast<const Element *>(p.w) + channel * p.wStrideK;
    float sum = 0;
    for (int c = thread; c < p.in.c; c += kRowThreads)
        sum += asFloat(x[c * p.in.strideC]) * asFloat(w[c * p.wStrideC]);
    partial[thread] = sum;
    __syncthreads();
    for (int half = kRowThreads / 2; half > 0; half /= 2) {
        if (thread < half)
            partial[thread] += partial[thread + half];
        __syncthreads();
    }
    if (thread == 0) {
        const float bias = p.bias ? asFloat(static_cast<const Element *>(p.bias)[channel]) : 0.0f;
        store(static_cast<Element *>(p.y) + n * p.out.strideN + channel * p.out.strideC,
              activated(p.after, partial[0] + bias));
    }
}
