// Depthwise convolutions with what leads up to them: y = after(conv(before(x0 + x1 + ...), w) + bias).
//
// Where the pixels of a channel are adjacent (NCHW), a block stages a tile of a few channels in shared memory, sums
// and activation done once. Where channels are adjacent (NHWC), a thread computes four neighbouring columns of one
// channel and every value it reads serves all of them; the one for any window stages nothing, so it also stands in, in
// either layout, where a window is too large for a tile.

namespace stagecraft::gpu::kernels {

__device__ __forceinline__ float depthwiseInput(const DepthwiseParameters &p, int n, int c, int h, int w)
{
    if (h < 0 || h >= p.inH || w < 0 || w >= p.inW)
        return 0.0f;
    float sum = 0;
#pragma unroll
    for (int input = 0; input < kDepthwiseInputs; ++input) {
        if (input < p.inputs) {
            const int *strides = p.xStrides[input];
            sum += asFloat(static_cast<const Element *>(
                p.x[input])[n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3]]);
        }
    }
    return activated(p.before, sum);
}

__device__ __forceinline__ float depthwiseBias(const DepthwiseParameters &p, int c)
{
    return p.bias ? asFloat(static_cast<const Element *>(p.bias)[c]) : 0.0f;
}

__device__ __forceinline__ void depthwiseStore(const DepthwiseParameters &p, int n, int c, int h, int w, float value)
{
    store(static_cast<Element *>(p.y) + n * p.out.strideN + c * p.out.strideC + h * p.out.strideH + w * p.out.strideW,
          activated(p.after, value));
}

// kKernel 0: any window. Block: columns, rows, planes. Grid: tiles of a plane, then groups of planes.
template <int kKernel, int kStride>
__device__ __forceinline__ void depthwisePlanes(const DepthwiseParameters &p)
{
    STAGECRAFT_DYNAMIC_SHARED(staged);
    const int kernelH = kKernel ? kKernel : p.window.kernelH;
    const int kernelW = kKernel ? kKernel : p.window.kernelW;
    const int strideH = kKernel ? kStride : p.window.strideH;
    const int strideW = kKernel ? kStride : p.window.strideW;
    const int dilationH = kKernel ? 1 : p.window.dilationH;
    const int dilationW = kKernel ? 1 : p.window.dilationW;
    const int tileInH = (p.tileH - 1) * strideH + (kernelH - 1) * dilationH + 1;
    const int tileInW = (p.tileW - 1) * strideW + (kernelW - 1) * dilationW + 1;
    const int ownTile = static_cast<int>(blockIdx.x) % p.tiles;
    const int firstRow = ownTile / p.tilesW * p.tileH;
    const int firstColumn = ownTile % p.tilesW * p.tileW;
    const int plane =
        static_cast<int>(blockIdx.x) / p.tiles * static_cast<int>(blockDim.z) + static_cast<int>(threadIdx.z);
    const bool real = plane < p.out.n * p.out.c;
    const int n = plane / p.out.c;
    const int c = plane % p.out.c;
    float *tile = staged + static_cast<int>(threadIdx.z) * tileInH * tileInW;
    const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    for (int i = thread; real && i < tileInH * tileInW; i += threads)
        tile[i] = depthwiseInput(p, n, c, firstRow * strideH - p.window.top + i / tileInW,
                                 firstColumn * strideW - p.window.left + i % tileInW);
    __syncthreads();
    const int row = firstRow + static_cast<int>(threadIdx.y);
    const int column = firstColumn + static_cast<int>(threadIdx.x);
    if (!real || row >= p.out.h || column >= p.out.w)
        return;
    const Element *w = static_cast<const Element *>(p.w) + c * kernelH * kernelW;
    const float *from =
        tile + static_cast<int>(threadIdx.y) * strideH * tileInW + static_cast<int>(threadIdx.x) * strideW;
    float sum = depthwiseBias(p, c);
    if (kKernel) {
#pragma unroll
        for (int i = 0; i < kKernel; ++i) {
#pragma unroll
            for (int j = 0; j < kKernel; ++j)
                sum += from[i * tileInW + j] * asFloat(w[i * kKernel + j]);
        }
    } else {
        for (int i = 0; i < kernelH; ++i) {
            for (int j = 0; j < kernelW; ++j)
                sum += from[i * dilationH * tileInW + j * dilationW] * asFloat(w[i * kernelW + j]);
        }
    }
    depthwiseStore(p, n, c, row, column, sum);
}

