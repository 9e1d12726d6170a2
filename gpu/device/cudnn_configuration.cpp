#include "gpu/device/cudnn_configuration.h"

#include <algorithm>
#include <array>

namespace stagecraft::gpu {
namespace {

using Descriptors = std::vector<std::unique_ptr<Descriptor>>;

// An attribute that is a list of at most `limit` descriptors. cuDNN fills existing descriptors, and does not always
// tell their number in advance.
Descriptors listOf(cudnnBackendDescriptor_t owner, cudnnBackendAttributeName_t attribute,
                   cudnnBackendDescriptorType_t type, std::int64_t limit)
{
    Descriptors list;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = 0; i < limit; ++i) {
        list.push_back(std::make_unique<Descriptor>(type));
        raw.push_back(list.back()->get());
    }
    std::int64_t count = 0;
    if (cudnnBackendGetAttribute(owner, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, limit, &count, raw.data()) !=
        CUDNN_STATUS_SUCCESS)
        return {};
    list.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, limit)));
    return list;
}

template <typename T>
std::optional<T> valueOf(cudnnBackendDescriptor_t owner, cudnnBackendAttributeName_t attribute,
                         cudnnBackendAttributeType_t type)
{
    T value{};
    std::int64_t count = 0;
    const bool known = cudnnBackendGetAttribute(owner, attribute, type, 1, &count, &value) == CUDNN_STATUS_SUCCESS;
    return known && count == 1 ? std::optional(value) : std::nullopt;
}

// The notes that this header knows; a newer cuDNN may have more.
template <typename Note, std::size_t kKnown>
std::optional<std::set<Note>> notesOf(cudnnBackendDescriptor_t engine, cudnnBackendAttributeName_t attribute,
                                      cudnnBackendAttributeType_t type)
{
    std::array<Note, kKnown> notes{};
    std::int64_t count = 0;
    if (cudnnBackendGetAttribute(engine, attribute, type, static_cast<std::int64_t>(kKnown), &count, notes.data()) !=
        CUDNN_STATUS_SUCCESS)
        return std::nullopt;
    const auto filled = std::clamp<std::int64_t>(count, 0, static_cast<std::int64_t>(kKnown));
    return std::set<Note>(notes.begin(), notes.begin() + static_cast<std::ptrdiff_t>(filled));
}

// cuDNN 9.19 returns 0 when asked only for the number, so there is room for every type.
std::vector<EngineId::Knob> knobsOf(const Descriptor &configuration)
{
    std::vector<EngineId::Knob> knobs;
    for (const auto &choice : listOf(configuration.get(), CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                     CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS)) {
        const auto type =
            valueOf<cudnnBackendKnobType_t>(choice->get(), CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE);
        const auto value = valueOf<std::int64_t>(choice->get(), CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64);
        if (type && value)
            knobs.emplace_back(*type, *value);
    }
    std::ranges::sort(knobs);
    return knobs;
}

std::optional<EngineConfiguration> described(std::unique_ptr<Descriptor> descriptor)
{
    const Descriptors engines =
        listOf(descriptor->get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
    if (engines.empty())
        return std::nullopt;
    cudnnBackendDescriptor_t engine = engines.front()->get();
    auto numerical = notesOf<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT>(
        engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE);
    const auto behaviour = notesOf<cudnnBackendBehaviorNote_t, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT>(
        engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE);
    const auto index = valueOf<std::int64_t>(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64);
    if (!numerical || !behaviour || !index)
        return std::nullopt;
    EngineId id{*index, knobsOf(*descriptor), false};
    return EngineConfiguration{{},
                               std::move(descriptor),
                               std::move(id),
                               *std::move(numerical),
                               behaviour->contains(CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION)};
}

} // namespace

std::vector<EngineConfiguration> engineConfigurations(const Descriptor &graph, const Descriptor *device,
                                                      cudnnBackendHeurMode_t mode)
{
    Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    if (device)
        heuristic.set(cudnn_device::kOfHeuristics, *device);
    std::int64_t count = 0;
    if (!heuristic.finalize() ||
        cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                                 &count, nullptr) != CUDNN_STATUS_SUCCESS)
        return {};
    std::vector<EngineConfiguration> found;
    for (auto &descriptor :
         listOf(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count)) {
        if (auto configuration = described(std::move(descriptor)))
            found.push_back(*std::move(configuration));
    }
    return found;
}

