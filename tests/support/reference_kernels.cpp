// Past 700 lines: one short definition per operator.

#include "support/reference_kernels.h"

#include "operators/folding/fold.h"
#include "operators/schema.h"
#include "operators/shapes/spatial_window.h"

#include <QtGlobal>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

namespace stagecraft::test {
namespace {

using Dims = std::vector<std::int64_t>;

struct Values {
    Dims dims;
    std::vector<double> items;

    [[nodiscard]] double at(const Dims &place) const { return items[index(place)]; }
    [[nodiscard]] std::size_t index(const Dims &place) const
    {
        std::int64_t index = 0;
        for (std::size_t i = 0; i < dims.size(); ++i)
            index = index * dims[i] + place[i];
        return static_cast<std::size_t>(index);
    }
};

Values operand(const NodeFacts &node, std::size_t i)
{
    const auto floats = node.constant(i)->asFloats();
    return {node.constant(i)->dims, {floats->begin(), floats->end()}};
}

// Calls step(place) for every place of a tensor, in order.
void everywhere(const Dims &dims, const std::function<void(const Dims &)> &step)
{
    const std::int64_t count = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
    Dims place(dims.size());
    for (std::int64_t i = 0; i < count; ++i) {
        step(place);
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            if (++place[axis] < dims[axis])
                break;
            place[axis] = 0;
        }
    }
}

Values made(const Dims &dims, const std::function<double(const Dims &)> &value)
{
    Values result{dims, {}};
    everywhere(dims, [&](const Dims &place) { result.items.push_back(value(place)); });
    return result;
}

Dims outputDims(const NodeFacts &node)
{
    const auto shapes = inferShapes(node);
    if (!shapes || !*shapes || !(**shapes)[0].known)
        qFatal("the shape of this %s is not known", node.type.c_str());
    return (**shapes)[0].dims;
}

std::size_t axisOf(std::int64_t axis, std::size_t rank)
{
    return axisWithin(axis, rank).value();
}

using Function = double (*)(double x, const NodeFacts &node);

double softplus(double x)
{
    return x > 700 ? x : std::log1p(std::exp(x)); // the exponential overflows
}

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

// Of two numbers; one that is none stays.
double most(double x, double y)
{
    return std::isnan(x) || std::isnan(y) ? x + y : std::fmax(x, y);
}

// Every element by itself.
const std::map<std::string, Function> &functions()
{
    static const std::map<std::string, Function> table{
        {"Abs", [](double x, const NodeFacts &) { return std::fabs(x); }},
        {"Acos", [](double x, const NodeFacts &) { return std::acos(x); }},
        {"Acosh", [](double x, const NodeFacts &) { return std::log(x + std::sqrt(x - 1) * std::sqrt(x + 1)); }},
        {"Asin", [](double x, const NodeFacts &) { return std::asin(x); }},
        {"Asinh",
         [](double x, const NodeFacts &) { return std::copysign(std::log(std::fabs(x) + std::sqrt(x * x + 1)), x); }},
        {"Atan", [](double x, const NodeFacts &) { return std::atan(x); }},
        {"Atanh", [](double x, const NodeFacts &) { return 0.5 * std::log((1 + x) / (1 - x)); }},
        {"Cast", [](double x, const NodeFacts &) { return x; }},
        {"Ceil", [](double x, const NodeFacts &) { return -std::floor(-x); }},
        {"Celu",
         [](double x, const NodeFacts &node) {
             const double alpha = node.real("alpha");
             return most(0, x) - most(0, -alpha * std::expm1(x / alpha));
         }},
        {"Clip", [](double x, const NodeFacts &) { return x; }}, // without bounds
        {"Cos", [](double x, const NodeFacts &) { return std::cos(x); }},
        {"Cosh", [](double x, const NodeFacts &) { return std::cosh(x); }},
        {"Dropout", [](double x, const NodeFacts &) { return x; }}, // only for training
        {"Elu", [](double x, const NodeFacts &node) { return x > 0 ? x : node.real("alpha") * std::expm1(x); }},
        {"Erf", [](double x, const NodeFacts &) { return std::erf(x); }},
        {"Exp", [](double x, const NodeFacts &) { return std::exp(x); }},
        {"Floor", [](double x, const NodeFacts &) { return std::floor(x); }},
        {"Gelu",
         [](double x, const NodeFacts &node) {
             const double cubic = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * std::pow(x, 3));
             const bool isTanh = node.text("approximate") == "tanh";
             return 0.5 * x * (1 + (isTanh ? std::tanh(cubic) : std::erf(x / std::numbers::sqrt2)));
         }},
        {"HardSigmoid",
         [](double x, const NodeFacts &node) {
             return std::clamp<double>(node.real("alpha") * x + node.real("beta"), 0, 1);
         }},
        {"HardSwish", [](double x, const NodeFacts &) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
        {"LeakyRelu", [](double x, const NodeFacts &node) { return x > 0 ? x : node.real("alpha") * x; }},
        {"Log", [](double x, const NodeFacts &) { return std::log(x); }},
        {"Mish", [](double x, const NodeFacts &) { return x * std::tanh(softplus(x)); }},
        {"Neg", [](double x, const NodeFacts &) { return x * -1; }},
        {"Reciprocal", [](double x, const NodeFacts &) { return 1 / x; }},
        {"Relu", [](double x, const NodeFacts &) { return most(0, x); }},
        {"Round", [](double x, const NodeFacts &) { return std::nearbyint(x); }},
        {"Selu",
         [](double x, const NodeFacts &node) {
             return node.real("gamma") * (x > 0 ? x : node.real("alpha") * std::expm1(x));
         }},
        {"Shrink",
         [](double x, const NodeFacts &node) {
             const double lambda = node.real("lambd");
             return x < -lambda ? x + node.real("bias") : x > lambda ? x - node.real("bias") : 0;
         }},
        {"Sigmoid", [](double x, const NodeFacts &) { return sigmoid(x); }},
        {"Sign", [](double x, const NodeFacts &) { return std::isnan(x) ? x : (x > 0) - (x < 0); }},
        {"Sin", [](double x, const NodeFacts &) { return std::sin(x); }},
        {"Sinh", [](double x, const NodeFacts &) { return std::sinh(x); }},
        {"Softplus", [](double x, const NodeFacts &) { return softplus(x); }},
        {"Softsign", [](double x, const NodeFacts &) { return x / (1 + std::abs(x)); }},
        {"Sqrt", [](double x, const NodeFacts &) { return std::sqrt(x); }},
        {"Swish", [](double x, const NodeFacts &node) { return x * sigmoid(node.real("alpha") * x); }},
        {"Tan", [](double x, const NodeFacts &) { return std::tan(x); }},
        {"Tanh", [](double x, const NodeFacts &) { return std::tanh(x); }},
        {"ThresholdedRelu", [](double x, const NodeFacts &node) { return x > node.real("alpha") ? x : 0; }},
    };
    return table;
}

// Operands that are broadcast to each other.
using Combination = double (*)(const std::vector<double> &x, const NodeFacts &node);

double total(const std::vector<double> &x, const NodeFacts &)
{
    return std::accumulate(x.begin(), x.end(), 0.0);
}

// The remainder has the sign of the divisor, with fmod that of what is divided.
double remainder(const std::vector<double> &x, const NodeFacts &node)
{
    const double rest = std::fmod(x[0], x[1]);
    return node.integer("fmod") == 0 && rest * x[1] < 0 ? rest + x[1] : rest;
}

const std::map<std::string, Combination> &combinations()
{
    static const std::map<std::string, Combination> table{
        {"Add", total},
        {"Div", [](const std::vector<double> &x, const NodeFacts &) { return x[0] / x[1]; }},
        {"Max", [](const std::vector<double> &x,
                   const NodeFacts &) { return std::accumulate(x.begin(), x.end(), x[0], most); }},
        {"Mean",
         [](const std::vector<double> &x, const NodeFacts &node) {
             return static_cast<float>(total(x, node)) / static_cast<double>(x.size());
         }},
        {"Min",
         [](const std::vector<double> &x, const NodeFacts &) {
             return std::accumulate(x.begin(), x.end(), x[0], [](double a, double b) { return -most(-a, -b); });
         }},
        {"Mod", remainder},
        {"Mul", [](const std::vector<double> &x, const NodeFacts &) { return x[0] * x[1]; }},
        {"PRelu", [](const std::vector<double> &x, const NodeFacts &) { return x[0] >= 0 ? x[0] : x[0] * x[1]; }},
        {"Pow", [](const std::vector<double> &x, const NodeFacts &) { return std::pow(x[0], x[1]); }},
        {"Sub", [](const std::vector<double> &x, const NodeFacts &) { return x[0] - x[1]; }},
        {"Sum", total},
        {"Where", [](const std::vector<double> &x, const NodeFacts &) { return x[0] != 0 ? x[1] : x[2]; }},
    };
    return table;
}

Values combined(const NodeFacts &node, Combination combination)
{
    const Dims dims = outputDims(node);
    std::vector<Values> operands;
    std::vector<std::vector<std::int64_t>> indices;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        operands.push_back(operand(node, i));
        indices.push_back(broadcastIndices(operands.back().dims, dims).value());
    }
    std::size_t next = 0;
    return made(dims, [&](const Dims &) {
        std::vector<double> x;
        for (std::size_t i = 0; i < operands.size(); ++i)
            x.push_back(operands[i].items[static_cast<std::size_t>(indices[i][next])]);
        ++next;
        return combination(x, node);
    });
}

