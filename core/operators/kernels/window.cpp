// Windows over any number of spatial dimensions, written for every rank rather than for speed.

#include "operators/kernels/window.h"

#include "operators/kernels/kernels.h"
#include "operators/shapes/spatial_window.h"

#include <array>

namespace stagecraft::kernels {

Result<WindowLoop> windowLoop(const NodeFacts &node, const Dims &kernel, const Dims &in, const Dims &out)
{
    TRY_AS(const auto window, spatialWindow(node, kernel, in));
    WindowLoop loop;
    loop.in.assign(in.begin() + 2, in.end());
    loop.out.assign(out.begin() + 2, out.end());
    loop.kernel = window.kernel;
    loop.stride = window.stride;
    loop.dilation = window.dilation;
    loop.before.assign(window.padding.begin(), window.padding.begin() + std::ssize(loop.in));
    loop.after.assign(window.padding.begin() + std::ssize(loop.in), window.padding.end());
    return loop;
}

namespace {

// The windowed operators read a batch of images with channels.
struct Planes {
    std::int64_t images = 1;
    std::int64_t channels = 1;
    std::int64_t inner = 1;
};

Planes planesOf(const Dims &dims)
{
    return {dims[0], dims[1], productOf(std::span(dims).subspan(2))};
}

Dims kernelOf(const TensorView &weight)
{
    return {weight.dims.begin() + 2, weight.dims.end()};
}

// What a pool makes of the values in one window.
template <typename T>
class PoolWindow {
public:
    PoolWindow(const NodeFacts &node)
        : m_isMax(node.type == "MaxPool"), m_isLp(node.type == "LpPool"), m_p(m_isLp ? node.integer("p") : 1)
    {
    }

