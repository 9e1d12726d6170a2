#include "device/cpu/onednn/convolution_trials.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <unordered_map>

namespace stagecraft::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastUs = 150;         // of one timing: several runs if one takes less
constexpr double kMostDifference = 1e-4; // over the largest output; sums in another order differ by 1e-6

dnnl::memory randomMemory(const dnnl::engine &engine, const dnnl::memory::dims &dims, std::uint32_t seed)
{
    dnnl::memory made(plainDesc(dims), engine);
    std::minstd_rand random(seed);
    auto *values = static_cast<float *>(made.get_data_handle());
    const std::size_t count = made.get_desc().get_size() / sizeof(float);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(random()) * (2.0F / static_cast<float>(std::minstd_rand::max())) - 1.0F;
    return made;
}

const float *valuesOf(const dnnl::memory &memory)
{
    return static_cast<const float *>(memory.get_data_handle());
}

} // namespace

struct ConvolutionTrials::State {
    State(const dnnl::engine &engine, ConvolutionCase given)
        : what(std::move(given)), stream(engine), library(makeLibrary(engine)), own(what.destination, engine)
    {
        const auto plainSource = randomMemory(engine, what.shape.source, 1);
        const auto plainWeights = randomMemory(engine, weightDims(what.shape), 2);
        const auto plainBias = randomMemory(engine, {what.shape.destination[1]}, 3);
        source = inDesc(plainSource, what.source);
        std::unordered_map<int, dnnl::memory> all{
            {DNNL_ARG_SRC, source},
            {DNNL_ARG_WEIGHTS, inDesc(plainWeights, description.weights_desc())},
            {DNNL_ARG_DST, dnnl::memory(what.destination, engine)},
            {DNNL_ARG_SCRATCHPAD, dnnl::memory(description.scratchpad_desc(), engine)}};
        if (what.shape.hasBias)
            all.emplace(DNNL_ARG_BIAS, plainBias);
        arguments = std::move(all);
        weights = tiledWeights(what.tiled, valuesOf(plainWeights));
        bias = tiledBias(what.tiled, what.shape.hasBias ? valuesOf(plainBias) : nullptr);
        // Padding of blocked layouts holds zeros.
        std::fill_n(static_cast<std::byte *>(own.get_data_handle()), own.get_desc().get_size(), std::byte{});
        runLibrary(1);
        libraryRuns = runsOf(timedUs([this](int runs) { runLibrary(runs); }, 3) / 3);
    }

    dnnl::convolution_forward makeLibrary(const dnnl::engine &engine)
    {
        description = convolution(engine, what.shape, what.destination, what.after);
        return dnnl::convolution_forward(description);
    }

    dnnl::memory inDesc(const dnnl::memory &plain, const Desc &wanted)
    {
        dnnl::memory made(wanted, plain.get_engine());
        dnnl::reorder(plain, made).execute(stream, const_cast<dnnl::memory &>(plain), made);
        stream.wait();
        return made;
    }

    void runLibrary(int runs)
    {
        for (int i = 0; i < runs; ++i)
            library.execute(stream, arguments);
        stream.wait();
    }

    void runOwn(const ConvolutionTiles &tiles, int runs)
    {
        for (int i = 0; i < runs; ++i)
            runTiled(what.tiled, tiles, valuesOf(source), floatsOf(weights), floatsOf(bias),
                     static_cast<float *>(own.get_data_handle()));
    }

    template <typename Run>
    static double timedUs(const Run &run, int runs)
    {
        const auto start = Clock::now();
        run(runs);
        return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    }

    static int runsOf(double us) { return std::clamp(static_cast<int>(kLeastUs / std::max(us, 0.1)), 1, 500); }

    // Largest difference of an output over the largest output.
    double difference()
    {
        const float *a = valuesOf(own);
        const float *b = valuesOf(arguments.at(DNNL_ARG_DST));
        double most = 0;
        double largest = 0;
        const std::size_t count = what.destination.get_size() / sizeof(float);
        for (std::size_t i = 0; i < count; ++i) {
            const double apart = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
            if (!(apart <= most)) // also what is no number
                most = apart;
            largest = std::max(largest, std::abs(static_cast<double>(b[i])));
        }
        return largest > 0 ? most / largest : most;
    }

    ConvolutionCase what;
    dnnl::stream stream;
    dnnl::convolution_forward::primitive_desc description;
    dnnl::convolution_forward library;
    dnnl::memory own;
    dnnl::memory source;
    std::unordered_map<int, dnnl::memory> arguments;
    AlignedFloats weights;
    AlignedFloats bias;
    int libraryRuns = 1;
};

ConvolutionTrials::ConvolutionTrials(const dnnl::engine &engine, ConvolutionCase what)
    : m_state(std::make_unique<State>(engine, std::move(what)))
{
}

ConvolutionTrials::~ConvolutionTrials() = default;

const std::string &ConvolutionTrials::key() const
{
    return m_state->what.key;
}

Result<KernelTrial> ConvolutionTrials::attempt(const ConvolutionTiles &tiles, int rounds, const std::stop_token &stop)
{
    State &state = *m_state;
    const double firstUs = State::timedUs([&](int runs) { state.runOwn(tiles, runs); }, 1);
    KernelTrial trial;
    trial.difference = state.difference();
    if (!(trial.difference <= kMostDifference))
        return fail(ErrorCode::InvalidInput, "the tuned kernel computes other values than the library's: " + key(),
                    "report this as an error of the program");
    const int ownRuns = State::runsOf(firstUs);
    for (int round = 0; round < rounds; ++round) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        // A B B A: what drifts affects both, and the better of each counts.
        const auto library = [&] {
            return State::timedUs([&](int runs) { state.runLibrary(runs); }, state.libraryRuns) / state.libraryRuns;
        };
        const auto own = [&] {
            return State::timedUs([&](int runs) { state.runOwn(tiles, runs); }, ownRuns) / ownRuns;
        };
        const double before = library();
        const double first = own();
        const double ownUs = std::min(first, own());
        trial.libraryUs.push_back(std::min(before, library()));
        trial.tunedUs.push_back(ownUs);
    }
    return trial;
}

} // namespace stagecraft::cpu