// Values along some axes become one.
using Summary = double (*)(const std::vector<double> &x);

double sumOf(const std::vector<double> &x, double (*term)(double))
{
    double sum = 0;
    for (const double value : x)
        sum += term(value);
    return sum;
}

double same(double x)
{
    return x;
}

double square(double x)
{
    return x * x;
}

const std::map<std::string, Summary> &summaries()
{
    static const std::map<std::string, Summary> table{
        {"ReduceSum", [](const std::vector<double> &x) { return sumOf(x, same); }},
        {"ReduceMean", [](const std::vector<double> &x) { return sumOf(x, same) / static_cast<double>(x.size()); }},
        {"ReduceMax", [](const std::vector<double> &x) { return *std::ranges::max_element(x); }},
        {"ReduceMin", [](const std::vector<double> &x) { return *std::ranges::min_element(x); }},
        {"ReduceProd",
         [](const std::vector<double> &x) { return std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<>()); }},
        {"ReduceL1", [](const std::vector<double> &x) { return sumOf(x, std::abs); }},
        {"ReduceL2", [](const std::vector<double> &x) { return std::sqrt(sumOf(x, square)); }},
        {"ReduceSumSquare", [](const std::vector<double> &x) { return sumOf(x, square); }},
        {"ReduceLogSum", [](const std::vector<double> &x) { return std::log(sumOf(x, same)); }},
        {"ReduceLogSumExp", [](const std::vector<double> &x) { return std::log(sumOf(x, std::exp)); }},
    };
    return table;
}

