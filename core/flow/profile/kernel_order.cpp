#include "flow/profile/kernel_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

enum class Work { None, Conv, Gemm, MaxPool, AveragePool, Add, Concat, Activation, Softmax, BatchNorm, Reorder };

struct NamedWork {
    std::string_view part; // of a name in small letters
    Work work;
};

// The first that occurs counts.
constexpr std::array kOfCalls{
    NamedWork{"backward", Work::None},
    NamedWork{"convolution", Work::Conv},
    NamedWork{"conv2d", Work::Conv},
    NamedWork{"conv1d", Work::Conv},
    NamedWork{"conv3d", Work::Conv},
    NamedWork{"aten::mm", Work::Gemm},
    NamedWork{"addmm", Work::Gemm},
    NamedWork{"aten::bmm", Work::Gemm},
    NamedWork{"aten::linear", Work::Gemm},
    NamedWork{"aten::matmul", Work::Gemm},
    NamedWork{"max_pool", Work::MaxPool},
    NamedWork{"avg_pool", Work::AveragePool},
    NamedWork{"batch_norm", Work::BatchNorm},
    NamedWork{"log_softmax", Work::None},
    NamedWork{"softmax", Work::Softmax},
    NamedWork{"aten::cat", Work::Concat},
    NamedWork{"aten::add", Work::Add},
    NamedWork{"aten::relu", Work::Activation},
    NamedWork{"aten::clamp", Work::Activation},
    NamedWork{"aten::hardtanh", Work::Activation},
    NamedWork{"aten::silu", Work::Activation},
    NamedWork{"aten::sigmoid", Work::Activation},
    NamedWork{"aten::gelu", Work::Activation},
    NamedWork{"aten::hardswish", Work::Activation},
};
constexpr std::array kOfKernels{
    NamedWork{"backward", Work::None},
    NamedWork{"dgrad", Work::None},
    NamedWork{"wgrad", Work::None},
    NamedWork{"bwd", Work::None},
    NamedWork{"max_pool", Work::MaxPool},
    NamedWork{"maxpool", Work::MaxPool},
    NamedWork{"avg_pool", Work::AveragePool},
    NamedWork{"average_pool", Work::AveragePool},
    NamedWork{"fprop", Work::Conv},
    NamedWork{"scudnn", Work::Conv},
    NamedWork{"winograd_", Work::Conv},
    NamedWork{"implicit", Work::Conv},
    NamedWork{"conv2d", Work::Conv},
    NamedWork{"convolve", Work::Conv},
    NamedWork{"gemm", Work::Gemm},
    NamedWork{"gemv", Work::Gemm},
    NamedWork{"softmax", Work::Softmax},
};
constexpr std::array kOfTypes{
    NamedWork{"reorderinput", Work::Reorder},
    NamedWork{"reorderoutput", Work::Reorder},
    NamedWork{"convolution", Work::Conv},
    NamedWork{"conv", Work::Conv},
    NamedWork{"gemm", Work::Gemm},
    NamedWork{"matmul", Work::Gemm},
    NamedWork{"matrixmultiply", Work::Gemm},
    NamedWork{"maxpool", Work::MaxPool},
    NamedWork{"pooling max", Work::MaxPool},
    NamedWork{"pooling average", Work::AveragePool},
    NamedWork{"averagepool", Work::AveragePool},
    NamedWork{"add", Work::Add},
    NamedWork{"concat", Work::Concat},
    NamedWork{"relu", Work::Activation},
    NamedWork{"softmax", Work::Softmax},
    NamedWork{"batchnormalization", Work::BatchNorm},
};

Work workIn(std::string name, std::span<const NamedWork> table)
{
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto found =
        std::ranges::find_if(table, [&](const NamedWork &row) { return name.find(row.part) != std::string::npos; });
    return found == table.end() ? Work::None : found->work;
}

// ONNX Runtime makes a Gemm of a MatMul and its bias, between two reshapes that have no name of the model.
constexpr std::string_view kReshapedForProduct = "gemm_input_reshape";
constexpr std::string_view kReshapedByProduct = "gemm_output_reshape";

