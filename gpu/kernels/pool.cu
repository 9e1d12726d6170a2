// Windowed pools, one thread per output; pools over the whole image, one block per a few channels.

extern "C" __global__ void pool(stagecraft::gpu::kernels::PoolParameters p)
{
    using namespace stagecraft::gpu::kernels;
    const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (index >= p.out.n * p.out.c * p.out.h * p.out.w)
        return;
    int rest = index;
    int c = 0;
    if (p.channelFastest) {
        c = rest % p.out.c;
        rest /= p.out.c;
    }
    const int column = rest % p.out.w;
    rest /= p.out.w;
    const int row = rest % p.out.h;
    rest /= p.out.h;
    if (!p.channelFastest) {
        c = rest % p.out.c;
        rest /= p.out.c;
    }
    const int n = rest;
    const Element *x = static_cast<const Element *>(p.x) + n * p.in.strideN + c * p.in.strideC;
    const int top = row * p.window.strideH - p.window.top;
    const int left = column * p.window.strideW - p.window.left;
    float result = p.average ? 0.0f : -3.402823466e+38f;
    int counted = 0;
    for (int i = 0; i < p.window.kernelH; ++i) {
        const int h = top + i * p.window.dilationH;
        for (int j = 0; j < p.window.kernelW; ++j) {
            const int w = left + j * p.window.dilationW;
            if (h < 0 || h >= p.in.h || w < 0 || w >= p.in.w) {
                counted += p.countPad && h < p.in.h + p.behindH && w < p.in.w + p.behindW;
                continue;
            }
            const float value = asFloat(x[h * p.in.strideH + w * p.in.strideW]);
            result = p.average ? result + value : larger(result, value);
            ++counted;
        }
    }
    if (p.average)
        result /= static_cast<float>(counted > 0 ? counted : 1);
    store(static_cast<Element *>(p.y) + n * p.out.strideN + c * p.out.strideC + row * p.out.strideH +
              column * p.out.strideW,
          result);
}

// Block (x, y): x walks along the contiguous axis. Grid x: channels, y: batch.
extern "C" __global__ void globalPool(stagecraft::gpu::kernels::GlobalPoolParameters p)
{
    using namespace stagecraft::gpu::kernels;
    __shared__ float partial[256];
    const bool channelFastest = p.in.strideC == 1;
    const int channels = channelFastest ? static_cast<int>(blockDim.x) : 1; // of this block
    const int lane =
        channelFastest ? static_cast<int>(threadIdx.y) : static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    const int lanes = static_cast<int>(blockDim.x * blockDim.y) / channels;
    const int own = channelFastest ? static_cast<int>(threadIdx.x) : 0;
    const int c = static_cast<int>(blockIdx.x) * channels + own;
    const int n = static_cast<int>(blockIdx.y);
    float result = p.average ? 0.0f : -3.402823466e+38f;
    if (c < p.in.c) {
        const Element *x = static_cast<const Element *>(p.x) + n * p.in.strideN + c * p.in.strideC;
        for (int pixel = lane; pixel < p.in.h * p.in.w; pixel += lanes) {
            const float value = asFloat(x[pixel / p.in.w * p.in.strideH + pixel % p.in.w * p.in.strideW]);
            result = p.average ? result + value : larger(result, value);
        }
    }
    partial[lane * channels + own] = result;
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {
        if (lane < half) {
            const float other = partial[(lane + half) * channels + own];
            const float mine = partial[lane * channels + own];
            partial[lane * channels + own] = p.average ? mine + other : larger(mine, other);
        }
        __syncthreads();
    }
    if (lane == 0 && c < p.in.c) {
        const float whole = partial[own];
        store(static_cast<Element *>(p.y) + n * p.yStrideN + c * p.yStrideC,
              p.average ? whole / static_cast<float>(p.in.h * p.in.w) : whole);
    }
}