// The values of x whose place agrees with `place` beyond the axes.
std::vector<double> along(const Values &x, const Dims &place, const std::vector<bool> &axes)
{
    std::vector<double> found;
    everywhere(x.dims, [&](const Dims &other) {
        bool agrees = true;
        for (std::size_t i = 0; i < place.size(); ++i)
            agrees = agrees && (axes[i] || other[i] == place[i]);
        if (agrees)
            found.push_back(x.at(other));
    });
    return found;
}

std::vector<bool> axesOf(const Dims &axes, std::size_t rank)
{
    std::vector<bool> chosen(rank, axes.empty());
    for (const std::int64_t axis : axes)
        chosen[axisOf(axis, rank)] = true;
    return chosen;
}

Values reduced(const NodeFacts &node, Summary summary)
{
    const Values x = operand(node, 0);
    const auto axes = axesOf(node.integersFrom("axes", 1).values.value_or(Dims{}), x.dims.size());
    Values result{outputDims(node), {}};
    Dims kept = x.dims;
    for (std::size_t i = 0; i < kept.size(); ++i)
        kept[i] = axes[i] ? 1 : kept[i];
    everywhere(kept, [&](const Dims &place) { result.items.push_back(summary(along(x, place, axes))); });
    return result;
}

// Each value by those around it along some axes.
Values normalized(const Values &x, const std::vector<bool> &axes,
                  const std::function<double(double, const std::vector<double> &)> &rule)
{
    return made(x.dims, [&](const Dims &place) { return rule(x.at(place), along(x, place, axes)); });
}

