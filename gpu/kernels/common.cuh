// What every kernel uses. Compiled by NVRTC for the device; tests compile the same text for the host, where
// STAGECRAFT_HOST supplies the few words of CUDA that appear here.

#include "parameters.h"

namespace stagecraft::gpu::kernels {

#ifndef STAGECRAFT_HOST
#define STAGECRAFT_DYNAMIC_SHARED(name) extern __shared__ float name[]

// Half precision as its bits: NVRTC on a bare machine has no cuda_fp16.h.
struct Half {
    unsigned short bits;
};

__device__ __forceinline__ float asFloat(Half value)
{
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
}

__device__ __forceinline__ void store(Half *to, float value)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    to->bits = bits;
}
#endif

__device__ __forceinline__ float asFloat(float value)
{
    return value;
}

__device__ __forceinline__ void store(float *to, float value)
{
    *to = value;
}

// The larger or the smaller of two values; what is no number stays.
__device__ __forceinline__ float larger(float a, float b)
{
    return a > b || a != a ? a : b;
}

__device__ __forceinline__ float smaller(float a, float b)
{
    return a < b || a != a ? a : b;
}

__device__ __forceinline__ float bounded(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

// Not inlined: a depthwise kernel would hold it dozens of times, and all would take half as long again to compile.
__device__ __noinline__ float curved(const ActivationParameters &activation, float x)
{
    switch (activation.code) {
    case kRelu6: return bounded(x, 0.0f, 6.0f);
    case kLeakyRelu: return x > 0 ? x : activation.alpha * x;
    case kSigmoid: return 1.0f / (1.0f + expf(-x));
    case kTanh: return tanhf(x);
    case kHardSwish: return x * fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) / 6.0f;
    case kHardSigmoid: return bounded(activation.alpha * x + activation.beta, 0.0f, 1.0f);
    case kSilu: return x / (1.0f + expf(-x));
    case kElu: return x > 0 ? x : activation.alpha * (expf(x) - 1.0f);
    case kGelu: return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
    case kMish: return x * tanhf(fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x)))); // expf never overflows
    default: return x;
    }
}

__device__ __forceinline__ float activated(const ActivationParameters &activation, float x)
{
    if (activation.code == kNone)
        return x;
    if (activation.code == kRelu)
        return x < 0 ? 0.0f : x; // what is no number stays
    return curved(activation, x);
}

} // namespace stagecraft::gpu::kernels
