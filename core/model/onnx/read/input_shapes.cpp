#include "model/onnx/read/input_shapes.h"

#include "model/onnx/file/constant.h"
#include "model/onnx/refusal.h"
#include "support/closest_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <onnx/onnx_pb.h>
#include <ranges>
#include <string_view>
#include <unordered_set>

namespace stagecraft {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 24; // far beyond any dimension of a real input

constexpr std::array kAssumed{
    AssumedSizes{224, 224, 128}, AssumedSizes{320, 320, 512},  AssumedSizes{48, 320, 256},  AssumedSizes{32, 320, 1024},
    AssumedSizes{299, 299, 64},  AssumedSizes{640, 640, 2048}, AssumedSizes{256, 256, 32},  AssumedSizes{512, 512, 16},
    AssumedSizes{128, 128, 8},   AssumedSizes{64, 64, 4},      AssumedSizes{32, 32, 16000}, AssumedSizes{28, 28, 1},
};

bool isOpen(const onnx::TensorShapeProto::Dimension &dim)
{
    return !dim.has_dim_value() || dim.dim_value() == -1;
}

// The name of an open size that the file uses for all sizes of that name; empty: none. Some exporters write "?".
std::string nameOf(const onnx::TensorShapeProto::Dimension &dim)
{
    const std::string &name = dim.dim_param();
    return std::ranges::any_of(name, [](unsigned char c) { return std::isalnum(c) != 0; }) ? name : std::string();
}

bool isFixed(const onnx::TensorShapeProto::Dimension &dim, std::int64_t low, std::int64_t high)
{
    return !isOpen(dim) && dim.dim_value() >= low && dim.dim_value() <= high;
}

constexpr std::int64_t kMostColours = 4;

// Which of the sizes is the height of an image; the width is behind it. -1: it is no image.
int heightAxis(const onnx::TensorShapeProto &shape)
{
    const auto &dims = shape.dim();
    if (dims.size() == 4 && isFixed(dims[3], 1, kMostColours) && !isFixed(dims[1], 1, kMostColours))
        return 1; // channels last, as TensorFlow writes them
    if (dims.size() == 3 && isFixed(dims[0], 3, 3))
        return 1; // without a batch
    return dims.size() == 4 ? 2 : -1;
}

// "1x3x?x?".
std::string statedSizes(const onnx::TensorShapeProto &shape)
{
    const auto sizeOf = [](const auto &dim) { return isOpen(dim) ? "?" : fmt::to_string(dim.dim_value()); };
    return fmt::to_string(fmt::join(shape.dim() | std::views::transform(sizeOf), "x"));
}

// "1x3x?x?".
std::string wantedSizes(const OpenInput &input)
{
    std::string text;
    for (std::size_t i = 0; i < input.sizes.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : "x", input.isOpen[i] ? "?" : fmt::to_string(input.sizes[i]));
    return text;
}

// "dimension 3 (height) and dimension 4 (width)".
std::string dimensionsText(const OpenInput &input)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < input.isOpen.size(); ++i) {
        if (input.isOpen[i])
            texts.push_back(fmt::format("dimension {}{}", i + 1,
                                        input.names[i].empty() ? "" : fmt::format(" ({})", input.names[i])));
    }
    return listed(texts, " and ");
}

struct LayerParameters {
    std::string_view type;
    std::vector<int> places;
};

// Operands of layers that belong to them in whatever batch they run.
bool isParameter(const std::string &type, int place)
{
    static const std::vector<LayerParameters> layers{
        {"Conv", {1, 2}},
        {"ConvTranspose", {1, 2}},
        {"ConvInteger", {1}},
        {"Gemm", {1}},
        {"BatchNormalization", {1, 2, 3, 4}},
        {"InstanceNormalization", {1, 2}},
        {"GroupNormalization", {1, 2}},
        {"LayerNormalization", {1, 2}},
        {"LSTM", {1, 2, 3, 7}},
        {"GRU", {1, 2, 3}},
        {"RNN", {1, 2, 3}},
    };
    const auto layer = std::ranges::find(layers, type, &LayerParameters::type);
    return layer != layers.end() && std::ranges::count(layer->places, place) > 0;
}