double centred(double x, const std::vector<double> &around, double epsilon)
{
    const double mean = sumOf(around, same) / static_cast<double>(around.size());
    double variance = 0;
    for (const double value : around)
        variance += square(value - mean) / static_cast<double>(around.size());
    return (x - mean) / std::sqrt(variance + epsilon);
}

Values softmax(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const bool isLog = node.type == "LogSoftmax";
    return normalized(x, axesOf({node.integer("axis")}, x.dims.size()),
                      [&](double value, const std::vector<double> &around) {
                          const double share = std::exp(value) / sumOf(around, std::exp);
                          return isLog ? std::log(share) : share;
                      });
}

Values lpNorm(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const bool isFirst = node.integer("p") == 1;
    return normalized(x, axesOf({node.integer("axis")}, x.dims.size()),
                      [&](double value, const std::vector<double> &around) {
                          return value / (isFirst ? sumOf(around, std::abs) : std::sqrt(sumOf(around, square)));
                      });
}

Values meanVariance(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    return normalized(x, axesOf(node.integers("axes"), x.dims.size()),
                      [](double value, const std::vector<double> &around) { return centred(value, around, 0); });
}

// With scale and bias: over the last axes, over the pixels of a channel, over the pixels of a group of channels.
Values layerNorm(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const Values scale = operand(node, 1);
    const std::size_t axis = axisOf(node.integer("axis"), x.dims.size());
    std::vector<bool> axes(x.dims.size());
    std::fill(axes.begin() + static_cast<std::ptrdiff_t>(axis), axes.end(), true);
    const double epsilon = node.real("epsilon");
    return made(x.dims, [&](const Dims &place) {
        const std::size_t at = x.index(place) % scale.items.size();
        const double bias = node.has(2) ? operand(node, 2).items[at] : 0;
        return centred(x.at(place), along(x, place, axes), epsilon) * scale.items[at] + bias;
    });
}

Values groupNorm(const NodeFacts &node)
{
    Values x = operand(node, 0);
    const Values scale = operand(node, 1);
    const Values bias = operand(node, 2);
    const std::int64_t channels = x.dims[1];
    const std::int64_t groups = node.type == "GroupNormalization" ? node.integer("num_groups") : channels;
    const Dims dims = x.dims;
    const std::int64_t pixels = static_cast<std::int64_t>(x.items.size()) / (dims[0] * channels);
    x.dims = {dims[0], groups, channels / groups * pixels};
    const double epsilon = node.real("epsilon");
    Values result = normalized(x, {false, false, true}, [&](double value, const std::vector<double> &around) {
        return centred(value, around, epsilon);
    });
    for (std::size_t i = 0; i < result.items.size(); ++i) {
        const auto channel = static_cast<std::size_t>(static_cast<std::int64_t>(i) / pixels % channels);
        result.items[i] = result.items[i] * scale.items[channel] + bias.items[channel];
    }
    result.dims = dims;
    return result;
}

Values batchNorm(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const auto of = [&](std::size_t i, const Dims &place) {
        return operand(node, i).items[static_cast<std::size_t>(place[1])];
    };
    return made(x.dims, [&](const Dims &place) {
        const double deviation = std::sqrt(of(4, place) + static_cast<double>(node.real("epsilon")));
        return (x.at(place) - of(3, place)) / deviation * of(1, place) + of(2, place);
    });
}

Values localResponse(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const std::int64_t size = node.integer("size");
    return made(x.dims, [&](const Dims &place) {
        double squares = 0;
        for (std::int64_t c = place[1] - (size - 1) / 2; c <= place[1] + size / 2; ++c) {
            Dims other = place;
            other[1] = c;
            if (c >= 0 && c < x.dims[1])
                squares += square(x.at(other));
        }
        return x.at(place) / std::pow(node.real("bias") + node.real("alpha") / static_cast<double>(size) * squares,
                                      static_cast<double>(node.real("beta")));
    });
}