bool isReshapeOfProduct(const ProfiledKernel &node)
{
    return node.name.starts_with(kReshapedForProduct) || node.name.starts_with(kReshapedByProduct);
}

// A shape without its batch.
std::string shapeKey(std::span<const std::int64_t> sizes)
{
    return sizes.empty() ? std::string() : fmt::format("{}", fmt::join(sizes.subspan(1), "x"));
}

std::string convKey(std::span<const std::int64_t> input, std::span<const std::int64_t> weight)
{
    return shapeKey(input) + " by " + fmt::format("{}", fmt::join(weight, "x"));
}

// Rows and columns of the weight, either way round.
std::string gemmKey(std::int64_t a, std::int64_t b)
{
    return fmt::format("{} by {}", std::min(a, b), std::max(a, b));
}

// A convolution of one point by one point, as TensorRT computes the last layer of a classifier.
bool isProduct(std::span<const std::int64_t> input, std::span<const std::int64_t> weight)
{
    const auto isOne = [](std::int64_t size) { return size == 1; };
    return input.size() > 2 && input.size() == weight.size() && input[1] == weight[1] &&
           std::ranges::all_of(input.subspan(2), isOne) && std::ranges::all_of(weight.subspan(2), isOne);
}

// A call of the host with the kernels it launched, or a kernel that nothing is known to have launched.
struct Call {
    Work work = Work::None;
    std::string key{};       // of its shapes; empty: unknown
    std::string asProduct{}; // the key of the product that a convolution of one point is
    std::string firstInput{};
    std::vector<std::uint32_t> kernels;
};

std::string keyOf(Work work, std::span<const ProfiledShape> shapes)
{
    const auto sizes = [&](std::size_t i) { return i < shapes.size() ? shapes[i] : ProfiledShape(); };
    switch (work) {
    case Work::Conv: return sizes(0).size() > 2 && sizes(1).size() > 2 ? convKey(sizes(0), sizes(1)) : std::string();
    case Work::Gemm: {
        const bool hasBias = sizes(0).size() == 1; // addmm names it first
        const ProfiledShape weight = sizes(hasBias ? 2 : 1);
        return weight.size() == 2 ? gemmKey(weight[0], weight[1]) : std::string();
    }
    default: return shapeKey(sizes(0));
    }
}

std::vector<Call> callsOf(const Profile &profile, std::span<const std::uint32_t> run)
{
    std::vector<Call> calls;
    std::map<std::uint32_t, std::size_t> callOf; // by host operator
    for (const std::uint32_t place : run) {
        const ProfiledKernel &kernel = profile.kernels[place];
        if (kernel.kind == ProfiledKind::Copy || kernel.kind == ProfiledKind::Fill)
            continue;
        const bool isCalled = kernel.hostOperator != kNoPlace;
        if (isCalled) {
            const auto [found, isNew] = callOf.try_emplace(kernel.hostOperator, calls.size());
            if (!isNew) {
                calls[found->second].kernels.push_back(place);
                continue;
            }
        }
        const std::vector<ProfiledShape> &shapes =
            isCalled ? profile.hostOperators[kernel.hostOperator].inputShapes : kernel.inputShapes;
        Call call{.kernels = {place}};
        if (isCalled)
            call.work = workIn(profile.hostOperators[kernel.hostOperator].name, kOfCalls);
        else if (isReshapeOfProduct(kernel))
            call.work = Work::Reorder;
        else if (!kernel.type.empty())
            call.work = workIn(kernel.type, kOfTypes);
        else
            call.work = workIn(kernel.name, kernel.kind == ProfiledKind::Node ? std::span<const NamedWork>(kOfCalls)
                                                                              : std::span<const NamedWork>(kOfKernels));
        call.key = keyOf(call.work, shapes);
        if (call.work == Work::Conv && shapes.size() > 1 && isProduct(shapes[0], shapes[1]))
            call.asProduct = gemmKey(shapes[1][1], shapes[1][0]);
        call.firstInput = shapes.empty() ? std::string() : shapeKey(shapes.front());
        calls.push_back(std::move(call));
    }
    return calls;
}

