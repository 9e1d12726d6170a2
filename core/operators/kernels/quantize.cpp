// Numbers of few bits with a scale and a zero point, and products of them.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"
#include "operators/kernels/window.h"

#include <array>

namespace stagecraft::kernels {
namespace {

// The scale of each element: one for all, one per place of an axis, or one per block along it.
struct ScaleLookup {
    AxisParts parts;
    std::int64_t count = 1;
    std::int64_t block = 0;
    std::int64_t blocks = 0;

    [[nodiscard]] std::int64_t at(std::int64_t i) const
    {
        if (count == 1)
            return 0;
        const std::int64_t place = i / parts.inner % parts.size;
        if (block == 0)
            return place;
        const std::int64_t row = i / parts.inner / parts.size;
        return (row * blocks + place / block) * parts.inner + i % parts.inner;
    }
};

Result<ScaleLookup> scaleLookup(const KernelCall &call)
{
    ScaleLookup lookup;
    const Dims &dims = call.in(0).dims;
    lookup.count = call.in(1).size();
    if (lookup.count == 0)
        return refuse("its scale has no values");
    TRY(needsElements(call, 2, "zero_point", lookup.count, true));
    if (lookup.count == 1)
        return lookup;
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), dims.size()));
    lookup.parts = partsOf(dims, axis);
    lookup.block = call.node.gives("block_size") ? call.node.integer("block_size") : 0;
    lookup.blocks = call.in(1).dims.size() == dims.size() ? call.in(1).dims[axis] : 0;
    Dims blocks = dims;
    if (lookup.block > 0)
        blocks[axis] = (dims[axis] + lookup.block - 1) / lookup.block;
    if (lookup.block < 0 || (lookup.block == 0 ? lookup.count != lookup.parts.size : call.in(1).dims != blocks))
        return refuse("its scale does not fit its input");
    return lookup;
}

struct Named {
    std::size_t place = 0;
    std::string_view name;
};

// Scales or zero points that are one number each.
Result<void> needNumbers(const KernelCall &call, const std::vector<Named> &operands, bool mayBeEmpty = false)
{
    for (const Named &operand : operands) {
        if (auto fits = needsElements(call, operand.place, operand.name, 1, mayBeEmpty); !fits)
            return fits;
    }
    return {};
}

template <typename T>
T saturated(double value)
{
    return static_cast<T>(std::clamp(value, static_cast<double>(std::numeric_limits<T>::lowest()),
                                     static_cast<double>(std::numeric_limits<T>::max())));
}

// Strides, over a tensor of shape `dims`, of its scale or zero point: one for all, one per place of `axis`, or of as
// many axes as the tensor.
Result<Dims> stridesOfFew(const TensorView &few, const Dims &dims, std::size_t axis, const std::string &what)
{
    Dims strides(dims.size(), 0);
    if (few.size() == 1)
        return strides;
    if (few.dims.size() > 1) {
        if (auto broadcast = broadcastStrides(few.dims, dims))
            return *broadcast;
    } else if (axis < dims.size() && few.size() == dims[axis]) {
        strides[axis] = 1;
        return strides;
    }
    return refuse("its " + what + " does not fit its input");
}

// The axes that scales and zero points of a product's operands lie along: rows of the first, columns of the second.
std::size_t rowAxis(const Dims &dims)
{
    return dims.size() < 2 ? 0 : dims.size() - 2;
}

// (x - zero) of an operand as whole numbers.
Result<Dims> centred(const TensorView &tensor, const TensorView *zero, std::size_t axis)
{
    Dims values = integersIn(tensor);
    if (!zero || zero->size() == 0)
        return values;
    const Dims zeros = integersIn(*zero);
    TRY_AS(const auto strides, stridesOfFew(*zero, tensor.dims, axis, "zero point"));
    forElements<1>(tensor.dims, {strides}, [&](std::int64_t i, const auto &at) {
        values[static_cast<std::size_t>(i)] -= zeros[static_cast<std::size_t>(at[0])];
    });
    return values;
}

