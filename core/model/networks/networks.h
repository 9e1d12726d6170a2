#pragma once

// The built-in networks. Sources of the architectures: Szegedy et al. 2016 (Inception V3), Iandola et al. 2016
// (SqueezeNet, here with complex bypass), Zoph et al. 2018 (NASNet-A large), Xie et al. 2019 (RandWire), each in the
// form published with IOS (Ding et al. 2021); those of the layout study, GoogLeNet and AlexNet (Krizhevsky 2014) in the
// form of torchvision, with batch normalisation folded; NASNet-A 6 @ 768 for CIFAR as TensorFlow's models have it, and
// ResNeXt-29 16x64d for CIFAR (Xie et al. 2017) in the form of separate branches, which Rammer (Ma et al. 2020)
// schedules.

#include "model/generator.h"
#include "model/source_graph.h"
#include "support/result.h"

#include <cstdint>
#include <span>

namespace stagecraft {

[[nodiscard]] Result<SourceGraph> sampleNetwork(std::int64_t batch, std::int64_t channels);
[[nodiscard]] Result<SourceGraph> inceptionV3(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> randWire(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> nasNet(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> squeezeNet(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> resNet50(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> resNet101(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> mobileNetV2(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> shuffleNetV2(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> googLeNet(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> resNeXt29(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> nasNetCifar(std::int64_t batch);
[[nodiscard]] Result<SourceGraph> alexNet(std::int64_t batch);

// Those whose sizes are chosen (model/generator.h), and the rows of all of them.
[[nodiscard]] Result<SourceGraph> transformer(const GeneratorValues &of, std::int64_t batch);
[[nodiscard]] Result<SourceGraph> mixtureOfExperts(const GeneratorValues &of, std::int64_t batch);
[[nodiscard]] Result<SourceGraph> multiHeadLatentAttention(const GeneratorValues &of, std::int64_t batch);
[[nodiscard]] Result<SourceGraph> unet(const GeneratorValues &of, std::int64_t batch);
[[nodiscard]] Result<SourceGraph> detectionHeads(const GeneratorValues &of, std::int64_t batch);
[[nodiscard]] Result<SourceGraph> recommender(const GeneratorValues &of, std::int64_t batch);
[[nodiscard]] std::span<const Generator> generatorRows();

} // namespace stagecraft
