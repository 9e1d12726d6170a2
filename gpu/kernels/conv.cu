// A convolution of our own: implicit matrix product, pixels by output channels, 4 x 4 results a thread. It takes any
// strides, groups and windows, so it stands in where cuDNN has no engine, and for small products it may win.

namespace stagecraft::gpu::kernels {

inline constexpr int kDepth = 16; // of a tile, along the reduced dimension

// Threads: kPixels * kChannels / 16. Grid: groups of pixels, groups of channels, groups of the convolution.
template <int kPixels, int kChannels>
__device__ __forceinline__ void convTile(const ConvParameters &p)
{
    constexpr int kThreads = kPixels * kChannels / 16;
    __shared__ float xs[kDepth][kPixels];
    __shared__ float ws[kDepth][kChannels + 1];
    const int thread = static_cast<int>(threadIdx.x);
    const int group = static_cast<int>(blockIdx.z);
    const int inChannels = p.in.c / p.groups;
    const int outChannels = p.out.c / p.groups;
    const int windowSize = p.window.kernelH * p.window.kernelW;
    const int depth = inChannels * windowSize;
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
    for (int begin = 0; begin < depth; begin += kDepth) {
        for (int i = thread / kPixels; i < kDepth; i += kThreads / kPixels) {
            const int k = begin + i;
            float value = 0;
            if (pixel < pixels && k < depth) {
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
            if (firstChannel + channel < outChannels && k < depth) {
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
        Element *y = static_cast<Element *>(p.y) + to / (p.out.h * p.out.w) * p.out.strideN +
                     to / p.out.w % p.out.h * p.out.strideH + to % p.out.w * p.out.strideW;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int channel = firstChannel + columnOfThread + j;
            if (channel >= outChannels)
                break;
            const int c = group * outChannels + channel;
            const float bias = p.bias ? asFloat(static_cast<const Element *>(p.bias)[c]) : 0.0f;
            store(y + c * p.out.strideC, activated(p.after, sums[i][j] + bias));
        }
    }
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