// The inputs that are parameters for all that read them.
std::set<std::string> parameterInputs(const onnx::GraphProto &graph)
{
    std::map<std::string, bool> inputs; // whether every reader so far has it as a parameter
    for (const auto &input : graph.input())
        inputs.emplace(input.name(), true);
    std::set<std::string> found;
    for (const auto &node : graph.node()) {
        for (int i = 0; i < node.input_size(); ++i) {
            const auto input = inputs.find(node.input(i));
            if (input == inputs.end())
                continue;
            input->second = input->second && isParameter(node.op_type(), i);
            found.insert(input->first);
        }
    }
    std::erase_if(found, [&](const std::string &name) { return !inputs.at(name); });
    return found;
}

// Old files list them all among the inputs.
std::unordered_set<std::string_view> weightNames(const onnx::GraphProto &graph)
{
    std::unordered_set<std::string_view> names;
    for (const auto &each : graph.initializer())
        names.insert(each.name());
    return names;
}

} // namespace

bool mayBeOneImage(const onnx::GraphProto &graph)
{
    const auto weights = weightNames(graph);
    const auto isWeight = [&](const onnx::ValueInfoProto &input) { return weights.contains(input.name()); };
    const auto input = std::ranges::find_if_not(graph.input(), isWeight);
    if (input == graph.input().end() || !input->type().has_tensor_type())
        return false;
    const auto &dims = input->type().tensor_type().shape().dim();
    return (dims.size() == 2 || dims.size() == 3) && !isOpen(dims[0]) && dims[0].dim_value() > 1;
}

Error oneImage(const Shape &shape)
{
    return refuseModel(fmt::format("its shape {} is that of one image, without a batch", toString(shape)),
                       "Open the model without a batch size, or export it with one")
        .value();
}

std::span<const AssumedSizes> assumedSizes()
{
    return kAssumed;
}

InputShapes::InputShapes(const OpenRequest &request, const AssumedSizes &sizes, ImportReport &report)
    : m_batch(request.batch), m_chosen(request.reading.sizes), m_sizes(sizes), m_report(report)
{
}

Result<void> InputShapes::checkChosen(const std::vector<std::string> &inputs) const
{
    for (const auto &[name, sizes] : m_chosen) {
        if (std::ranges::count(inputs, name) == 0)
            return fail(ErrorCode::WrongUse,
                        fmt::format("sizes are given for an input {}, which the model does not have", name),
                        fmt::format("{}Its inputs are {}", didYouMean(name, inputs), fmt::join(inputs, ", ")));
    }
    return {};
}

void InputShapes::adoptBatch(const onnx::GraphProto &graph)
{
    if (m_batch == 0)
        return;
    m_parameters = parameterInputs(graph);
    for (const auto &input : graph.input()) {
        const auto &dims = input.type().tensor_type().shape().dim();
        m_hasOpenBatch = m_hasOpenBatch || (!m_parameters.contains(input.name()) && !dims.empty() && isOpen(dims[0]));
    }
}

const std::vector<std::int64_t> *InputShapes::arrayFor(const onnx::ValueInfoProto &input, const GivenInput *given) const
{
    const auto &stated = input.type().tensor_type().shape();
    if (!given || m_chosen.contains(input.name()) || !input.type().tensor_type().has_shape() ||
        stated.dim_size() != static_cast<int>(given->dims.size()))
        return nullptr;
    for (int i = 0; i < stated.dim_size(); ++i) {
        const std::int64_t size = given->dims[static_cast<std::size_t>(i)];
        const bool fits = isOpen(stated.dim(i)) ? size >= 1 && size <= kMaxSize : stated.dim(i).dim_value() == size;
        if (!fits || (i == 0 && m_batch > 0 && isOpen(stated.dim(i)) && size != m_batch))
            return nullptr;
    }
    return std::ranges::any_of(stated.dim(), isOpen) ? &given->dims : nullptr;
}