TensorView viewOf(Dims &values, const Dims &dims)
{
    return {DataType::Int64, dims, reinterpret_cast<std::byte *>(values.data())};
}

const TensorView *optionalIn(const KernelCall &call, std::size_t i)
{
    return call.has(i) ? &call.in(i) : nullptr;
}

// y = saturate(round(value * scale) + zero), for real values
void requantized(const TensorView &to, std::int64_t i, double value, double zero)
{
    forInteger(to.type, [&]<typename T>() {
        to.as<T>()[static_cast<std::size_t>(i)] = saturated<T>(std::nearbyint(value) + zero);
    });
}

bool isReal(DataType type)
{
    return type == DataType::Float32 || type == DataType::Float64;
}

double asFloat(double value) // scales are multiplied in single precision
{
    return static_cast<double>(static_cast<float>(value));
}

// A sum of products in the scale of the result, in single precision step by step as in other runtimes: it decides which
// integer is nearest.
double rescaled(std::int64_t sum, double scaleA, double scaleB, double scaleY)
{
    const float scale = static_cast<float>(scaleA) * static_cast<float>(scaleB) / static_cast<float>(scaleY);
    return static_cast<double>(static_cast<float>(sum) * scale);
}

// The places of an operand of a product and of its zero point.
struct Centred {
    std::size_t operand = 0;
    std::size_t zero = 0;
};

Result<void> centredProduct(const KernelCall &call, Centred a, Centred b, const TensorView &sums)
{
    const TensorView &left = call.in(a.operand);
    const TensorView &right = call.in(b.operand);
    auto rows = centred(left, optionalIn(call, a.zero), rowAxis(left.dims));
    auto columns = centred(right, optionalIn(call, b.zero), right.dims.size() - 1);
    if (!rows || !columns)
        return tl::unexpected(!rows ? rows.error() : columns.error());
    KernelCall product{call.node, {viewOf(*rows, left.dims), viewOf(*columns, right.dims)}, {sums}};
    return matrixProduct(product);
}

} // namespace