Values product(const NodeFacts &node)
{
    const Values a = operand(node, 0);
    const Values b = operand(node, 1);
    const bool turnsA = node.integer("transA") != 0;
    const bool turnsB = node.integer("transB") != 0;
    const bool isGemm = node.type == "Gemm";
    const std::int64_t inner = a.dims[turnsA ? 0 : 1];
    const Dims dims = outputDims(node);
    const auto bias = isGemm && node.has(2) ? broadcastIndices(node.constant(2)->dims, dims) : std::nullopt;
    std::size_t next = 0;
    return made(dims, [&](const Dims &place) {
        double sum = 0;
        for (std::int64_t k = 0; k < inner; ++k)
            sum += a.at(turnsA ? Dims{k, place[0]} : Dims{place[0], k}) *
                   b.at(turnsB ? Dims{place[1], k} : Dims{k, place[1]});
        if (isGemm)
            sum *= node.real("alpha");
        if (bias)
            sum += node.real("beta") * operand(node, 2).items[static_cast<std::size_t>((*bias)[next])];
        ++next;
        return sum;
    });
}

// Calls step(place in the kernel, place in the image) for every tap of a window that lies inside.
void everyTap(const SpatialWindow &window, const Dims &image, const Dims &out,
              const std::function<void(const Dims &, const Dims &)> &step)
{
    everywhere(window.kernel, [&](const Dims &tap) {
        Dims in = out;
        bool isInside = true;
        for (std::size_t i = 0; i < tap.size(); ++i) {
            in[i + 2] = out[i + 2] * window.stride[i] + tap[i] * window.dilation[i] - window.padding[i];
            isInside = isInside && in[i + 2] >= 0 && in[i + 2] < image[i + 2];
        }
        if (isInside)
            step(tap, in);
    });
}

Values convolution(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const Values w = operand(node, 1);
    const auto window = spatialWindow(node, {w.dims.begin() + 2, w.dims.end()}, x.dims);
    const Dims dims = outputDims(node);
    const std::int64_t perGroup = dims[1] / node.integer("group");
    return made(dims, [&](const Dims &place) {
        double sum = node.has(2) ? operand(node, 2).items[static_cast<std::size_t>(place[1])] : 0;
        for (std::int64_t c = 0; c < w.dims[1]; ++c) {
            everyTap(*window, x.dims, place, [&](const Dims &tap, Dims in) {
                Dims weight{place[1], c};
                weight.insert(weight.end(), tap.begin(), tap.end());
                in[1] = place[1] / perGroup * w.dims[1] + c;
                sum += w.at(weight) * x.at(in);
            });
        }
        return sum;
    });
}

// Every input value is spread over the outputs that a convolution would have made it of.
Values transposedConvolution(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const Values w = operand(node, 1);
    const auto window = spatialWindow(node, {w.dims.begin() + 2, w.dims.end()}, x.dims);
    Values y = made(outputDims(node), [&](const Dims &place) {
        return node.has(2) ? operand(node, 2).items[static_cast<std::size_t>(place[1])] : 0;
    });
    const std::int64_t perGroup = x.dims[1] / node.integer("group");
    everywhere(x.dims, [&](const Dims &place) {
        for (std::int64_t c = 0; c < w.dims[1]; ++c) {
            everyTap(*window, y.dims, place, [&](const Dims &tap, Dims out) {
                Dims weight{place[1], c};
                weight.insert(weight.end(), tap.begin(), tap.end());
                out[1] = place[1] / perGroup * w.dims[1] + c;
                y.items[y.index(out)] += w.at(weight) * x.at(place);
            });
        }
    });
    return y;
}

Values pool(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const bool isGlobal = node.type.starts_with("Global");
    SpatialWindow window;
    if (isGlobal) {
        const std::size_t rank = x.dims.size() - 2;
        window = {{x.dims.begin() + 2, x.dims.end()}, Dims(rank, 1), Dims(rank, 1), Dims(2 * rank, 0)};
    } else {
        window = *spatialWindow(node, node.integers("kernel_shape"), x.dims);
    }
    const bool isMaximum = node.type.ends_with("MaxPool");
    return made(outputDims(node), [&](const Dims &place) {
        std::vector<double> found;
        everyTap(window, x.dims, place, [&](const Dims &, const Dims &in) { found.push_back(x.at(in)); });
        return isMaximum ? *std::ranges::max_element(found) : sumOf(found, same) / static_cast<double>(found.size());
    });
}

Values padded(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const Dims pads = node.integersFrom("pads", 1).values.value();
    return made(outputDims(node), [&](const Dims &place) {
        Dims in = place;
        bool isInside = true;
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] -= pads[i];
            isInside = isInside && in[i] >= 0 && in[i] < x.dims[i];
        }
        return isInside ? x.at(in) : node.has(2) ? operand(node, 2).items.front() : 0;
    });
}

