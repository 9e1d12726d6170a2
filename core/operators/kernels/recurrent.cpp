// Recurrent layers: RNN, GRU, LSTM. Arithmetic in double precision, rounded once per output.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <array>
#include <fmt/format.h>
#include <functional>
#include <string_view>

namespace stagecraft::kernels {
namespace {

using Function = std::function<double(double)>;
using Values = std::vector<double>;

using Constants = FunctionConstants<double>;

// A function that a layer may use, with the constants it takes besides x.
struct FunctionForm {
    std::string_view name; // in lower case
    UnaryFunction<double> apply = nullptr;
    int constants = 0;
    double alpha = 0; // unless given
    double beta = 0;
};

const auto &functionForms()
{
    static const auto of = [](std::string_view type) { return functionIn(unaryFunctions<double>(), type); };
    static const std::array table{
        FunctionForm{"sigmoid", of("Sigmoid")},
        FunctionForm{"tanh", of("Tanh")},
        FunctionForm{"relu", of("Relu")},
        FunctionForm{"softsign", of("Softsign")},
        FunctionForm{"softplus", of("Softplus")},
        FunctionForm{"leakyrelu", of("LeakyRelu"), 1, 0.01},
        FunctionForm{"thresholdedrelu", [](double x, const Constants &c) { return x >= c.a ? x : 0; }, 1, 1},
        FunctionForm{"elu", of("Elu"), 1, 1},
        FunctionForm{"affine", [](double x, const Constants &c) { return c.a * x + c.b; }, 2, 1, 0},
        FunctionForm{"scaledtanh", [](double x, const Constants &c) { return c.a * std::tanh(c.b * x); }, 2, 1, 1},
        FunctionForm{"hardsigmoid", of("HardSigmoid"), 2, 0.2, 0.5},
    };
    return table;
}

struct Sizes {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t features = 0;
    std::int64_t hidden = 0;
    std::int64_t directions = 1;
};

// One direction of a layer: its weights by gate, and its functions.
struct Layer {
    const NodeFacts &node;
    const Sizes &sizes;
    std::int64_t gates = 1;
    Values weights;   // gates * hidden x features
    Values states;    // gates * hidden x hidden
    Values biases;    // gates * hidden for the input, then the same for the state
    Values peepholes; // of input, output and forget gate; may be empty
    std::vector<Function> functions;
    double clip = std::numeric_limits<double>::infinity();

