#include "gpu/device/cudnn_conv_graph.h"

namespace stagecraft::gpu {
namespace {

// Results between the operations, which never reach memory.
enum VirtualUid : std::int64_t { kConvolved = 'c', kBiased = 'd' };

cudnnDataType_t storedAs(Precision precision)
{
    return precision == Precision::Fp16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
}

// The alignment of the view, a power of two up to 16 bytes; the arena itself has a larger one.
std::int64_t alignmentOf(const View &view, Precision precision)
{
    const std::int64_t bytes = view.offset * elementBytes(precision);
    std::int64_t alignment = 16;
    while (bytes % alignment != 0)
        alignment /= 2;
    return alignment;
}

Descriptor tensor(std::int64_t uid, const View &view, cudnnDataType_t type, std::int64_t alignment,
                  bool isVirtual = false)
{
    Descriptor descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, uid);
    descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, alignment);
    descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, view.dims);
    descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, view.strides);
    descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, isVirtual);
    descriptor.finalize();
    return descriptor;
}

Descriptor convolution(const Window &window)
{
    Descriptor descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    const auto pair = [](std::int64_t a, std::int64_t b) { return Extent{a, b}; };
    descriptor.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::int64_t{2});
    descriptor.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, pair(window.padding[0], window.padding[1]));
    descriptor.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, pair(window.padding[2], window.padding[3]));
    descriptor.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, pair(window.dilation[0], window.dilation[1]));
    descriptor.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, pair(window.stride[0], window.stride[1]));
    descriptor.finalize();
    return descriptor;
}

std::optional<Descriptor> activationDescriptor(const Activation &activation)
{
    Descriptor descriptor(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    const auto mode = [&](cudnnPointwiseMode_t value) {
        descriptor.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, value);
    };
    switch (activation.kind) {
    case ActivationKind::Relu: mode(CUDNN_POINTWISE_RELU_FWD); break;
    case ActivationKind::Relu6:
        mode(CUDNN_POINTWISE_RELU_FWD);
        descriptor.set(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, CUDNN_TYPE_DOUBLE, 6.0);
        break;
    case ActivationKind::LeakyRelu:
        mode(CUDNN_POINTWISE_RELU_FWD);
        descriptor.set(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, CUDNN_TYPE_DOUBLE,
                       static_cast<double>(activation.alpha));
        break;
    case ActivationKind::Sigmoid: mode(CUDNN_POINTWISE_SIGMOID_FWD); break;
    case ActivationKind::Tanh: mode(CUDNN_POINTWISE_TANH_FWD); break;
    case ActivationKind::Silu: mode(CUDNN_POINTWISE_SWISH_FWD); break;
    case ActivationKind::Elu:
        mode(CUDNN_POINTWISE_ELU_FWD);
        descriptor.set(CUDNN_ATTR_POINTWISE_ELU_ALPHA, CUDNN_TYPE_DOUBLE, static_cast<double>(activation.alpha));
        break;
    case ActivationKind::Gelu: mode(CUDNN_POINTWISE_GELU_FWD); break;
    default: return std::nullopt; // only our kernels
    }
    descriptor.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    descriptor.finalize();
    return descriptor;
}

Descriptor addition()
{
    Descriptor descriptor(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, CUDNN_POINTWISE_ADD);
    descriptor.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    descriptor.finalize();
    return descriptor;
}

} // namespace

std::optional<ConvGraph> convGraph(const CudnnTarget &target, const ConvTask &conv, Precision precision, bool fused)
{
    ConvGraph graph;
    const cudnnDataType_t type = storedAs(precision);
    const bool hasBias = fused && conv.bias;
    const bool hasActivation = fused && conv.after.kind != ActivationKind::None;
    const Descriptor &x = graph.keep(tensor(kX, conv.x, type, alignmentOf(conv.x, precision)));
    const Descriptor &w = graph.keep(tensor(kW, conv.w, type, 16));
    const Descriptor &y = graph.keep(tensor(kY, conv.y, type, alignmentOf(conv.y, precision)));
    View between = conv.y;
    std::vector<cudnnBackendDescriptor_t> operations;
    // The input of the next operation; the last one writes y.
    const auto result = [&](std::int64_t uid, bool last) -> const Descriptor & {
        return last ? y : graph.keep(tensor(uid, between, CUDNN_DATA_FLOAT, 16, true));
    };
    const Descriptor &convolved = result(kConvolved, !hasBias && !hasActivation);
    Descriptor &forward = graph.keep(Descriptor(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR));
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, graph.keep(convolution(conv.window)));
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, convolved);
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1.0F);
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 0.0F);
    forward.finalize();
    operations.push_back(forward.get());
    const Descriptor *last = &convolved;
    bool good = forward.isGood();
    if (hasBias) {
        const Descriptor &biased = result(kBiased, !hasActivation);
        Descriptor &add = graph.keep(Descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
        add.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, graph.keep(addition()));
        add.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *last);
        add.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, graph.keep(tensor(kBias, *conv.bias, type, 16)));
        add.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, biased);
        good = add.finalize() && good;
        operations.push_back(add.get());
        last = &biased;
    }
    if (hasActivation) {
        auto activation = activationDescriptor(conv.after);
        if (!activation)
            return std::nullopt;
        Descriptor &activate = graph.keep(Descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
        activate.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, graph.keep(std::move(*activation)));
        activate.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *last);
        activate.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
        good = activate.finalize() && good;
        operations.push_back(activate.get());
    }
    if (!good)
        return std::nullopt;
    graph.graph = std::make_unique<Descriptor>(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.graph->set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations.data(),
                     operations.size());
    if (target.handle)
        graph.graph->set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
    if (!graph.graph->finalize())
        return std::nullopt;
    return graph;
}

} // namespace stagecraft::gpu
