// Parameters of our own kernels, one structure per kernel, passed by value. Read by the host's compiler and by
// NVRTC alike: no includes, plain types only.

#ifndef STAGECRAFT_GPU_KERNEL_PARAMETERS_H
#define STAGECRAFT_GPU_KERNEL_PARAMETERS_H

namespace stagecraft::gpu::kernels {

enum ActivationCode {
    kNone,
    kRelu,
    kRelu6,
    kLeakyRelu,
    kSigmoid,
    kTanh,
    kHardSwish,
    kHardSigmoid,
    kSilu,
    kElu,
    kGelu,
    kMish,
};

struct ActivationParameters {
    int code;
    float alpha;
    float beta;
};

enum FunctionCode { kSum, kMul, kSub, kDiv, kMax, kMin, kPow, kPRelu, kScaleShift };

inline constexpr int kAxes = 6;
inline constexpr int kElementwiseInputs = 8;
inline constexpr int kDepthwiseInputs = 4;

// Axes of size one in front; the last axis is the fastest of y.
struct ElementwiseParameters {
    const void *x[kElementwiseInputs];
    void *y;
    int inputs;
    int function;
    ActivationParameters after;
    int count; // elements of y
    int dims[kAxes];
    int yStrides[kAxes];
    int xStrides[kElementwiseInputs][kAxes];
};

// An image and its strides, in elements.
struct Image {
    int n, c, h, w;
    int strideN, strideC, strideH, strideW;
};

struct WindowParameters {
    int kernelH, kernelW, strideH, strideW, dilationH, dilationW, top, left;
};

struct DepthwiseParameters {
    const void *x[kDepthwiseInputs];
    int xStrides[kDepthwiseInputs][4]; // n, c, h, w
    const void *w;                     // [c][h][w], or [h][w][c] where channels are adjacent
    int wStrideC, wStrideTap;          // between its channels, and between neighbours in a filter
    const void *bias;                  // may be null
    void *y;
    int inputs;
    int inH, inW;
    Image out;
    WindowParameters window;
    ActivationParameters before;
    ActivationParameters after;
    int tileH, tileW; // of outputs, per block (channels far apart only)
    int tilesW;       // tiles beside each other
    int tiles;        // of a plane
};

struct PoolParameters {
    const void *x;
    void *y;
    Image in;
    Image out;
    WindowParameters window;
    int average;
    int countPad; // padding counts as values of an average
    int behindH;  // padding behind the image
    int behindW;
    int channelFastest; // order in which threads walk over y
};

// The mean or the maximum over height and width.
struct GlobalPoolParameters {
    const void *x;
    void *y;
    Image in;
    int yStrideN, yStrideC;
    int average;
};

// y = after(conv(x, w) + bias), any strides, any groups.
struct ConvParameters {
    const void *x;
    const void *w;
    const void *bias; // may be null
    void *y;
    Image in;
    Image out;
    int wStrideK, wStrideC, wStrideH, wStrideW;
    int groups;
    WindowParameters window;
    ActivationParameters after;
};

// Sums of parts of the reduced dimension, before bias and activation: y of each part as if it were `whole`, which has
// no gaps, one part after the other.
struct ConvPartsParameters {
    ConvParameters conv;
    float *parts;
    int count;     // of parts
    int depthEach; // of the reduced dimension
    Image whole;
};

// y = after(the sum of the parts, in their order, + bias).
struct ConvSumParameters {
    const float *parts;
    const void *bias; // may be null
    void *y;
    int count; // of parts
    Image whole;
    Image out;
    ActivationParameters after;
};

struct SoftmaxParameters {
    const void *x;
    void *y;
    int rows;   // how many vectors
    int length; // of each
    int inner; // rows that lie beside each other: row r begins at (r / inner) * outerStride + (r % inner) * innerStride
    int xOuter, xInner, xStride;
    int yOuter, yInner, yStride;
    int logarithm;
};

// Values in [-1, 1) that depend on the position and a seed alone.
struct FillParameters {
    void *y;
    long long count;
    unsigned seed;
};

} // namespace stagecraft::gpu::kernels

#endif