std::vector<EngineId> knobSettings(const Descriptor &graph, const Descriptor *device, std::int64_t engine,
                                   std::size_t limit)
{
    Descriptor asked(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    asked.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
    asked.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, engine);
    if (device)
        asked.set(cudnn_device::kOfEngine, *device);
    if (!asked.finalize())
        return {};
    std::vector<EngineId> settings{{engine, {}, false}};
    for (const auto &info :
         listOf(asked.get(), CUDNN_ATTR_ENGINE_KNOB_INFO, CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS)) {
        const auto type = valueOf<cudnnBackendKnobType_t>(info->get(), CUDNN_ATTR_KNOB_INFO_TYPE, CUDNN_TYPE_KNOB_TYPE);
        const auto least = valueOf<std::int64_t>(info->get(), CUDNN_ATTR_KNOB_INFO_MINIMUM_VALUE, CUDNN_TYPE_INT64);
        const auto most = valueOf<std::int64_t>(info->get(), CUDNN_ATTR_KNOB_INFO_MAXIMUM_VALUE, CUDNN_TYPE_INT64);
        const auto step = valueOf<std::int64_t>(info->get(), CUDNN_ATTR_KNOB_INFO_STRIDE, CUDNN_TYPE_INT64);
        if (!type || !least || !most)
            continue;
        std::vector<EngineId> longer;
        for (const EngineId &shorter : settings) {
            for (std::int64_t value = *least; value <= *most && longer.size() < limit;
                 value += std::max<std::int64_t>(1, step.value_or(1))) {
                longer.push_back(shorter);
                longer.back().knobs.emplace_back(*type, value);
            }
        }
        settings = std::move(longer);
    }
    for (EngineId &setting : settings)
        std::ranges::sort(setting.knobs);
    return settings;
}

std::optional<EngineConfiguration> configuredEngine(const Descriptor &graph, const Descriptor *device,
                                                    const EngineId &id)
{
    std::vector<std::unique_ptr<Descriptor>> parts;
    const auto part = [&](cudnnBackendDescriptorType_t type) -> Descriptor & {
        return *parts.emplace_back(std::make_unique<Descriptor>(type));
    };
    Descriptor &engine = part(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
    engine.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, id.engine);
    if (device)
        engine.set(cudnn_device::kOfEngine, *device);
    if (!engine.finalize())
        return std::nullopt;
    std::vector<cudnnBackendDescriptor_t> choices;
    for (const auto &[type, value] : id.knobs) {
        Descriptor &choice = part(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
        choice.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, static_cast<cudnnBackendKnobType_t>(type));
        choice.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, value);
        if (!choice.finalize())
            return std::nullopt;
        choices.push_back(choice.get());
    }
    auto made = std::make_unique<Descriptor>(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    made->set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
    if (!choices.empty())
        made->set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, choices.data(), choices.size());
    if (!made->finalize())
        return std::nullopt;
    auto configuration = described(std::move(made));
    if (configuration)
        configuration->parts = std::move(parts);
    return configuration;
}

bool isAllowed(const EngineConfiguration &configuration, Precision precision)
{
    const auto has = [&](cudnnBackendNumericalNote_t note) { return configuration.numerical.contains(note); };
    if (has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION) || has(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13) ||
        has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC))
        return false;
    if (precision != Precision::Fp16 && has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS))
        return false;
    return precision != Precision::Fp32 || !has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
}

std::string nameOf(const EngineConfiguration &configuration)
{
    std::string name = "engine " + std::to_string(configuration.id.engine);
    const char *before = " (";
    for (const auto &[type, value] : configuration.id.knobs) {
        name += before + std::to_string(type) + ": " + std::to_string(value);
        before = ", ";
    }
    if (!configuration.id.knobs.empty())
        name += ')';
    const auto add = [&](cudnnBackendNumericalNote_t note, const char *text) {
        if (configuration.numerical.contains(note))
            name += text;
    };
    add(CUDNN_NUMERICAL_NOTE_TENSOR_CORE, ", tensor cores");
    add(CUDNN_NUMERICAL_NOTE_WINOGRAD, ", Winograd");
    add(CUDNN_NUMERICAL_NOTE_FFT, ", FFT");
    if (configuration.compiles)
        name += ", compiled";
    return name;
}

} // namespace stagecraft::gpu
