#pragma once

// The kernels of the rows, one file per family. See KernelFunction in operators/kernels/kernel.h.

#include "operators/kernels/kernel.h"

namespace stagecraft::kernels {

// elementwise.cpp: every element by itself.
[[nodiscard]] Result<void> unary(KernelCall &call);      // a function of real numbers, or of integers
[[nodiscard]] Result<void> arithmetic(KernelCall &call); // Add, Sub, PRelu, ... of two or more
[[nodiscard]] Result<void> comparison(KernelCall &call);
[[nodiscard]] Result<void> power(KernelCall &call);
[[nodiscard]] Result<void> logic(KernelCall &call);
[[nodiscard]] Result<void> choice(KernelCall &call); // Where
[[nodiscard]] Result<void> clip(KernelCall &call);
[[nodiscard]] Result<void> cast(KernelCall &call);
[[nodiscard]] Result<void> bitCast(KernelCall &call);
[[nodiscard]] Result<void> kindOfNumber(KernelCall &call); // IsNaN, IsInf

// layout.cpp: the same values in another shape, order or number.
[[nodiscard]] Result<void> copied(KernelCall &call);    // Reshape and its like
[[nodiscard]] Result<void> keptWhole(KernelCall &call); // Dropout
[[nodiscard]] Result<void> transposed(KernelCall &call);
[[nodiscard]] Result<void> joined(KernelCall &call);
[[nodiscard]] Result<void> sliced(KernelCall &call);
[[nodiscard]] Result<void> split(KernelCall &call);
[[nodiscard]] Result<void> padded(KernelCall &call);
[[nodiscard]] Result<void> expanded(KernelCall &call);
[[nodiscard]] Result<void> tiled(KernelCall &call);
[[nodiscard]] Result<void> inBlocks(KernelCall &call); // DepthToSpace, SpaceToDepth
[[nodiscard]] Result<void> reversed(KernelCall &call); // ReverseSequence
[[nodiscard]] Result<void> triangle(KernelCall &call); // Trilu
[[nodiscard]] Result<void> cropped(KernelCall &call);  // CenterCropPad
[[nodiscard]] Result<void> columnsToImage(KernelCall &call);

// gather.cpp: elements chosen or placed by indices.
[[nodiscard]] Result<void> gather(KernelCall &call);
[[nodiscard]] Result<void> gatherElements(KernelCall &call);
[[nodiscard]] Result<void> gatherNd(KernelCall &call);
[[nodiscard]] Result<void> scatterElements(KernelCall &call);
[[nodiscard]] Result<void> scatterNd(KernelCall &call);
[[nodiscard]] Result<void> tensorScatter(KernelCall &call);

// chosen.cpp: how many elements there are depends on the values.
[[nodiscard]] Result<void> nonZero(KernelCall &call);
[[nodiscard]] Result<void> compress(KernelCall &call);
[[nodiscard]] Result<void> unique(KernelCall &call);
[[nodiscard]] Result<void> nonMaxSuppression(KernelCall &call);

// made.cpp: values made from sizes.
[[nodiscard]] Result<void> range(KernelCall &call);
[[nodiscard]] Result<void> repeated(KernelCall &call); // ConstantOfShape
[[nodiscard]] Result<void> eye(KernelCall &call);
[[nodiscard]] Result<void> oneHot(KernelCall &call);
[[nodiscard]] Result<void> shapeOf(KernelCall &call);
[[nodiscard]] Result<void> sizeOf(KernelCall &call);
[[nodiscard]] Result<void> signalWindow(KernelCall &call); // HannWindow and its like
[[nodiscard]] Result<void> affineGrid(KernelCall &call);

// reduce.cpp: over axes.
[[nodiscard]] Result<void> reduced(KernelCall &call);
[[nodiscard]] Result<void> placeOfLargest(KernelCall &call);
[[nodiscard]] Result<void> largest(KernelCall &call); // TopK
[[nodiscard]] Result<void> cumulated(KernelCall &call);
[[nodiscard]] Result<void> softmax(KernelCall &call); // and LogSoftmax, Hardmax

// normalize.cpp
[[nodiscard]] Result<void> batchNormalized(KernelCall &call);
[[nodiscard]] Result<void> channelsNormalized(KernelCall &call); // InstanceNormalization, GroupNormalization
[[nodiscard]] Result<void> layerNormalized(KernelCall &call);    // and RMSNormalization
[[nodiscard]] Result<void> lpNormalized(KernelCall &call);
[[nodiscard]] Result<void> meanVarianceNormalized(KernelCall &call);
[[nodiscard]] Result<void> responseNormalized(KernelCall &call); // LRN

// product.cpp
[[nodiscard]] Result<void> matrixProduct(KernelCall &call);
[[nodiscard]] Result<void> generalProduct(KernelCall &call);
[[nodiscard]] Result<void> einsum(KernelCall &call);
[[nodiscard]] Result<void> determinant(KernelCall &call);

// window.cpp: windows over any number of spatial dimensions.
[[nodiscard]] Result<void> convolution(KernelCall &call);
[[nodiscard]] Result<void> transposedConvolution(KernelCall &call);
[[nodiscard]] Result<void> pooled(KernelCall &call);
[[nodiscard]] Result<void> pooledGlobally(KernelCall &call);
[[nodiscard]] Result<void> unpooled(KernelCall &call);

// rotary.cpp
[[nodiscard]] Result<void> rotated(KernelCall &call); // RotaryEmbedding

// deform.cpp
[[nodiscard]] Result<void> deformableConvolution(KernelCall &call);

// resize.cpp
[[nodiscard]] Result<void> resized(KernelCall &call);
[[nodiscard]] Result<void> sampledOnGrid(KernelCall &call);

// regions.cpp
[[nodiscard]] Result<void> regionsAligned(KernelCall &call);
[[nodiscard]] Result<void> regionsPooled(KernelCall &call);

// quantize.cpp
[[nodiscard]] Result<void> quantized(KernelCall &call);
[[nodiscard]] Result<void> dequantized(KernelCall &call);
[[nodiscard]] Result<void> quantizedByItself(KernelCall &call);
[[nodiscard]] Result<void> integerProduct(KernelCall &call);      // MatMulInteger
[[nodiscard]] Result<void> quantizedProduct(KernelCall &call);    // QLinearMatMul
[[nodiscard]] Result<void> integerConvolution(KernelCall &call);  // ConvInteger, QLinearConv
[[nodiscard]] Result<void> quantizedArithmetic(KernelCall &call); // QLinearAdd, ...

// recurrent.cpp
[[nodiscard]] Result<void> recurrent(KernelCall &call); // RNN, GRU, LSTM

// loss.cpp
[[nodiscard]] Result<void> likelihoodLoss(KernelCall &call); // NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss

// fourier.cpp
[[nodiscard]] Result<void> fourier(KernelCall &call); // DFT, STFT

} // namespace stagecraft::kernels