struct OperatorWork {
    OperatorId op;
    Work work = Work::None;
    std::string key;
    bool isBound = false;
};

std::optional<OperatorWork> workOf(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    const auto input = graph.inputShape(id).dims;
    if (const ConvAttributes *conv = op.conv(); conv && input.size() == 4) {
        const std::array<std::int64_t, 4> weight{conv->outChannels, input[1] / conv->groups, conv->window.kernel[0],
                                                 conv->window.kernel[1]};
        return OperatorWork{id, Work::Conv, convKey(input, weight)};
    }
    if (const GemmAttributes *gemm = op.gemm())
        return OperatorWork{id, Work::Gemm, gemmKey(gemm->inFeatures, gemm->outFeatures)};
    if (const PoolAttributes *pool = op.pool())
        return OperatorWork{id, pool->mode == PoolAttributes::Mode::Max ? Work::MaxPool : Work::AveragePool,
                            shapeKey(input)};
    if (op.activation())
        return OperatorWork{id, Work::Activation, shapeKey(input)};
    if (op.isConcat())
        return OperatorWork{id, Work::Concat, {}};
    if (op.isSum())
        return OperatorWork{id, Work::Add, shapeKey(graph.outputShape(id).dims)};
    if (op.kind == OperatorKind::Softmax)
        return OperatorWork{id, Work::Softmax, shapeKey(input)};
    if (op.kind == OperatorKind::BatchNorm)
        return OperatorWork{id, Work::BatchNorm, shapeKey(input)};
    return std::nullopt;
}

// Calls and operators that are alike, in their order.
struct Alike {
    std::vector<std::size_t> calls;
    std::vector<std::size_t> operators;
};

class OrderMapping {
public:
    OrderMapping(const Graph &graph, const Profile &profile, std::vector<Call> calls, KernelMappings &mappings)
        : m_graph(graph), m_profile(profile), m_calls(std::move(calls)), m_mappings(mappings)
    {
        std::vector<bool> isNamed(graph.size(), false);
        for (const Call &call : m_calls) {
            if (const auto &mapping = mappings[call.kernels.front()])
                for (const OperatorId id : mapping->operators)
                    isNamed[id.index()] = true;
        }
        for (std::size_t i = 0; i < graph.size(); ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            if (auto work = isNamed[i] ? std::nullopt : workOf(graph, id))
                m_operators.push_back(std::move(*work));
        }
        for (Call &call : m_calls) {
            const auto isIt = [&](const OperatorWork &work) { return work.work == Work::Conv && work.key == call.key; };
            if (!call.asProduct.empty() && std::ranges::none_of(m_operators, isIt)) {
                call.work = Work::Gemm;
                call.key = call.asProduct;
            }
        }
    }

    void map()
    {
        mapAlike(MappedBy::TypeShapeOrder, [](Work work, const std::string &key) { return std::pair(work, key); });
        mapAlike(MappedBy::TypeOrder, [](Work work, const std::string &) { return std::pair(work, std::string()); });
        mapFollowers();
        mapReorders();
    }

private:
    [[nodiscard]] bool isMapped(const Call &call) const { return m_mappings[call.kernels.front()].has_value(); }

    void bind(const Call &call, OperatorId id, MappedBy by)
    {
        for (const std::uint32_t kernel : call.kernels) {
            if (!m_mappings[kernel])
                m_mappings[kernel] = NamedOperators{{id}, by};
        }
    }

    // `group` says what is alike.
    void mapAlike(MappedBy by, const std::function<std::pair<Work, std::string>(Work, const std::string &)> &group)
    {
        const bool byShape = by == MappedBy::TypeShapeOrder;
        std::map<std::pair<Work, std::string>, Alike> alike;
        for (std::size_t i = 0; i < m_calls.size(); ++i) {
            const Call &call = m_calls[i];
            if (!isMapped(call) && call.work != Work::None && !(byShape && call.key.empty()))
                alike[group(call.work, call.key)].calls.push_back(i);
        }
        for (std::size_t i = 0; i < m_operators.size(); ++i) {
            const OperatorWork &work = m_operators[i];
            if (!work.isBound && !(byShape && work.key.empty()))
                alike[group(work.work, work.key)].operators.push_back(i);
        }
        for (const auto &[kind, one] : alike) {
            if (!fitTogether(one))
                continue;
            for (std::size_t i = 0; i < one.calls.size(); ++i) {
                OperatorWork &work = m_operators[one.operators[i]];
                bind(m_calls[one.calls[i]], work.op, by);
                work.isBound = true;
            }
        }
    }

