// Sums, copies, arithmetic with broadcasting, activations: one thread per element, last axis fastest.

namespace stagecraft::gpu::kernels {

template <typename T>
__device__ __forceinline__ float loaded(const void *from, int at)
{
    return asFloat(static_cast<const T *>(from)[at]);
}

__device__ __forceinline__ float combined(int function, float a, float b)
{
    switch (function) {
    case kMul: return a * b;
    case kSub: return a - b;
    case kDiv: return a / b;
    case kMax: return larger(a, b);
    case kMin: return smaller(a, b);
    case kPow: return powf(a, b);
    case kPRelu: return a >= 0 ? a : a * b;
    default: return a + b;
    }
}

} // namespace stagecraft::gpu::kernels

extern "C" __global__ void elementwise(stagecraft::gpu::kernels::ElementwiseParameters p)
{
    using namespace stagecraft::gpu::kernels;
    const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (index >= p.count)
        return;
    int position[kAxes];
    int rest = index;
#pragma unroll
    for (int axis = kAxes - 1; axis > 0; --axis) {
        position[axis] = p.dims[axis] == 1 ? 0 : rest % p.dims[axis];
        rest = p.dims[axis] == 1 ? rest : rest / p.dims[axis];
    }
    position[0] = rest;
    float result = 0;
#pragma unroll
    for (int input = 0; input < kElementwiseInputs; ++input) {
        if (input >= p.inputs)
            break;
        int at = 0;
#pragma unroll
        for (int axis = 0; axis < kAxes; ++axis)
            at += position[axis] * p.xStrides[input][axis];
        const float value = loaded<Element>(p.x[input], at);
        if (input == 0)
            result = value;
        else if (p.function == kScaleShift)
            result = input == 1 ? result * value : result + value;
        else
            result = combined(p.function, result, value);
    }
    int to = 0;
#pragma unroll
    for (int axis = 0; axis < kAxes; ++axis)
        to += position[axis] * p.yStrides[axis];
    store(static_cast<Element *>(p.y) + to, activated(p.after, result));
}

// All operands without gaps in the same order: four elements a thread.
extern "C" __global__ void elementwiseFlat(stagecraft::gpu::kernels::ElementwiseParameters p)
{
    using namespace stagecraft::gpu::kernels;
    constexpr int kEach = 4;
    struct alignas(sizeof(Element) * kEach) Pack {
        Element values[kEach];
    };
    const int pack = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (pack * kEach >= p.count)
        return;
    float result[kEach];
    Pack packs[kElementwiseInputs];
#pragma unroll
    for (int input = 0; input < kElementwiseInputs; ++input) {
        if (input < p.inputs)
            packs[input] = static_cast<const Pack *>(p.x[input])[pack];
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i)
        result[i] = asFloat(packs[0].values[i]);
#pragma unroll
    for (int input = 1; input < kElementwiseInputs; ++input) {
        if (input < p.inputs) {
#pragma unroll
            for (int i = 0; i < kEach; ++i)
                result[i] = combined(p.function, result[i], asFloat(packs[input].values[i]));
        }
    }
    Pack out;
#pragma unroll
    for (int i = 0; i < kEach; ++i)
        store(&out.values[i], activated(p.after, result[i]));
    static_cast<Pack *>(p.y)[pack] = out;
}

// Buffers for timing are filled with values a model might compute with: zeros run faster than data.
extern "C" __global__ void fill(stagecraft::gpu::kernels::FillParameters p)
{
    using namespace stagecraft::gpu::kernels;
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < p.count; i += step) {
        unsigned hash = static_cast<unsigned>(i) * 2654435761u ^ p.seed;
        hash ^= hash >> 15;
        hash *= 2246822519u;
        hash ^= hash >> 13;
        store(static_cast<Element *>(p.y) + i, static_cast<float>(hash >> 8) * (2.0f / 16777216.0f) - 1.0f);
    }
}