Result<void> quantized(KernelCall &call)
{
    TRY_AS(const auto lookup, scaleLookup(call));
    const TensorView &to = call.out();
    const bool known = forInteger(to.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < to.size(); ++i) {
            const std::int64_t at = lookup.at(i);
            const double zero = call.has(2) && call.in(2).size() > 0 ? realAt(call.in(2), at) : 0;
            const double x = realAt(call.in(0), i) / realAt(call.in(1), at);
            to.as<T>()[static_cast<std::size_t>(i)] = saturated<T>(std::nearbyint(asFloat(x)) + zero);
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> dequantized(KernelCall &call)
{
    TRY_AS(const auto lookup, scaleLookup(call));
    const TensorView &to = call.out();
    for (std::int64_t i = 0; i < to.size(); ++i) {
        const std::int64_t at = lookup.at(i);
        const double zero = call.has(2) && call.in(2).size() > 0 ? realAt(call.in(2), at) : 0;
        setReal(to, i, asFloat((realAt(call.in(0), i) - zero) * realAt(call.in(1), at)));
    }
    return {};
}

Result<void> quantizedByItself(KernelCall &call)
{
    if (call.in(0).type != DataType::Float32)
        return noTypes(call);
    const auto from = call.in(0).as<float>();
    float low = 0;
    float high = 0;
    for (const float x : from) {
        low = std::min(low, x);
        high = std::max(high, x);
    }
    const float scale = high == low ? 1.0F : (high - low) / 255.0F;
    const auto zero = saturated<std::uint8_t>(std::nearbyint(static_cast<double>(-low / scale)));
    if (call.wants(0))
        std::ranges::transform(from, call.out(0).as<std::uint8_t>().begin(), [&](float x) {
            return saturated<std::uint8_t>(std::nearbyint(static_cast<double>(x / scale)) + zero);
        });
    if (call.wants(1))
        setReal(call.out(1), 0, scale);
    if (call.wants(2))
        setReal(call.out(2), 0, zero);
    return {};
}

Result<void> integerProduct(KernelCall &call)
{
    const TensorView &to = call.out();
    TensorValue sums = newTensor(DataType::Int64, to.dims);
    if (auto done = centredProduct(call, {0, 2}, {1, 3}, sums.view); !done)
        return done;
    std::ranges::transform(sums.view.as<std::int64_t>(), to.as<std::int32_t>().begin(),
                           [](std::int64_t sum) { return static_cast<std::int32_t>(sum); });
    return {};
}

// a, its scale and zero point, b, its scale and zero point, the scale and zero point of the result
Result<void> quantizedProduct(KernelCall &call)
{
    const TensorView &to = call.out();
    if (isReal(to.type))
        return noTypes(call);
    TensorValue sums = newTensor(DataType::Int64, to.dims);
    if (auto done = centredProduct(call, {0, 2}, {3, 5}, sums.view); !done)
        return done;
    const auto stridesA = stridesOfFew(call.in(1), to.dims, rowAxis(to.dims), "scale");
    const auto stridesB = stridesOfFew(call.in(4), to.dims, to.dims.size() - 1, "scale");
    if (!stridesA || !stridesB)
        return tl::unexpected(!stridesA ? stridesA.error() : stridesB.error());
    if (auto fits = needNumbers(call, {{6, "y_scale"}}); !fits)
        return fits;
    if (auto fits = needNumbers(call, {{7, "y_zero_point"}}, true); !fits)
        return fits;
    const double zero = call.has(7) && call.in(7).size() > 0 ? realAt(call.in(7)) : 0;
    forElements<2>(to.dims, {*stridesA, *stridesB}, [&](std::int64_t i, const auto &at) {
        const std::int64_t sum = sums.view.as<std::int64_t>()[static_cast<std::size_t>(i)];
        const double scaleA = realAt(call.in(1), at[0]);
        const double scaleB = realAt(call.in(4), at[1]);
        requantized(to, i, rescaled(sum, scaleA, scaleB, realAt(call.in(6))), zero);
    });
    return {};
}

// ConvInteger: x, w and their zero points. QLinearConv: x, w, y, each with scale and zero point, then the bias.
Result<void> integerConvolution(KernelCall &call)
{
    const bool isScaled = call.node.type == "QLinearConv";
    const std::size_t weightAt = isScaled ? 3 : 1;
    const TensorView &weight = call.in(weightAt);
    const TensorView &to = call.out();
    if (isReal(to.type))
        return noTypes(call);
    const auto x = centred(call.in(0), optionalIn(call, 2), 0);
    const auto w = centred(weight, optionalIn(call, isScaled ? 5 : 3), 0);
    if (!x || !w)
        return tl::unexpected(!x ? x.error() : w.error());
    const std::vector<Named> numbers{{1, "x_scale"}, {6, "y_scale"}, {7, "y_zero_point"}};
    if (auto fits = isScaled ? needNumbers(call, numbers) : Result<void>(); !fits)
        return fits;
    if (isScaled && call.in(4).size() != 1 && call.in(4).size() != to.dims[1])
        return refuse("its scale does not fit its input");
    if (isScaled && call.has(8) && call.in(8).size() != to.dims[1])
        return refuse("its bias does not fit its channels");
    TRY_AS(const auto loop,
           windowLoop(call.node, {weight.dims.begin() + 2, weight.dims.end()}, call.in(0).dims, to.dims));
    const std::int64_t groups = call.node.integer("group");
    if (groups < 1 || to.dims[1] % groups != 0 || call.in(0).dims[1] != groups * weight.dims[1])
        return refuse("its channels do not fall into its groups");
    const Dims biases =
        isScaled && call.has(8) ? integersIn(call.in(8)) : Dims(static_cast<std::size_t>(to.dims[1]), 0);
    const std::int64_t each = to.dims[1] / groups;
    const std::int64_t reads = weight.dims[1];
    const std::int64_t taps = productOf(loop.kernel);
    const std::int64_t inner = productOf(loop.in);
    const std::int64_t made = productOf(loop.out);
    for (std::int64_t plane = 0; plane < to.dims[0] * to.dims[1]; ++plane) {
        const std::int64_t c = plane % to.dims[1];
        const std::int64_t first = plane / to.dims[1] * call.in(0).dims[1] + c / each * reads;
        loop.forPlaces([&](std::int64_t place, const Dims &at) {
            std::int64_t sum = biases[static_cast<std::size_t>(c)];
            loop.forTaps(at, [&](std::int64_t tap, std::int64_t element) {
                for (std::int64_t k = 0; k < reads; ++k)
                    sum += (*x)[static_cast<std::size_t>((first + k) * inner + element)] *
                           (*w)[static_cast<std::size_t>((c * reads + k) * taps + tap)];
            });
            const std::int64_t i = plane * made + place;
            if (!isScaled) {
                to.as<std::int32_t>()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(sum);
                return;
            }
            const double scaleW = realAt(call.in(4), call.in(4).size() == 1 ? 0 : c);
            requantized(to, i, rescaled(sum, realAt(call.in(1)), scaleW, realAt(call.in(6))),
                        call.has(7) ? realAt(call.in(7)) : 0);
        });
    }
    return {};
}

// com.microsoft: a, its scale and zero point, (b, ...), then scale and zero point of the result.
Result<void> quantizedArithmetic(KernelCall &call)
{
    const std::string type = call.node.type.substr(call.node.type.find("QLinear") + 7);
    const bool isPair = type == "Add" || type == "Mul";
    const TensorView &to = call.out();
    if (isReal(to.type))
        return noTypes(call);
    const std::size_t scaleAt = isPair ? 6 : 3;
    using Places = std::vector<Named>;
    if (auto fits = needNumbers(call, isPair ? Places{{1, "A_scale"}, {4, "B_scale"}, {6, "C_scale"}}
                                             : Places{{1, "X_scale"}, {3, "Y_scale"}});
        !fits)
        return fits;
    if (auto fits = needNumbers(call,
                                isPair ? Places{{2, "A_zero_point"}, {5, "B_zero_point"}, {7, "C_zero_point"}}
                                       : Places{{2, "X_zero_point"}, {4, "Y_zero_point"}},
                                true);
        !fits)
        return fits;
    const auto zeroAt = [&](std::size_t i) { return call.has(i) && call.in(i).size() > 0 ? realAt(call.in(i)) : 0.0; };
    const double scale = realAt(call.in(scaleAt));
    const double zero = zeroAt(scaleAt + 1);
    const auto stridesA = broadcastStrides(call.in(0).dims, to.dims);
    const auto stridesB = isPair ? broadcastStrides(call.in(3).dims, to.dims) : std::optional(Dims(to.dims.size(), 0));
    if (!stridesA || !stridesB)
        return refuse("its operands have shapes that do not fit");
    const auto unary = functionIn(unaryFunctions<double>(), type);
    const auto binary = functionIn(binaryFunctions<double>(), type);
    const auto constants = functionConstants<double>(call.node.type, call.node.attributes);
    forElements<2>(to.dims, {*stridesA, *stridesB}, [&](std::int64_t i, const auto &at) {
        const auto operand = [&](std::size_t first, std::int64_t element) {
            return (realAt(call.in(first), element) - zeroAt(first + 2)) * realAt(call.in(first + 1));
        };
        const double a = operand(0, at[0]);
        const double value = isPair ? binary(a, operand(3, at[1]), constants) : unary(a, constants);
        requantized(to, i, asFloat(value / scale), zero);
    });
    return {};
}

} // namespace stagecraft::kernels
