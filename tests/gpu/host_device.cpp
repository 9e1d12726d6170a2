#include "cuda_on_host.h"

#include <cstring>
#include <limits>
#include <map>

// The kernels use the host's functions with the same names.
using std::fmaxf;
using std::fminf;

#include "gpu/kernels/parameters.h"

namespace stagecraft::gpu::kernels {

struct Half {
    _Float16 value;
};

inline float asFloat(Half half)
{
    return static_cast<float>(half.value);
}

inline void store(Half *to, float value)
{
    to->value = static_cast<_Float16>(value);
}

#ifdef STAGECRAFT_HALF
using Element = Half;
#else
using Element = float;
#endif

} // namespace stagecraft::gpu::kernels

using stagecraft::gpu::kernels::Element;

#include "gpu/kernels/common.cuh"

#include "gpu/kernels/elementwise.cu"

#include "gpu/kernels/conv.cu"
#include "gpu/kernels/depthwise.cu"
#include "gpu/kernels/pool.cu"
#include "gpu/kernels/softmax.cu"

#include "host_device.h"

#include "gpu/plan/kernel_launch.h"
#include "gpu/plan/quick_choice.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace stagecraft::test {
namespace {

using namespace gpu;

struct HostKernel {
    bool barriers = false;
    std::function<void(const std::vector<std::byte> &)> run; // for one thread
};

template <typename Parameters>
HostKernel kernel(void (*function)(Parameters), bool barriers)
{
    return {barriers, [function](const std::vector<std::byte> &bytes) {
                Parameters parameters;
                std::memcpy(&parameters, bytes.data(), sizeof parameters);
                function(parameters);
            }};
}

const std::map<std::string, HostKernel> &hostKernels()
{
    static const std::map<std::string, HostKernel> table{
        {"elementwise", kernel(elementwise, false)},
        {"elementwiseFlat", kernel(elementwiseFlat, false)},
        {"fill", kernel(fill, false)},
        {"pool", kernel(pool, false)},
        {"globalPool", kernel(globalPool, true)},
        {"softmax", kernel(softmax, true)},
        {"convTile_64_64", kernel(convTile_64_64, true)},
        {"convTile_32_32", kernel(convTile_32_32, true)},
        {"convParts_32_32", kernel(convParts_32_32, true)},
        {"convSum", kernel(convSum, false)},
        {"convRow", kernel(convRow, true)},
        {"depthwisePlanes_0_0", kernel(depthwisePlanes_0_0, true)},
        {"depthwisePlanes_3_1", kernel(depthwisePlanes_3_1, true)},
        {"depthwisePlanes_3_2", kernel(depthwisePlanes_3_2, true)},
        {"depthwisePlanes_5_1", kernel(depthwisePlanes_5_1, true)},
        {"depthwisePlanes_5_2", kernel(depthwisePlanes_5_2, true)},
        {"depthwisePlanes_7_1", kernel(depthwisePlanes_7_1, true)},
        {"depthwisePlanes_7_2", kernel(depthwisePlanes_7_2, true)},
        {"depthwiseChannels_0_0", kernel(depthwiseChannels_0_0, false)},
        {"depthwiseChannels_3_1", kernel(depthwiseChannels_3_1, false)},
        {"depthwiseChannels_3_2", kernel(depthwiseChannels_3_2, false)},
        {"depthwiseChannels_5_1", kernel(depthwiseChannels_5_1, false)},
        {"depthwiseChannels_5_2", kernel(depthwiseChannels_5_2, false)},
        {"depthwiseChannels_7_1", kernel(depthwiseChannels_7_1, false)},
        {"depthwiseChannels_7_2", kernel(depthwiseChannels_7_2, false)}};
    return table;
}

void launch(const KernelLaunch &what)
{
    const HostKernel &host = hostKernels().at(what.kernel);
    dynamicShared.assign(what.sharedBytes / sizeof(float), std::numeric_limits<float>::quiet_NaN());
    Block::runGrid({what.grid[0], what.grid[1], what.grid[2]}, {what.block[0], what.block[1], what.block[2]},
                   host.barriers, [&] { host.run(what.parameters); });
}

// Microseconds of one run, in memory of its own.
double hostUs(const ConvTask &conv, const std::string &kernel)
{
    const std::int64_t biasElements = conv.bias ? conv.bias->elements() : 0;
    std::vector<Element> memory(
        static_cast<std::size_t>(conv.x.span() + conv.y.span() + conv.w.elements() + biasElements));
    const auto address = [&](const View &view) -> void * {
        Element *x = memory.data();
        Element *y = x + conv.x.span();
        Element *w = y + conv.y.span();
        if (view.memory == View::Memory::Constant)
            return view.dims == conv.w.dims && view.index == conv.w.index ? w : w + conv.w.elements();
        return view == conv.x ? x : y;
    };
    std::vector<char> workspace(convWorkspaceBytes(conv, kernel));
    const auto start = std::chrono::steady_clock::now();
    for (const KernelLaunch &part : convLaunches(conv, kernel, address, workspace.data()))
        launch(part);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

std::string chosenKernel(const ConvTask &conv, const GpuOptions &options, HostTuner &tuner)
{
    const std::string key = keyOf(conv, options);
    if (const TunedConv *known = tuner.memory.find(key))
        return known->choices.front().kernel;
    ++tuner.tuned;
    const std::vector<std::string> kernels = convKernels(conv);
    CandidateTimes times;
    times.directUs = [&](std::size_t index) { return hostUs(conv, kernels[index]); };
    times.replayedUs = [&](std::size_t index, int) { return hostUs(conv, kernels[index]); };
    TunedConv found;
    for (const TimedCandidate &timed : fastestOf(kernels.size(), times))
        found.choices.push_back({{}, kernels[timed.index], false, false, timed.timeUs});
    found.tried = static_cast<int>(kernels.size());
    std::string best = found.choices.front().kernel;
    tuner.memory.add(key, std::move(found));
    return best;
}

// The steps of each stream in their order, streams at random, a wait after the record that was submitted last before
// it.
std::vector<LaunchStep> shuffled(const LaunchPlan &plan, unsigned seed)
{
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::vector<std::size_t>> queues(plan.streams); // of steps
    std::vector<std::size_t> needs(plan.steps.size(), kNone);
    std::vector<std::size_t> records(plan.events, kNone);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const LaunchStep &step = plan.steps[i];
        queues[step.stream].push_back(i);
        if (step.kind == LaunchStep::Kind::Record)
            records[step.item] = i;
        else if (step.kind == LaunchStep::Kind::Wait)
            needs[i] = records[step.item];
    }
    std::minstd_rand random(seed);
    std::vector<std::size_t> next(plan.streams, 0);
    std::vector<bool> done(plan.steps.size(), false);
    std::vector<LaunchStep> order;
    while (order.size() < plan.steps.size()) {
        const std::size_t stream = random() % plan.streams;
        if (next[stream] == queues[stream].size())
            continue;
        const std::size_t step = queues[stream][next[stream]];
        if (needs[step] != kNone && !done[needs[step]])
            continue;
        done[step] = true;
        order.push_back(plan.steps[step]);
        ++next[stream];
    }
    return order;
}

class Machine {
public:
    // `kernels`: of the convolutions, in the order of their tasks.
    Machine(const ProgramPlan &plan, const GpuOptions &options, std::vector<std::string> kernels)
        : m_plan(plan), m_options(options), m_kernels(std::move(kernels)),
          m_arena(plan.plan.arena.bytes / sizeof(float) + 64, kNaN)
    {
        std::memset(m_arena.data(), 0xFF, m_arena.size() * sizeof(float)); // NaN in both precisions
        for (const gpu::Constant &constant : plan.constants) {
            std::vector<Element> &packed =
                m_constants.emplace_back(static_cast<std::size_t>(elementsOf(constant.dims)));
            write(packed.data(), constant.dims, constant.strides, *constant.values());
        }
    }