Values tiled(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    return made(outputDims(node), [&](const Dims &place) {
        Dims in = place;
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] %= x.dims[i];
        return x.at(in);
    });
}

Values inBlocks(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const std::int64_t b = node.integer("blocksize");
    const Dims dims = outputDims(node);
    if (node.type == "SpaceToDepth")
        return made(dims, [&](const Dims &at) {
            const std::int64_t block = at[1] / x.dims[1];
            return x.at({at[0], at[1] % x.dims[1], at[2] * b + block / b, at[3] * b + block % b});
        });
    return made(dims, [&](const Dims &at) {
        const std::int64_t block = at[2] % b * b + at[3] % b;
        return x.at({at[0], block * dims[1] + at[1], at[2] / b, at[3] / b});
    });
}

// The nearest pixel, at half pixels (Resize) or counted from the corner (Upsample).
Values nearest(const NodeFacts &node)
{
    const Values x = operand(node, 0);
    const Dims dims = outputDims(node);
    const bool fromCorner = node.type == "Upsample";
    return made(dims, [&](const Dims &place) {
        Dims in = place;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const double scale = static_cast<double>(dims[i]) / static_cast<double>(x.dims[i]);
            const double at = static_cast<double>(place[i]);
            const double source = fromCorner ? std::floor(at / scale) : std::ceil((at + 0.5) / scale - 0.5 - 0.5);
            in[i] = std::clamp<std::int64_t>(static_cast<std::int64_t>(source), 0, x.dims[i] - 1);
        }
        return x.at(in);
    });
}

// Holds the sum of any two integers, and what is left of their product in as many bits.
__extension__ using Wide = __int128;
__extension__ using WideBits = unsigned __int128;
using Whole = Wide (*)(const std::vector<Wide> &x, const NodeFacts &node);

Wide bitsOf(const NodeFacts &node)
{
    return 8 * sizeBytes(node.inputs[0]->type);
}

Wide wrapped(Wide x, const NodeFacts &node)
{
    static const std::set<DataType> kSigned{DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64};
    const Wide range = Wide{1} << bitsOf(node);
    const Wide within = (x % range + range) % range;
    return kSigned.contains(node.inputs[0]->type) && within >= range / 2 ? within - range : within;
}

Wide shifted(const std::vector<Wide> &x, const NodeFacts &node)
{
    const bool isBeyond = x[1] < 0 || x[1] >= bitsOf(node);
    if (node.text("direction") == "RIGHT")
        return isBeyond ? (x[0] < 0 ? -1 : 0) : x[0] >> x[1];
    return isBeyond ? 0 : x[0] * (Wide{1} << x[1]);
}

Wide remainder(const std::vector<Wide> &x, const NodeFacts &node)
{
    const Wide rest = x[1] == 0 ? 0 : x[0] % x[1];
    return node.integer("fmod") == 0 && rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}

Wide product(const std::vector<Wide> &x, const NodeFacts &)
{
    return static_cast<Wide>(static_cast<WideBits>(x[0]) * static_cast<WideBits>(x[1]));
}