    [[nodiscard]] double ofInput(std::int64_t gate, std::int64_t j, std::span<const double> x) const
    {
        return dot(weights, gate * sizes.hidden + j, x) + bias(gate, j);
    }
    [[nodiscard]] double ofState(std::int64_t gate, std::int64_t j, std::span<const double> h) const
    {
        return dot(states, gate * sizes.hidden + j, h) + bias(gates + gate, j);
    }
    [[nodiscard]] double peephole(std::int64_t gate, std::int64_t j, double cell) const
    {
        return peepholes.empty() ? 0 : peepholes[static_cast<std::size_t>(gate * sizes.hidden + j)] * cell;
    }
    [[nodiscard]] double clipped(std::size_t function, double x) const
    {
        return functions[function](std::clamp(x, -clip, clip));
    }

private:
    [[nodiscard]] double bias(std::int64_t gate, std::int64_t j) const
    {
        return biases.empty() ? 0 : biases[static_cast<std::size_t>(gate * sizes.hidden + j)];
    }
    [[nodiscard]] static double dot(const Values &matrix, std::int64_t row, std::span<const double> x)
    {
        double sum = 0;
        const double *factors = matrix.data() + row * static_cast<std::int64_t>(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += factors[i] * x[i];
        return sum;
    }
};

void stepPlain(const Layer &layer, std::span<const double> x, Values &h)
{
    const Values before = h;
    for (std::int64_t j = 0; j < layer.sizes.hidden; ++j)
        h[static_cast<std::size_t>(j)] = layer.clipped(0, layer.ofInput(0, j, x) + layer.ofState(0, j, before));
}

// Gates: update, reset, hidden.
void stepGru(const Layer &layer, std::span<const double> x, Values &h)
{
    const bool resetsLast = layer.node.integer("linear_before_reset") != 0;
    const Values before = h;
    Values reset(before.size());
    Values kept(before.size());
    for (std::int64_t j = 0; j < layer.sizes.hidden; ++j) {
        const auto at = static_cast<std::size_t>(j);
        reset[at] = layer.clipped(0, layer.ofInput(1, j, x) + layer.ofState(1, j, before));
        kept[at] = reset[at] * before[at];
    }
    for (std::int64_t j = 0; j < layer.sizes.hidden; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const double update = layer.clipped(0, layer.ofInput(0, j, x) + layer.ofState(0, j, before));
        const double state = resetsLast ? reset[at] * layer.ofState(2, j, before) : layer.ofState(2, j, kept);
        h[at] = (1 - update) * layer.clipped(1, layer.ofInput(2, j, x) + state) + update * before[at];
    }
}

// Gates: input, output, forget, cell.
void stepLstm(const Layer &layer, std::span<const double> x, Values &h, Values &c)
{
    const bool isCoupled = layer.node.integer("input_forget") != 0;
    const Values before = h;
    for (std::int64_t j = 0; j < layer.sizes.hidden; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const auto gate = [&](std::int64_t which) {
            return layer.ofInput(which, j, x) + layer.ofState(which, j, before);
        };
        const double forget = layer.clipped(0, gate(2) + layer.peephole(2, j, c[at]));
        const double input = isCoupled ? 1 - forget : layer.clipped(0, gate(0) + layer.peephole(0, j, c[at]));
        const double output = gate(1);
        c[at] = forget * c[at] + input * layer.clipped(1, gate(3));
        h[at] = layer.clipped(0, output + layer.peephole(1, j, c[at])) * layer.functions[2](c[at]);
    }
}

Values partOf(const KernelCall &call, std::size_t operand, const Sizes &sizes, std::int64_t direction)
{
    if (!call.has(operand) || call.in(operand).size() == 0)
        return {};
    const Values all = realsIn(call.in(operand));
    const auto each = static_cast<std::int64_t>(all.size()) / sizes.directions;
    return {all.begin() + direction * each, all.begin() + (direction + 1) * each};
}

// Of one direction; names are compared without case. The constants in the attributes are for those functions, of all
// directions in order, that take one. Empty if a function is not known.
std::vector<Function> functionsOf(const NodeFacts &node, std::size_t each, std::int64_t direction)
{
    const std::vector<std::string> fallback =
        each == 1 ? std::vector<std::string>{"Tanh"} : std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"};
    const AttributeValue *given = find(node.attributes, "activations");
    const auto *names = given ? std::get_if<std::vector<std::string>>(given) : nullptr;
    const auto alphas = node.reals("activation_alpha");
    const auto betas = node.reals("activation_beta");
    std::size_t nextAlpha = 0;
    std::size_t nextBeta = 0;
    const auto taken = [](const std::vector<float> &values, std::size_t &next, double otherwise) {
        return next < values.size() ? static_cast<double>(values[next++]) : otherwise;
    };
    std::vector<Function> functions;
    const std::size_t first = static_cast<std::size_t>(direction) * each;
    for (std::size_t at = 0; at < first + each; ++at) {
        std::string name = names && at < names->size() ? (*names)[at] : fallback[at % each];
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto form = std::ranges::find(functionForms(), name, &FunctionForm::name);
        if (form == functionForms().end())
            return {};
        const double alpha = form->constants > 0 ? taken(alphas, nextAlpha, form->alpha) : 0;
        const double beta = form->constants > 1 ? taken(betas, nextBeta, form->beta) : 0;
        if (at >= first)
            functions.emplace_back(
                [apply = form->apply, of = Constants{alpha, beta}](double x) { return apply(x, of); });
    }
    return functions;
}

// Where an element of a sequence or of a state lies: with layout 1, the batch comes first.
struct Places {
    const Sizes &sizes;
    bool batchFirst = false;