    void begin()
    {
        m_best = -std::numeric_limits<double>::infinity();
        m_place = -1;
        m_sum = 0;
        m_count = 0;
    }
    void add(T value, std::int64_t place)
    {
        const auto x = static_cast<double>(value);
        if (m_place < 0 || x > m_best || std::isnan(x)) {
            m_best = x;
            m_value = value;
            m_place = place;
        }
        m_sum += m_isLp ? std::pow(std::abs(x), static_cast<double>(m_p)) : x;
        ++m_count;
    }
    [[nodiscard]] T result(std::int64_t counted) const
    {
        if (m_isMax)
            return m_place < 0 ? std::numeric_limits<T>::lowest() : m_value;
        if (m_isLp)
            return numberAs<T>(std::pow(m_sum, 1.0 / static_cast<double>(m_p)));
        return numberAs<T>(m_sum / static_cast<double>(std::max<std::int64_t>(counted, 1)));
    }
    [[nodiscard]] std::int64_t place() const { return m_place; }
    [[nodiscard]] std::int64_t count() const { return m_count; }

private:
    bool m_isMax;
    bool m_isLp;
    std::int64_t m_p;
    double m_best = 0;
    T m_value{};
    std::int64_t m_place = -1;
    double m_sum = 0;
    std::int64_t m_count = 0;
};

} // namespace

Result<void> convolution(KernelCall &call)
{
    const TensorView &weight = call.in(1);
    const TensorView &to = call.out();
    if (weight.type != to.type || (call.has(2) && call.in(2).type != to.type))
        return noTypes(call);
    TRY_AS(const auto loop, windowLoop(call.node, kernelOf(weight), call.in(0).dims, to.dims));
    const Planes from = planesOf(call.in(0).dims);
    const Planes made = planesOf(to.dims);
    const std::int64_t groups = std::max<std::int64_t>(1, call.node.integer("group"));
    const std::int64_t reads = weight.dims[1];
    if (made.channels % groups != 0 || from.channels / groups != reads)
        return refuse("its channels do not fall into its groups");
    if (auto fits = needsElements(call, 2, "B", made.channels); !fits)
        return fits;
    const std::int64_t each = made.channels / groups;
    const std::int64_t taps = productOf(loop.kernel);
    const bool known = forReal(to.type, [&]<typename T>() {
        std::vector<double> sums(static_cast<std::size_t>(made.channels));
        for (std::int64_t image = 0; image < made.images; ++image) {
            const T *source = call.in(0).as<T>().data() + image * from.channels * from.inner;
            loop.forPlaces([&](std::int64_t place, const Dims &at) {
                for (std::int64_t c = 0; c < made.channels; ++c)
                    sums[static_cast<std::size_t>(c)] =
                        call.has(2) ? static_cast<double>(call.in(2).as<T>()[static_cast<std::size_t>(c)]) : 0;
                loop.forTaps(at, [&](std::int64_t tap, std::int64_t element) {
                    for (std::int64_t c = 0; c < made.channels; ++c) {
                        const T *plane = source + c / each * reads * from.inner + element;
                        const T *factors = weight.as<T>().data() + c * reads * taps + tap;
                        double sum = 0;
                        for (std::int64_t k = 0; k < reads; ++k)
                            sum += static_cast<double>(plane[k * from.inner]) * static_cast<double>(factors[k * taps]);
                        sums[static_cast<std::size_t>(c)] += sum;
                    }
                });
                for (std::int64_t c = 0; c < made.channels; ++c)
                    to.as<T>()[static_cast<std::size_t>((image * made.channels + c) * made.inner + place)] =
                        static_cast<T>(sums[static_cast<std::size_t>(c)]);
            });
        }
    });
    return known ? Result<void>() : noTypes(call);
}

// Every element of the input is spread over a window of the output.
Result<void> transposedConvolution(KernelCall &call)
{
    const TensorView &weight = call.in(1);
    const TensorView &to = call.out();
    if (weight.type != to.type || (call.has(2) && call.in(2).type != to.type))
        return noTypes(call);
    TRY_AS(auto loop, windowLoop(call.node, kernelOf(weight), call.in(0).dims, to.dims));
    std::swap(loop.in, loop.out); // windows slide over the output
    const Planes from = planesOf(call.in(0).dims);
    const Planes made = planesOf(to.dims);
    const std::int64_t groups = std::max<std::int64_t>(1, call.node.integer("group"));
    const std::int64_t each = weight.dims[1];
    const std::int64_t reads = from.channels / groups;
    if (from.channels % groups != 0 || made.channels != each * groups)
        return refuse("its channels do not fall into its groups");
    if (auto fits = needsElements(call, 2, "B", made.channels); !fits)
        return fits;
    const std::int64_t taps = productOf(loop.kernel);
    const bool known = forReal(to.type, [&]<typename T>() {
        std::vector<double> sums(static_cast<std::size_t>(made.channels * made.inner));
        for (std::int64_t image = 0; image < made.images; ++image) {
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] =
                    call.has(2) ? static_cast<double>(call.in(2).as<T>()[i / static_cast<std::size_t>(made.inner)]) : 0;
            const T *source = call.in(0).as<T>().data() + image * from.channels * from.inner;
            loop.forPlaces([&](std::int64_t place, const Dims &at) {
                loop.forTaps(at, [&](std::int64_t tap, std::int64_t element) {
                    for (std::int64_t c = 0; c < made.channels; ++c) {
                        const std::int64_t first = c / each * reads;
                        double sum = 0;
                        for (std::int64_t k = first; k < first + reads; ++k)
                            sum += static_cast<double>(source[k * from.inner + place]) *
                                   static_cast<double>(
                                       weight.as<T>()[static_cast<std::size_t>((k * each + c % each) * taps + tap)]);
                        sums[static_cast<std::size_t>(c * made.inner + element)] += sum;
                    }
                });
            });
            std::ranges::transform(sums, to.as<T>().begin() + image * made.channels * made.inner,
                                   [](double sum) { return static_cast<T>(sum); });
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> pooled(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const Dims made = call.wants(0) ? call.out(0).dims : call.out(1).dims;
    TRY_AS(const auto loop, windowLoop(call.node, call.node.integers("kernel_shape"), from.dims, made));
    const Planes planes = planesOf(from.dims);
    const std::int64_t outInner = productOf(loop.out);
    const bool countsPads = call.node.type == "AveragePool" && call.node.integer("count_include_pad") != 0;
    const bool byColumns = call.node.type == "MaxPool" && call.node.integer("storage_order") != 0;
    const Dims inStrides = stridesOf(loop.in);
    const auto columnMajor = [&](std::int64_t place) {
        std::int64_t index = 0;
        std::int64_t step = 1;
        for (std::size_t axis = 0; axis < loop.in.size(); ++axis) {
            index += place / inStrides[axis] % loop.in[axis] * step;
            step *= loop.in[axis];
        }
        return index;
    };
    const bool known = forNumber(from.type, [&]<typename T>() {
        PoolWindow<T> window(call.node);
        for (std::int64_t plane = 0; plane < planes.images * planes.channels; ++plane) {
            const T *source = from.as<T>().data() + plane * planes.inner;
            loop.forPlaces([&](std::int64_t place, const Dims &at) {
                window.begin();
                loop.forTaps(at, [&](std::int64_t, std::int64_t element) { window.add(source[element], element); });
                const auto index = static_cast<std::size_t>(plane * outInner + place);
                if (call.wants(0))
                    call.out(0).as<T>()[index] = window.result(countsPads ? loop.paddedTaps(at) : window.count());
                if (call.wants(1))
                    call.out(1).as<std::int64_t>()[index] =
                        plane * planes.inner + (byColumns ? columnMajor(window.place()) : window.place());
            });
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> pooledGlobally(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const Planes planes = planesOf(from.dims);
    const std::string &type = call.node.type;
    const double p = type == "GlobalLpPool" ? static_cast<double>(call.node.integer("p")) : 1;
    const bool known = forReal(from.type, [&]<typename T>() {
        for (std::int64_t plane = 0; plane < planes.images * planes.channels; ++plane) {
            double sum = 0;
            double best = -std::numeric_limits<double>::infinity();
            for (std::int64_t i = 0; i < planes.inner; ++i) {
                const auto x = static_cast<double>(from.as<T>()[static_cast<std::size_t>(plane * planes.inner + i)]);
                best = larger(best, x);
                sum += type == "GlobalLpPool" ? std::pow(std::abs(x), p) : x;
            }
            const double result = type == "GlobalMaxPool"  ? best
                                  : type == "GlobalLpPool" ? std::pow(sum, 1 / p)
                                                           : sum / static_cast<double>(planes.inner);
            call.out().as<T>()[static_cast<std::size_t>(plane)] = static_cast<T>(result);
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> unpooled(KernelCall &call)
{
    const TensorView &to = call.out();
    // Places count in the image that was pooled, which a given output shape may enlarge.
    TRY_AS(const auto loop,
           windowLoop(call.node, call.node.integers("kernel_shape"), call.in(0).dims, call.in(0).dims));
    Dims pooledFrom(call.in(0).dims.begin(), call.in(0).dims.begin() + 2);
    for (std::size_t i = 0; i < loop.in.size(); ++i)
        pooledFrom.push_back((loop.in[i] - 1) * loop.stride[i] + loop.kernel[i] - loop.before[i] - loop.after[i]);
    if (std::ranges::any_of(pooledFrom, [](std::int64_t size) { return size < 1; }))
        return refuse("its pads leave nothing of the image that was pooled");
    if (auto fits = needsElements(call, 1, "I", call.in(0).size()); !fits)
        return fits;
    const Dims strides = stridesOf(pooledFrom);
    const Dims steps = stridesOf(to.dims);
    const Dims places = integersIn(call.in(1));
    Result<void> done;
    forBytes(to.type, [&]<typename T>() {
        std::ranges::fill(to.as<T>(), T{});
        for (std::size_t i = 0; i < places.size(); ++i) {
            std::int64_t index = 0;
            for (std::size_t axis = 0; axis < strides.size(); ++axis)
                index += places[i] / strides[axis] % pooledFrom[axis] * steps[axis];
            if (places[i] < 0 || index >= to.size())
                done = refuse("one of its places is out of range");
            else
                to.as<T>()[static_cast<std::size_t>(index)] = call.in(0).as<T>()[i];
        }
    });
    return done;
}

} // namespace stagecraft::kernels