inline constexpr int kSpan = 4; // columns of a thread

// Block: channels, spans. Grid: groups of channels, then groups of spans.
template <int kKernel, int kStride>
__device__ __forceinline__ void depthwiseChannels(const DepthwiseParameters &p)
{
    const int groups = (p.out.c + static_cast<int>(blockDim.x) - 1) / static_cast<int>(blockDim.x);
    const int c = static_cast<int>(blockIdx.x) % groups * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
    const int spans = (p.out.w + kSpan - 1) / kSpan;
    const int place =
        static_cast<int>(blockIdx.x) / groups * static_cast<int>(blockDim.y) + static_cast<int>(threadIdx.y);
    if (c >= p.out.c || place >= p.out.n * p.out.h * spans)
        return;
    const int first = place % spans * kSpan;
    const int row = place / spans % p.out.h;
    const int n = place / spans / p.out.h;
    const Element *w = static_cast<const Element *>(p.w) + c * p.wStrideC;
    float sums[kSpan];
#pragma unroll
    for (int s = 0; s < kSpan; ++s)
        sums[s] = depthwiseBias(p, c);
    if (kKernel) {
        const int top = row * kStride - p.window.top;
        const int left = first * kStride - p.window.left;
#pragma unroll
        for (int i = 0; i < kKernel; ++i) {
            float weights[kKernel ? kKernel : 1];
#pragma unroll
            for (int j = 0; j < kKernel; ++j)
                weights[j] = asFloat(w[(i * kKernel + j) * p.out.c]);
#pragma unroll
            for (int column = 0; column < (kSpan - 1) * kStride + kKernel; ++column) {
                const float value = depthwiseInput(p, n, c, top + i, left + column);
#pragma unroll
                for (int s = 0; s < kSpan; ++s) {
                    const int j = column - s * kStride;
                    if (j >= 0 && j < kKernel)
                        sums[s] += value * weights[j];
                }
            }
        }
    } else {
        for (int s = 0; s < kSpan && first + s < p.out.w; ++s) {
            for (int i = 0; i < p.window.kernelH; ++i) {
                for (int j = 0; j < p.window.kernelW; ++j)
                    sums[s] += depthwiseInput(p, n, c, row * p.window.strideH - p.window.top + i * p.window.dilationH,
                                              (first + s) * p.window.strideW - p.window.left + j * p.window.dilationW) *
                               asFloat(w[(i * p.window.kernelW + j) * p.wStrideTap]);
            }
        }
    }
#pragma unroll
    for (int s = 0; s < kSpan; ++s) {
        if (first + s < p.out.w)
            depthwiseStore(p, n, c, row, first + s, sums[s]);
    }
}

} // namespace stagecraft::gpu::kernels

#define STAGECRAFT_DEPTHWISE(kernel, stride)                                                                           \
    extern "C" __global__ void depthwisePlanes_##kernel##_##stride(stagecraft::gpu::kernels::DepthwiseParameters p)    \
    {                                                                                                                  \
        stagecraft::gpu::kernels::depthwisePlanes<kernel, stride>(p);                                                  \
    }                                                                                                                  \
    extern "C" __global__ void depthwiseChannels_##kernel##_##stride(stagecraft::gpu::kernels::DepthwiseParameters p)  \
    {                                                                                                                  \
        stagecraft::gpu::kernels::depthwiseChannels<kernel, stride>(p);                                                \
    }

STAGECRAFT_DEPTHWISE(0, 0)
STAGECRAFT_DEPTHWISE(3, 1)
STAGECRAFT_DEPTHWISE(3, 2)
STAGECRAFT_DEPTHWISE(5, 1)
STAGECRAFT_DEPTHWISE(5, 2)
STAGECRAFT_DEPTHWISE(7, 1)
STAGECRAFT_DEPTHWISE(7, 2)