    void write(TensorId tensor, const std::vector<float> &values)
    {
        const View &view = m_plan.tensor(tensor);
        write(static_cast<Element *>(at(view)), view.dims, view.strides, values);
    }

    std::vector<float> read(TensorId tensor) const
    {
        const View &view = m_plan.tensor(tensor);
        std::vector<float> values;
        const auto *from = static_cast<const Element *>(at(view));
        forEach(view.dims, view.strides,
                [&](std::int64_t offset) { values.push_back(gpu::kernels::asFloat(from[offset])); });
        return values;
    }

    void run(const std::vector<LaunchStep> &steps)
    {
        const Address address = [this](const View &view) { return at(view); };
        for (const LaunchStep &step : steps) {
            if (step.kind != LaunchStep::Kind::Run)
                continue;
            const Task &task = m_plan.tasks[step.item];
            if (const auto *conv = std::get_if<ConvTask>(&task.work)) {
                if (task.workspace.bytes > 0)
                    std::memset(bytesAt(m_plan.arenaOffset(task.workspace)), 0xFF, task.workspace.bytes);
                const auto before = std::span(m_plan.tasks).first(step.item);
                const auto place = std::ranges::count_if(
                    before, [](const Task &other) { return std::holds_alternative<ConvTask>(other.work); });
                void *const workspace =
                    task.workspace.bytes > 0 ? bytesAt(m_plan.arenaOffset(task.workspace)) : nullptr;
                for (const KernelLaunch &part :
                     convLaunches(*conv, m_kernels[static_cast<std::size_t>(place)], address, workspace))
                    launch(part);
            } else if (const auto *depthwise = std::get_if<DepthwiseTask>(&task.work)) {
                launch(launchOf(*depthwise, m_options.layout, address));
            } else if (const auto *pooling = std::get_if<PoolTask>(&task.work)) {
                launch(launchOf(*pooling, address));
            } else if (const auto *simple = std::get_if<ElementwiseTask>(&task.work)) {
                launch(launchOf(*simple, address));
            } else {
                launch(launchOf(std::get<SoftmaxTask>(task.work), address));
            }
        }
    }

private:
    static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

