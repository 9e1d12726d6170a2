#pragma once

// Published numbers: from the IOS paper (Ding et al., MLSys 2021), its thesis (Toronto, 2022) and the README of its
// public repository, from the layout study (GTC China 2020), from Opara, from Rammer and from vLLM. The calibration is
// fitted to them, and the reproduction report compares with them. fp32, batch 1, Tesla V100 SXM2 at 1530 MHz,
// CUDA 10.2, cuDNN 7.6.5, r = 3 and s = 8 unless a name or comment says otherwise.

#include <array>
#include <cstdint>
#include <string_view>

namespace stagecraft::published {

struct Network {
    std::string_view model; // built-in name
    std::string_view title;
    int blocks;
    int units;
    std::array<double, 5> scheduleMs;  // Sequential, Greedy, IOS-Merge, IOS-Parallel, IOS-Both
    std::array<double, 6> frameworkMs; // in the order of kFrameworks
};

inline constexpr std::array<std::string_view, 6> kFrameworks{"TensorRT 7",     "TASO",       "TVM-cuDNN",
                                                             "TVM auto-tuned", "TensorFlow", "TF-XLA"};

inline constexpr std::array kNetworks{
    Network{
        "inception_v3", "Inception V3", 11, 119, {6.51, 4.62, 5.39, 4.11, 4.03}, {5.21, 5.70, 4.88, 4.95, 7.95, 9.95}},
    Network{"randwire", "RandWire", 3, 120, {8.49, 6.27, 8.54, 6.02, 6.02}, {8.33, 8.42, 6.86, 5.26, 12.06, 16.61}},
    Network{
        "nasnet", "NASNet", 13, 374, {22.95, 16.78, 22.94, 16.04, 16.04}, {24.66, 21.29, 26.87, 14.67, 24.73, 34.66}},
    Network{"squeezenet", "SqueezeNet", 10, 50, {0.86, 0.98, 0.74, 0.82, 0.73}, {0.80, 0.82, 0.90, 0.75, 2.63, 4.08}}};

// Largest block by transitions, concurrent execution only, no pruning, groups with a single source.
struct SearchSpace {
    int operators;
    int width;
    double bound;
    double transitions;
    double schedules;
};

inline constexpr std::array kSearchSpaces{
    SearchSpace{11, 6, 2.6e4, 4.9e3, 3.8e6}, SearchSpace{33, 8, 3.7e9, 1.2e6, 9.2e22},
    SearchSpace{18, 8, 5.2e6, 3.1e5, 7.2e12}, SearchSpace{6, 3, 2.2e2, 51, 1.3e2}};

// The sample network, stage by stage, in microseconds.
struct SampleStage {
    std::string_view title;
    std::array<std::string_view, 2> operators; // the second may be empty
    double us;
};

inline constexpr std::array kSampleSequential{
    SampleStage{"conv1", {"conv1", ""}, 110.7}, SampleStage{"conv2", {"conv2", ""}, 126.1},
    SampleStage{"conv3", {"conv3", ""}, 106.0}, SampleStage{"conv4", {"conv4", ""}, 125.5},
    SampleStage{"concat", {"concat", ""}, 17.9}};
inline constexpr std::array kSampleIos{SampleStage{"conv1 | conv2", {"conv1", "conv2"}, 161.5},
                                       SampleStage{"conv3 | conv4", {"conv3", "conv4"}, 154.5},
                                       SampleStage{"concat", {"concat", ""}, 17.3}};
inline constexpr double kSampleSequentialUs = 486;
inline constexpr double kSampleIosUs = 333;
inline constexpr int kWarpsChannels = 384;
inline constexpr double kWarpsGainPercent = 58; // active warps, IOS over Sequential, sample network

struct Pruning {
    int r;
    int s;
    std::array<double, 2> ms;      // Inception V3, NASNet
    std::array<double, 2> seconds; // of search, on the GPU
};

inline constexpr std::array kPruning{Pruning{1, 3, {4.22, 17.54}, {5, 137}},  Pruning{1, 8, {4.06, 16.54}, {7, 492}},
                                     Pruning{2, 3, {4.02, 16.85}, {17, 360}}, Pruning{2, 8, {3.99, 16.09}, {25, 2648}},
                                     Pruning{3, 3, {3.99, 16.73}, {29, 641}}, Pruning{3, 8, {3.96, 15.91}, {43, 3412}}};

// Whole search at r = 3, s = 8, for the networks whose pruning was not published.
struct WholeSearch {
    std::string_view model;
    std::string_view title;
    double seconds;
};

inline constexpr std::array kWholeSearches{WholeSearch{"randwire", "RandWire", 4407},
                                           WholeSearch{"squeezenet", "SqueezeNet", 1}};

// Inception V3 by batch size, ms.
struct BatchPoint {
    int batch;
    double sequentialMs;
    double tensorRtMs;
    double iosMs;
};

inline constexpr std::array kBatchSweep{BatchPoint{1, 6.51, 5.21, 4.03}, BatchPoint{16, 17.95, 17.82, 15.17},
                                        BatchPoint{32, 30.54, 29.97, 27.00}, BatchPoint{64, 55.67, 56.25, 51.11},
                                        BatchPoint{128, 108.55, 106.84, 102.74}};

// Inception V3: rows run on, columns optimised for.
inline constexpr std::array<int, 3> kSpecialBatches{1, 32, 128};
inline constexpr std::array<std::array<double, 3>, 3> kSpecialBatchMs{
    {{4.03, 4.50, 4.63}, {29.21, 27.44, 27.93}, {105.98, 103.74, 103.29}}};
inline constexpr std::array<std::array<double, 2>, 2> kSpecialDeviceMs{{{13.87, 14.65}, {4.49, 4.03}}}; // K80, V100

// The layout study (V100, fp16, cuDNN): two convolutions in a row with a conversion, ms; the mean over its networks,
// how many times faster, and the longest choice with its profiling, in seconds. Its convolutions alone are in
// flow/layouts/assumed_layouts.h.
struct LayoutExample {
    double firstNchwMs;
    double secondNchwMs;
    double secondNhwcMs;
    double conversionMs;
    double fastestEachMs;
    double bestWholeMs;
};

inline constexpr LayoutExample kLayoutExample{0.3, 0.6, 0.5, 0.2, 1.0, 0.9};

struct LayoutNetwork {
    std::string_view model; // built-in name
    std::string_view title;
};

inline constexpr std::array kLayoutNetworks{
    LayoutNetwork{"resnet50", "ResNet-50"}, LayoutNetwork{"resnet101", "ResNet-101"},
    LayoutNetwork{"mobilenet_v2", "MobileNetV2"}, LayoutNetwork{"squeezenet", "SqueezeNet"},
    LayoutNetwork{"shufflenet_v2", "ShuffleNetV2"}};
inline constexpr double kLayoutGain = 1.75;
inline constexpr double kLayoutSeconds = 20;

// Streams without barriers: Nimble (Kwon et al., NeurIPS 2020) and Opara (Chen et al., SoCC 2024; GoogLeNet's speed-up
// is from its README), on an RTX 2080 Super with an operator's kernels as PyTorch chooses them. Over one sequential
// CUDA graph; the streams of GoogLeNet, and how long a network is allocated, in ms.
struct StreamsSpeedup {
    std::string_view model; // built-in name
    std::string_view title;
    int batch;
    double opara;
};

inline constexpr std::array kStreamsSpeedups{StreamsSpeedup{"googlenet", "GoogLeNet, batch 1", 1, 1.868 / 1.110},
                                             StreamsSpeedup{"inception_v3", "Inception V3, batch 1", 1, 1.41},
                                             StreamsSpeedup{"inception_v3", "Inception V3, batch 32", 32, 1.09}};
inline constexpr int kOparaStreams = 28;
inline constexpr int kNimbleStreams = 4;

// Rammer (Ma et al., OSDI 2020) on a V100 at batch 1, ms: its base, one kernel after another, and with rTasks fused. Of
// ResNeXt-29 also with the fastest and with the thriftiest kernels, alone and fused.
struct RammerNetwork {
    std::string_view model; // built-in name
    std::string_view title;
    double baseMs;
    double fusedMs;
};

inline constexpr std::array kRammerNetworks{RammerNetwork{"resnext29", "ResNeXt-29 16x64d", 10.94, 4.63},
                                            RammerNetwork{"nasnet_cifar", "NASNet-A 6 @ 768", 2.97, 1.74},
                                            RammerNetwork{"alexnet", "AlexNet", 0.96, 0.96}};
inline constexpr std::array<double, 4> kRammerKernelsMs{10.94, 6.09, 29.24, 4.63}; // as RTaskLatencies

// Shared experts on a stream of their own, beside the routed ones: vLLM (pull request 26440, October 2025) on
// DeepSeek-R1 with a batch of 32, the whole model; its time a token fell from 23.35 to 22.09 ms over 58 layers of
// experts. Gains of this and of SGLang's (12660) are from 2 to 10 %.
inline constexpr std::int64_t kExpertsTokens = 32;
inline constexpr double kExpertsGain = 23.35 / 22.09;
inline constexpr double kExpertsSavedUs = (23.35 - 22.09) * 1000 / 58;
inline constexpr double kExpertsLeast = 1.02;
inline constexpr double kExpertsMost = 1.10;

inline constexpr double kBestBlockSpeedup = 2.3; // of Inception V3, IOS over Sequential

} // namespace stagecraft::published