void InputShapes::adoptNames(const onnx::ValueInfoProto &input, const GivenInput *given)
{
    const auto chosen = m_chosen.find(input.name());
    const auto &stated = input.type().tensor_type().shape();
    const auto *sizes = chosen == m_chosen.end() ? arrayFor(input, given) : &chosen->second;
    if (!sizes || stated.dim_size() != static_cast<int>(sizes->size()))
        return;
    for (int i = 0; i < stated.dim_size(); ++i) {
        if (isOpen(stated.dim(i)) && !nameOf(stated.dim(i)).empty())
            m_named.emplace(nameOf(stated.dim(i)), (*sizes)[static_cast<std::size_t>(i)]);
    }
}

Result<Shape> InputShapes::chosenShape(const onnx::ValueInfoProto &input, const std::vector<std::int64_t> &sizes)
{
    const auto &stated = input.type().tensor_type().shape();
    const Shape shape{sizes};
    bool fits = !input.type().tensor_type().has_shape() || stated.dim_size() == static_cast<int>(sizes.size());
    for (int i = 0; fits && i < stated.dim_size(); ++i) {
        const auto &dim = stated.dim(i);
        const std::int64_t size = sizes[static_cast<std::size_t>(i)];
        fits = isOpen(dim) ? nameOf(dim).empty() || m_named.emplace(nameOf(dim), size).first->second == size
                           : dim.dim_value() == size;
    }
    if (!fits)
        return fail(ErrorCode::WrongUse,
                    fmt::format("the sizes {} do not fit: the file states {}", toString(shape), statedSizes(stated)),
                    "Choose only what it leaves open, and the same size where it has the same name");
    if (!elementCount(sizes) ||
        std::ranges::any_of(sizes, [](std::int64_t size) { return size < 1 || size > kMaxSize; }))
        return fail(ErrorCode::WrongUse, fmt::format("the sizes {} make no sense", toString(shape)),
                    "Give sizes above 0, as in 1x3x224x224");
    return shape;
}

Result<Shape> InputShapes::shapeOf(const onnx::ValueInfoProto &input, const GivenInput *given)
{
    if (!input.type().has_tensor_type())
        return refuseModel("it is not a tensor", "Export a model whose inputs are tensors");
    const auto found = m_chosen.find(input.name());
    const auto *chosen = found == m_chosen.end() ? arrayFor(input, given) : &found->second;
    const auto &stated = input.type().tensor_type().shape();
    if (!input.type().tensor_type().has_shape() && !chosen)
        return refuseModel("it has no shape", fmt::format("Choose one, as in --shape {}=1x3x224x224", input.name()));
    OpenInput open{input.name(), {}, {}, chosen != nullptr};
    for (int i = 0; i < stated.dim_size(); ++i) {
        const auto &dim = stated.dim(i);
        const bool isEmpty =
            dim.has_dim_value() && dim.dim_value() == 0 && given && std::ranges::count(given->dims, 0) > 0;
        if (!isOpen(dim) && !isEmpty && (dim.dim_value() < 1 || dim.dim_value() > kMaxSize))
            return refuseModel(fmt::format("its size {} makes no sense", dim.dim_value()));
        const bool isBatch = i == 0 || (!nameOf(dim).empty() && nameOf(dim) == nameOf(stated.dim(0)));
        open.isOpen.push_back(isOpen(dim) && !isBatch);
        open.names.push_back(nameOf(dim));
    }
    Shape shape;
    if (open.isChosen) {
        auto fitting = chosenShape(input, *chosen);
        if (!fitting)
            return fitting;
        shape = std::move(*fitting);
        open.isOpen.resize(shape.dims.size(), true);
        open.names.resize(shape.dims.size());
    } else {
        for (int i = 0; i < stated.dim_size(); ++i)
            shape.dims.push_back(isOpen(stated.dim(i)) ? assumedSize(stated, i) : stated.dim(i).dim_value());
        adoptBatch(input, shape);
    }
    if (!elementCount(shape.dims))
        return refuseModel(fmt::format("its shape {} is absurd", toString(shape)));
    open.sizes = shape.dims;
    if (std::ranges::count(open.isOpen, true) == 0) {
        if (!open.isChosen && m_batch == 0 && stated.dim_size() > 0 && isOpen(stated.dim(0))) {
            open.isOpen[0] = true;
            m_withOneAsBatch.push_back(std::move(open));
        }
        return shape;
    }
    if (!open.isChosen) {
        m_report.notes.push_back(
            {ImportNote::Severity::Warning,
             {},
             fmt::format("The file leaves sizes of the input {} open; {} is used", input.name(), toString(shape))});
    }
    m_report.openInputs.push_back(std::move(open));
    return shape;
}

