#include "device/simulated/fit/kernel_simulation.h"

#include "device/simulated/simulated_session.h"
#include "operators/parameter_roles.h"

#include <map>
#include <numeric>
#include <utility>

namespace stagecraft {

namespace {

Operator convolutionOf(const MeasuredKernel &kernel, TensorId input, DataType type)
{
    Operator op;
    op.name = "conv";
    op.kind = OperatorKind::Conv;
    op.type = "Conv";
    ConvAttributes attributes;
    attributes.outChannels = kernel.filters;
    attributes.window.kernel = kernel.window;
    attributes.window.stride = kernel.stride;
    attributes.window.padding = {kernel.padding[0], kernel.padding[1], kernel.padding[0], kernel.padding[1]};
    op.attributes = attributes;
    op.inputs = {{input}};
    const Shape weight{{kernel.filters, kernel.channels, kernel.window[0], kernel.window[1]}};
    op.parameters.push_back({std::string(role::kWeight), "weight", weight, type, {}});
    return op;
}

Operator productOf(const MeasuredKernel &kernel, TensorId input, DataType type)
{
    Operator op;
    op.name = "gemm";
    op.kind = OperatorKind::Gemm;
    op.type = "Gemm";
    GemmAttributes attributes;
    attributes.outFeatures = kernel.columns;
    attributes.inFeatures = kernel.inner;
    op.attributes = attributes;
    op.inputs = {{input}};
    op.parameters.push_back({std::string(role::kWeight), "weight", Shape{{kernel.inner, kernel.columns}}, type, {}});
    return op;
}

Result<Graph> graphOf(const MeasuredKernel &kernel, DataType type)
{
    GraphBuilder builder("kernel");
    const Shape shape = kernel.isConvolution()
                            ? Shape{{kernel.batch, kernel.channels, kernel.image[0], kernel.image[1]}}
                            : Shape{{kernel.rows, kernel.inner}};
    TRY_AS(const TensorId input, builder.addInput("input", shape, type));
    TRY(builder.add(kernel.isConvolution() ? convolutionOf(kernel, input, type) : productOf(kernel, input, type)));
    return builder.build();
}

} // namespace

Result<KernelSimulation> KernelSimulation::of(std::vector<MeasuredKernel> kernels, SimulatedRun run)
{
    const DataType type = run.precision == SimulatedPrecision::Fp16 ? DataType::Float16 : DataType::Float32;
    KernelSimulation simulation;
    simulation.m_run = run;
    std::map<std::string, std::shared_ptr<const Graph>> graphs; // by the text of the kernel
    for (const MeasuredKernel &kernel : kernels) {
        auto &graph = graphs[kernelText(kernel)];
        if (!graph) {
            auto made = graphOf(kernel, type);
            if (!made)
                return within(kernel.source, within(kernelText(kernel), made.error()).value());
            graph = std::make_shared<const Graph>(*std::move(made));
        }
        simulation.m_graphs.push_back(graph);
    }
    simulation.m_kernels = std::move(kernels);
    return simulation;
}

Result<std::vector<double>> KernelSimulation::simulatedUs(const DeviceDescription &device,
                                                          const std::stop_token &stop) const
{
    std::vector<std::size_t> all(m_kernels.size());
    std::iota(all.begin(), all.end(), 0);
    return simulatedUs(device, all, stop);
}

Result<std::vector<double>> KernelSimulation::simulatedUs(const DeviceDescription &device,
                                                          std::span<const std::size_t> places,
                                                          const std::stop_token &stop) const
{
    DeviceDescription alone = device;
    alone.launchUs = alone.cudnnCallUs = 0;
    std::map<const Graph *, double> known;
    std::vector<double> times;
    times.reserve(places.size());
    for (const std::size_t place : places) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "the simulation was stopped");
        const auto &graph = m_graphs[place];
        auto [found, isNew] = known.try_emplace(graph.get(), 0);
        if (isNew) {
            SimulatedSession session(alone, m_run, "sim:" + alone.name, graph);
            const Stage stage = stageAlone(OperatorId::fromIndex(0));
            TRY_AS(const auto latency, session.stageLatency(StageQuestion{stage}, stop));
            found->second = latency.timing.latencyUs;
        }
        times.push_back(found->second);
    }
    return times;
}

} // namespace stagecraft