    char *bytesAt(std::size_t offset) const
    {
        // The arena is aligned as on the device.
        auto *begin = reinterpret_cast<char *>(const_cast<float *>(m_arena.data()));
        const auto misaligned = reinterpret_cast<std::uintptr_t>(begin) % kArenaAlignment;
        return begin + (misaligned == 0 ? 0 : kArenaAlignment - misaligned) + offset;
    }

    void *at(const View &view) const
    {
        if (view.memory == View::Memory::Constant)
            return const_cast<Element *>(m_constants[view.index].data()) + view.offset;
        return bytesAt(m_plan.arenaOffset(view, m_options.precision));
    }

    template <typename Visit>
    static void forEach(const Extent &dims, const Extent &strides, const Visit &visit)
    {
        for (std::int64_t i = 0; i < elementsOf(dims); ++i) {
            std::int64_t rest = i;
            std::int64_t offset = 0;
            for (std::size_t axis = dims.size(); axis-- > 0;) {
                offset += rest % dims[axis] * strides[axis];
                rest /= dims[axis];
            }
            visit(offset);
        }
    }

    static void write(Element *to, const Extent &dims, const Extent &strides, const std::vector<float> &values)
    {
        auto next = values.begin();
        forEach(dims, strides, [&](std::int64_t offset) { gpu::kernels::store(to + offset, *next++); });
    }

    const ProgramPlan &m_plan;
    const GpuOptions &m_options;
    std::vector<std::string> m_kernels;
    std::vector<float> m_arena;
    std::vector<std::vector<Element>> m_constants;
};

} // namespace

GpuOptions hostOptions(TensorLayout layout)
{
    GpuOptions options;
    options.layout = layout;
#ifdef STAGECRAFT_HALF
    options.precision = Precision::Fp16;
#endif
    return options;
}

Result<std::vector<HostTensor>> runOnHost(const std::shared_ptr<const Graph> &graph, const Schedule &schedule,
                                          const GpuOptions &options, const std::vector<HostTensor> &inputs,
                                          HostTuner *tuner, std::optional<unsigned> seed)
{
    std::vector<std::string> kernels;
    TRY_AS(const auto plan, planProgram(*graph, planTensors(*graph, options), schedule, options,
                                        [&](const ConvTask &conv) -> Result<std::size_t> {
                                            const std::vector<std::string> all = convKernels(conv);
                                            kernels.push_back(tuner ? chosenKernel(conv, options, *tuner)
                                                                    : all[kernels.size() % all.size()]);
                                            return std::max<std::size_t>(convWorkspaceBytes(conv, kernels.back()),
                                                                         1000);
                                        }));
    Machine machine(plan, options, std::move(kernels));
    for (const TensorId tensor : plan.plan.outside)
        machine.write(tensor, std::ranges::find(inputs, graph->tensor(tensor).name, &HostTensor::name)->values);
    machine.run(seed ? shuffled(plan.launches, *seed) : plan.launches.steps);
    std::vector<HostTensor> outputs;
    for (const TensorId output : graph->outputs())
        outputs.push_back({graph->tensor(output).name, graph->tensor(output).shape, machine.read(output)});
    return outputs;
}

} // namespace stagecraft::test