bool InputShapes::assumes() const
{
    return std::ranges::any_of(m_report.openInputs, [](const OpenInput &input) { return !input.isChosen; });
}

std::optional<std::string> InputShapes::remedy() const
{
    const bool isOfBatch = m_report.openInputs.empty();
    std::string left;
    std::string shapes;
    for (const OpenInput &input : isOfBatch ? m_withOneAsBatch : m_report.openInputs) {
        if (!isOfBatch && input.isChosen && assumes())
            continue;
        left += fmt::format("{}{} of {}", left.empty() ? "" : ", ", dimensionsText(input), input.name);
        shapes += fmt::format(" --shape {}={}", input.name, wantedSizes(input));
    }
    if (isOfBatch && left.empty())
        return std::nullopt;
    if (isOfBatch)
        return fmt::format("The file leaves open {}, which is taken for the batch, as 1. If it is none, give its "
                           "size:{} with numbers for the question marks",
                           left, shapes);
    if (!assumes())
        return fmt::format("The sizes that were chosen for {} do not fit. Give others:{} with numbers for the "
                           "question marks",
                           left, shapes);
    return fmt::format("The file leaves open {}, and none of the sizes that the program tries fits. Give yours:{} with "
                       "numbers for the question marks, or export the model with fixed sizes",
                       left, shapes);
}

// The first dimension is the batch. Where one is open, those that the file states are none: they stay. Neither have
// weights one.
void InputShapes::adoptBatch(const onnx::ValueInfoProto &input, Shape &shape)
{
    const auto &dims = input.type().tensor_type().shape().dim();
    if (shape.dims.empty())
        return;
    if (m_batch > 0 && !m_parameters.contains(input.name())) {
        if (!m_ownBatch)
            m_ownBatch = m_hasOpenBatch ? 1 : shape.dims[0];
        if (m_hasOpenBatch ? isOpen(dims[0]) : shape.dims[0] == m_ownBatch)
            shape.dims[0] = m_batch;
    }
    if (!dims[0].has_dim_value() && m_batch == 0)
        m_report.notes.push_back(
            {ImportNote::Severity::Info, {}, "The file leaves the batch of " + input.name() + " open; 1 is used"});
}

std::int64_t InputShapes::assumedSize(const onnx::TensorShapeProto &shape, int axis)
{
    constexpr std::int64_t kColours = 3;
    std::int64_t size = m_sizes.length;
    const int height = heightAxis(shape);
    if (axis == 0)
        size = std::max<std::int64_t>(1, m_batch);
    else if (height > 0)
        size = axis == height ? m_sizes.height : axis == height + 1 ? m_sizes.width : kColours;
    const std::string name = nameOf(shape.dim(axis));
    return name.empty() ? size : m_named.emplace(name, size).first->second;
}

std::vector<OpenInput> openInputsOf(const onnx::GraphProto &graph)
{
    constexpr AssumedSizes kUsual;
    const OpenRequest request;
    ImportReport report;
    InputShapes shapes(request, kUsual, report);
    const auto weights = weightNames(graph);
    for (const auto &input : graph.input()) {
        if (weights.contains(input.name()) || !input.type().has_tensor_type())
            continue;
        if (!input.type().tensor_type().has_shape())
            report.openInputs.push_back({input.name(),
                                         {1, 3, kUsual.height, kUsual.width},
                                         std::vector<bool>(4, true),
                                         false,
                                         std::vector<std::string>(4)});
        else if (const auto shape = shapes.shapeOf(input); !shape)
            return {};
    }
    return std::move(report.openInputs);
}

} // namespace stagecraft