    [[nodiscard]] std::int64_t input(std::int64_t step, std::int64_t image) const
    {
        return (batchFirst ? image * sizes.steps + step : step * sizes.batch + image) * sizes.features;
    }
    [[nodiscard]] std::int64_t output(std::int64_t step, std::int64_t direction, std::int64_t image) const
    {
        const std::int64_t row = batchFirst ? (image * sizes.steps + step) * sizes.directions + direction
                                            : (step * sizes.directions + direction) * sizes.batch + image;
        return row * sizes.hidden;
    }
    [[nodiscard]] std::int64_t state(std::int64_t direction, std::int64_t image) const
    {
        return (batchFirst ? image * sizes.directions + direction : direction * sizes.batch + image) * sizes.hidden;
    }
};

Values stateAt(const KernelCall &call, std::size_t operand, std::int64_t place, std::int64_t hidden)
{
    Values state(static_cast<std::size_t>(hidden));
    for (std::int64_t j = 0; j < hidden && call.has(operand) && call.in(operand).size() > 0; ++j)
        state[static_cast<std::size_t>(j)] = realAt(call.in(operand), place + j);
    return state;
}

void write(KernelCall &call, std::size_t output, std::int64_t place, const Values &values)
{
    if (!call.wants(output))
        return;
    for (std::size_t j = 0; j < values.size(); ++j)
        setReal(call.out(output), place + static_cast<std::int64_t>(j), values[j]);
}

Result<void> checkOperands(const KernelCall &call, const Sizes &sizes, std::int64_t gates)
{
    if (call.node.gives("hidden_size") && call.node.integer("hidden_size") != sizes.hidden)
        return refuse(fmt::format("its operand R is for states of {} values, but its hidden_size is {}", sizes.hidden,
                                  call.node.integer("hidden_size")));
    const std::int64_t rows = sizes.directions * gates * sizes.hidden;
    const std::int64_t states = sizes.directions * sizes.batch * sizes.hidden;
    const bool hasCells = call.node.type == "LSTM";
    struct Needed {
        std::string_view name;
        std::int64_t elements = 0;
    };
    const std::array<Needed, 8> operands{{{"X", sizes.steps * sizes.batch * sizes.features},
                                          {"W", rows * sizes.features},
                                          {"R", rows * sizes.hidden},
                                          {"B", 2 * rows},
                                          {"sequence_lens", sizes.batch},
                                          {"initial_h", states},
                                          {"initial_c", states},
                                          {"P", sizes.directions * 3 * sizes.hidden}}};
    for (std::size_t place = 0; place < (hasCells ? operands.size() : 6); ++place) {
        if (auto fits = needsElements(call, place, operands[place].name, operands[place].elements, place > 2); !fits)
            return fits;
    }
    return {};
}

} // namespace

Result<void> recurrent(KernelCall &call)
{
    const std::string &type = call.node.type;
    const Dims &dims = call.in(0).dims;
    if (dims.size() != 3 || call.in(2).dims.empty())
        return refuse("it needs a batch of sequences");
    const std::string way = call.node.text("direction");
    const bool batchFirst = call.node.integer("layout") == 1;
    const Sizes sizes{dims[batchFirst ? 1 : 0], dims[batchFirst ? 0 : 1], dims[2], call.in(2).dims.back(),
                      way == "bidirectional" ? 2 : 1};
    const Places places{sizes, batchFirst};
    const std::int64_t gates = type == "LSTM" ? 4 : type == "GRU" ? 3 : 1;
    if (auto fits = checkOperands(call, sizes, gates); !fits)
        return fits;
    const std::size_t functions = type == "LSTM" ? 3 : type == "GRU" ? 2 : 1;
    const Values input = realsIn(call.in(0));
    const Dims lengths = call.has(4) && call.in(4).size() > 0
                             ? integersIn(call.in(4))
                             : Dims(static_cast<std::size_t>(sizes.batch), sizes.steps);
    if (std::ranges::any_of(lengths, [&](std::int64_t length) { return length < 0 || length > sizes.steps; }))
        return refuse(fmt::format("one of its sequence_lens is not between 0 and {}", sizes.steps));
    const AttributeValue *names = find(call.node.attributes, "activations");
    const auto *listed = names ? std::get_if<std::vector<std::string>>(names) : nullptr;
    const std::size_t needed = functions * static_cast<std::size_t>(sizes.directions);
    if (listed && !listed->empty() && listed->size() < needed)
        return refuse(fmt::format("it has {} activations, where it needs {}", listed->size(), needed));
    if (call.node.gives("clip") && !(call.node.real("clip") >= 0)) // no number, too
        return refuse("its clip is negative or no number");
    for (const auto &output : call.outputs) {
        if (output)
            std::fill_n(output->data, output->size() * sizeBytes(output->type), std::byte{});
    }
    for (std::int64_t direction = 0; direction < sizes.directions; ++direction) {
        Layer layer{call.node,
                    sizes,
                    gates,
                    partOf(call, 1, sizes, direction),
                    partOf(call, 2, sizes, direction),
                    partOf(call, 3, sizes, direction),
                    type == "LSTM" ? partOf(call, 7, sizes, direction) : Values(),
                    functionsOf(call.node, functions, direction)};
        if (layer.functions.empty())
            return refuse("one of its activations is not known");
        if (call.node.gives("clip"))
            layer.clip = call.node.real("clip");
        const bool isReverse = way == "reverse" || direction == 1;
        for (std::int64_t image = 0; image < sizes.batch; ++image) {
            Values h = stateAt(call, 5, places.state(direction, image), sizes.hidden);
            Values c = stateAt(call, 6, places.state(direction, image), type == "LSTM" ? sizes.hidden : 0);
            const std::int64_t length = lengths[static_cast<std::size_t>(image)];
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t step = isReverse ? length - 1 - i : i;
                const auto x = std::span(input).subspan(static_cast<std::size_t>(places.input(step, image)),
                                                        static_cast<std::size_t>(sizes.features));
                if (type == "LSTM")
                    stepLstm(layer, x, h, c);
                else if (type == "GRU")
                    stepGru(layer, x, h);
                else
                    stepPlain(layer, x, h);
                write(call, 0, places.output(step, direction, image), h);
            }
            write(call, 1, places.state(direction, image), h);
            if (type == "LSTM")
                write(call, 2, places.state(direction, image), c);
        }
    }
    return {};
}

} // namespace stagecraft::kernels