const std::map<std::string, Whole> &wholeFunctions()
{
    static const auto sum = [](const std::vector<Wide> &x, const NodeFacts &) {
        return std::accumulate(x.begin(), x.end(), Wide{0});
    };
    static const std::map<std::string, Whole> table{
        {"Abs", [](const std::vector<Wide> &x, const NodeFacts &) { return x[0] < 0 ? -x[0] : x[0]; }},
        {"Add", sum},
        {"BitShift", shifted},
        {"BitwiseAnd", [](const std::vector<Wide> &x, const NodeFacts &) { return x[0] & x[1]; }},
        {"BitwiseNot", [](const std::vector<Wide> &x, const NodeFacts &) { return -x[0] - 1; }},
        {"BitwiseOr", [](const std::vector<Wide> &x, const NodeFacts &) { return x[0] + x[1] - (x[0] & x[1]); }},
        {"BitwiseXor", [](const std::vector<Wide> &x, const NodeFacts &) { return x[0] + x[1] - 2 * (x[0] & x[1]); }},
        {"Div", [](const std::vector<Wide> &x, const NodeFacts &) { return x[1] == 0 ? 0 : x[0] / x[1]; }},
        {"Max", [](const std::vector<Wide> &x, const NodeFacts &) { return *std::ranges::max_element(x); }},
        {"Mean", [](const std::vector<Wide> &x,
                    const NodeFacts &node) { return wrapped(sum(x, node), node) / static_cast<Wide>(x.size()); }},
        {"Min", [](const std::vector<Wide> &x, const NodeFacts &) { return *std::ranges::min_element(x); }},
        {"Mod", remainder},
        {"Mul", product},
        {"Neg", [](const std::vector<Wide> &x, const NodeFacts &) { return -x[0]; }},
        {"PRelu", [](const std::vector<Wide> &x, const NodeFacts &node) { return x[0] < 0 ? product(x, node) : x[0]; }},
        {"Relu", [](const std::vector<Wide> &x, const NodeFacts &) { return std::max(x[0], Wide{0}); }},
        {"Sign", [](const std::vector<Wide> &x, const NodeFacts &) { return Wide{x[0] > 0} - Wide{x[0] < 0}; }},
        {"Sub", [](const std::vector<Wide> &x, const NodeFacts &) { return x[0] - x[1]; }},
        {"Sum", sum},
    };
    return table;
}

using Kernel = Values (*)(const NodeFacts &);

const std::map<std::string, Kernel> &kernels()
{
    static const std::map<std::string, Kernel> table{
        {"AveragePool", pool},
        {"BatchNormalization", batchNorm},
        {"Conv", convolution},
        {"ConvTranspose", transposedConvolution},
        {"DepthToSpace", inBlocks},
        {"Gemm", product},
        {"GlobalAveragePool", pool},
        {"GlobalMaxPool", pool},
        {"GroupNormalization", groupNorm},
        {"InstanceNormalization", groupNorm},
        {"LRN", localResponse},
        {"LayerNormalization", layerNorm},
        {"LogSoftmax", softmax},
        {"LpNormalization", lpNorm},
        {"MatMul", product},
        {"MaxPool", pool},
        {"MeanVarianceNormalization", meanVariance},
        {"Pad", padded},
        {"Resize", nearest},
        {"Softmax", softmax},
        {"SpaceToDepth", inBlocks},
        {"Tile", tiled},
        {"Upsample", nearest},
    };
    return table;
}

} // namespace

std::optional<std::vector<std::vector<float>>> referenceOutputs(const NodeFacts &node)
{
    Values result;
    if (const auto function = functions().find(node.type); function != functions().end()) {
        result = operand(node, 0);
        for (double &value : result.items)
            value = function->second(value, node);
    } else if (const auto combination = combinations().find(node.type); combination != combinations().end()) {
        result = combined(node, combination->second);
    } else if (const auto summary = summaries().find(node.type); summary != summaries().end()) {
        result = reduced(node, summary->second);
    } else if (const auto kernel = kernels().find(node.type); kernel != kernels().end()) {
        result = kernel->second(node);
    } else {
        const auto folded = fold(node);
        if (!folded)
            return std::nullopt;
        std::vector<std::vector<float>> outputs;
        for (const Constant &output : *folded)
            outputs.push_back(*output.asFloats());
        return outputs;
    }
    std::vector<std::vector<float>> outputs(1);
    outputs.front().assign(result.items.begin(), result.items.end());
    return outputs;
}

std::optional<std::vector<std::int64_t>> referenceIntegers(const NodeFacts &node)
{
    const auto function = wholeFunctions().find(node.type);
    if (function == wholeFunctions().end())
        return std::nullopt;
    std::vector<std::int64_t> results;
    for (std::size_t i = 0; i < node.constant(0)->size(); ++i) {
        std::vector<Wide> x;
        for (std::size_t k = 0; k < node.inputs.size(); ++k)
            x.push_back(wrapped(node.constant(k)->asInts()[i], node));
        results.push_back(static_cast<std::int64_t>(wrapped(function->second(x, node), node)));
    }
    return results;
}

bool isDefinedApart(std::string_view type)
{
    const std::string name(type);
    return functions().contains(name) || combinations().contains(name) || summaries().contains(name) ||
           kernels().contains(name);
}

} // namespace stagecraft::test
