#include "gpu/device/program.h"

#include "gpu/device/host_values.h"

#include <set>

namespace stagecraft::gpu {
namespace {

constexpr int kPoison = 0xFF; // NaN in both precisions
constexpr unsigned kSeed = 7;

} // namespace

Result<std::unique_ptr<Program>> Program::compile(GpuContext &context, const Schedule &schedule, const Pick &pick)
{
    std::unique_ptr<Program> program(new Program(context));
    TRY_AS(auto plan,
           planProgram(context.graph(), context.tensors(), schedule, context.options(),
                       [&](const ConvTask &conv) -> Result<std::size_t> {
                           const std::size_t index = program->m_choices.size();
                           program->m_choices.push_back(pick ? pick(index, conv) : context.choicesFor(conv).front());
                           return program->m_choices.back().workspaceBytes;
                       }));
    program->m_plan = std::move(plan);
    context.arena().reserve(std::max(program->m_plan.plan.arena.bytes, kArenaAlignment));
    for (const Constant &constant : program->m_plan.constants)
        program->m_constants.push_back(context.upload(constant));
    program->bind();
    return program;
}

void *Program::address(const View &view) const
{
    const GpuOptions &options = m_context.options();
    if (view.memory == View::Memory::Constant)
        return m_constants[view.index]->data() + view.offset * elementBytes(options.precision);
    return m_context.arena().data() + m_plan.arenaOffset(view, options.precision);
}

void Program::bind()
{
    const GpuOptions &options = m_context.options();
    const Address at = [this](const View &view) { return address(view); };
    std::size_t convolutions = 0;
    for (const Task &task : m_plan.tasks) {
        std::vector<ConvStep> &steps = m_steps.emplace_back();
        if (const auto *conv = std::get_if<ConvTask>(&task.work)) {
            std::byte *workspace =
                task.workspace.bytes > 0 ? m_context.arena().data() + m_plan.arenaOffset(task.workspace) : nullptr;
            steps = stepsOf(m_choices[convolutions++], *conv, options, at, workspace);
        } else if (const auto *depthwise = std::get_if<DepthwiseTask>(&task.work)) {
            steps.push_back({launchOf(*depthwise, options.layout, at), {}});
        } else if (const auto *pool = std::get_if<PoolTask>(&task.work)) {
            steps.push_back({launchOf(*pool, at), {}});
        } else if (const auto *elementwise = std::get_if<ElementwiseTask>(&task.work)) {
            steps.push_back({launchOf(*elementwise, at), {}});
        } else {
            steps.push_back({launchOf(std::get<SoftmaxTask>(task.work), at), {}});
        }
    }
}

void Program::run(const Observer &before)
{
    for (const LaunchStep &step : m_plan.launches.steps) {
        cudaStream_t stream = m_context.stream(step.stream);
        switch (step.kind) {
        case LaunchStep::Kind::Run:
            if (before)
                before(step.item);
            for (const ConvStep &part : m_steps[step.item])
                m_context.run(part, stream);
            break;
        case LaunchStep::Kind::Record:
            requireCuda(cudaEventRecord(m_context.event(step.item), stream), "marking a stream");
            break;
        case LaunchStep::Kind::Wait:
            requireCuda(cudaStreamWaitEvent(stream, m_context.event(step.item), 0), "joining streams");
            break;
        case LaunchStep::Kind::Synchronize: requireCuda(cudaDeviceSynchronize(), "a stage"); break;
        }
    }
    if (before)
        before(m_plan.tasks.size());
}

CudaGraph Program::capture(int repeats, const Observer &before)
{
    cudaStream_t origin = m_context.stream(0);
    // Created in advance: nothing can be created during a capture.
    m_context.prepare(m_plan.launches.streams, m_plan.launches.events);
    return captured(origin, [&] {
        for (int i = 0; i < repeats; ++i)
            run(i + 1 == repeats ? before : Observer());
    });
}

void Program::poison()
{
    DeviceMemory &arena = m_context.arena();
    fillBytes(arena.data(), kPoison, arena.bytes());
}

void Program::fillOutside()
{
    std::set<std::size_t> buffers;
    for (const TensorId tensor : m_plan.plan.outside)
        buffers.insert(m_plan.tensor(tensor).index);
    for (const std::size_t buffer : buffers) {
        const auto elements =
            static_cast<std::int64_t>(m_plan.plan.buffers[buffer].bytes) / elementBytes(m_context.options().precision);
        m_context.launch(fillLaunch(m_context.arena().data() + m_plan.plan.arena.offsets[buffer], elements, kSeed),
                         m_context.stream(0));
    }
    requireCuda(cudaStreamSynchronize(m_context.stream(0)), "filling inputs");
}

void Program::write(TensorId tensor, std::span<const float> values)
{
    const View &view = m_plan.tensor(tensor);
    const Precision precision = m_context.options().precision;
    std::vector<std::byte> bytes(static_cast<std::size_t>(view.span() * elementBytes(precision)));
    // The gaps between a strided view's elements belong to other tensors.
    if (view.span() != view.elements())
        requireCuda(cudaMemcpy(bytes.data(), address(view), bytes.size(), cudaMemcpyDeviceToHost), "reading a tensor");
    scatter(values, view, precision, bytes);
    copyToDevice(static_cast<std::byte *>(address(view)), bytes);
}

std::vector<float> Program::read(TensorId tensor) const
{
    const View &view = m_plan.tensor(tensor);
    const Precision precision = m_context.options().precision;
    std::vector<std::byte> bytes(static_cast<std::size_t>(view.span() * elementBytes(precision)));
    requireCuda(cudaMemcpy(bytes.data(), address(view), bytes.size(), cudaMemcpyDeviceToHost), "reading a tensor");
    return gathered(bytes, view, precision);
}

} // namespace stagecraft::gpu