    // As many of each, and none of a shape that is known to be another.
    [[nodiscard]] bool fitTogether(const Alike &alike) const
    {
        if (alike.calls.size() != alike.operators.size())
            return false;
        for (std::size_t i = 0; i < alike.calls.size(); ++i) {
            const std::string &called = m_calls[alike.calls[i]].key;
            const std::string &known = m_operators[alike.operators[i]].key;
            if (!called.empty() && !known.empty() && called != known)
                return false;
        }
        return true;
    }

    // What follows an operator and works on what it made is part of its unit: a bias, a norm, an activation.
    void mapFollowers()
    {
        constexpr std::size_t kNear = 4; // calls; a norm also counts its batches
        std::optional<OperatorId> last;
        std::size_t since = 0;
        for (const Call &call : m_calls) {
            ++since;
            const bool mayFollow =
                call.work == Work::BatchNorm || call.work == Work::Activation || call.work == Work::Add;
            if (isMapped(call))
                last = m_mappings[call.kernels.front()]->operators.front();
            else if (last && mayFollow && since <= kNear && !call.firstInput.empty() &&
                     call.firstInput == shapeKey(m_graph.outputShape(*last).dims))
                bind(call, *last, MappedBy::TypeShapeOrder);
            else
                continue;
            since = 0;
        }
    }

    // ONNX Runtime reorders values for the operator that reads them blocked by channels, and back behind it; or it
    // reshapes them.
    void mapReorders()
    {
        for (std::size_t i = 0; i < m_calls.size(); ++i) {
            if (m_calls[i].work != Work::Reorder || isMapped(m_calls[i]))
                continue;
            const auto other = reorderedFor(i, true);
            if (const auto found = other ? other : reorderedFor(i, false))
                bind(m_calls[i], *found, MappedBy::TypeShapeOrder);
        }
    }

    // The nearest operator that reads the reordered tensor, whose channels may have been filled up, or that made it.
    [[nodiscard]] std::optional<OperatorId> reorderedFor(std::size_t place, bool isBlocked) const
    {
        constexpr std::size_t kNear = 256;
        const ProfiledKernel &node = m_profile.kernels[m_calls[place].kernels.front()];
        const bool isBefore = node.type == "ReorderInput" || node.name.starts_with(kReshapedForProduct);
        const std::vector<ProfiledShape> &reordered = isBefore ? node.outputShapes : node.inputShapes;
        for (std::size_t step = 1; step <= kNear && !reordered.empty(); ++step) {
            const std::size_t other = isBefore ? place + step : place - step;
            if (other >= m_calls.size())
                break;
            const std::uint32_t kernel = m_calls[other].kernels.front();
            const ProfiledKernel &neighbour = m_profile.kernels[kernel];
            const auto &shapes = isBefore ? neighbour.inputShapes : neighbour.outputShapes;
            if (m_mappings[kernel] && (!isBlocked || neighbour.name.ends_with("_nchwc")) && !shapes.empty() &&
                shapes.front() == reordered.front())
                return m_mappings[kernel]->operators.front();
        }
        return std::nullopt;
    }

    const Graph &m_graph;
    const Profile &m_profile;
    std::vector<Call> m_calls;
    KernelMappings &m_mappings;
    std::vector<OperatorWork> m_operators; // not mapped by name
};

} // namespace

std::size_t heavyOperators(const Graph &graph)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        graph.operators(), [](const Operator &op) { return op.conv() || op.sepConv() || op.gemm(); }));
}

void mapByOrder(const Graph &graph, const Profile &profile, std::span<const std::uint32_t> run,
                KernelMappings &mappings)
{
    OrderMapping(graph, profile, callsOf(profile, run), mappings).map();
}

} // namespace stagecraft
