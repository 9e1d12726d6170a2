// One block per vector: its maximum, the sum of its exponentials, the quotients.

namespace stagecraft::gpu::kernels {

inline constexpr int kSoftmaxThreads = 128;

template <typename Combine>
__device__ __forceinline__ float acrossBlock(float value, float *partial, Combine combine)
{
    const int thread = static_cast<int>(threadIdx.x);
    partial[thread] = value;
    __syncthreads();
    for (int half = kSoftmaxThreads / 2; half > 0; half /= 2) {
        if (thread < half)
            partial[thread] = combine(partial[thread], partial[thread + half]);
        __syncthreads();
    }
    const float result = partial[0];
    __syncthreads();
    return result;
}

} // namespace stagecraft::gpu::kernels

extern "C" __global__ void softmax(stagecraft::gpu::kernels::SoftmaxParameters p)
{
    using namespace stagecraft::gpu::kernels;
    __shared__ float partial[kSoftmaxThreads];
    const int row = static_cast<int>(blockIdx.x);
    const Element *x = static_cast<const Element *>(p.x) + row / p.inner * p.xOuter + row % p.inner * p.xInner;
    Element *y = static_cast<Element *>(p.y) + row / p.inner * p.yOuter + row % p.inner * p.yInner;
    const int thread = static_cast<int>(threadIdx.x);
    float largest = -3.402823466e+38f;
    for (int i = thread; i < p.length; i += kSoftmaxThreads)
        largest = fmaxf(largest, asFloat(x[i * p.xStride]));
    largest = acrossBlock(largest, partial, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0;
    for (int i = thread; i < p.length; i += kSoftmaxThreads)
        sum += expf(asFloat(x[i * p.xStride]) - largest);
    sum = acrossBlock(sum, partial, [](float a, float b) { return a + b; });
    for (int i = thread; i < p.length; i += kSoftmaxThreads) {
        const float shifted = asFloat(x[i * p.xStride]) - largest;
        store(y + i * p.yStride, p.logarithm ? shifted - logf(sum) : expf(shifted) / sum);
    }
}
