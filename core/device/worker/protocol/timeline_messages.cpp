// Timelines as messages.

#include "device/worker/protocol/message_parts.h"
#include "device/worker/protocol/messages.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft::worker {
namespace {

void write(const stagecraft::FusedUnits &fused, FusedUnits &message)
{
    message.set_stage(fused.stage);
    for (const TimedROperator &rOperator : fused.rOperators) {
        ROperator &to = *message.add_r_operators();
        to.set_op(rOperator.op.value);
        to.set_chosen(rOperator.chosen);
        for (const TimedRKernel &rKernel : rOperator.rKernels) {
            RKernel &kernel = *to.add_r_kernels();
            kernel.set_name(rKernel.name);
            kernel.set_r_tasks(rKernel.rTasks);
            kernel.set_alone_ns(rKernel.aloneNs);
            kernel.set_device_share(rKernel.deviceShare);
        }
    }
    for (const UnitRow &row : fused.rows) {
        UnitTasks &to = *message.add_rows();
        to.set_units(row.units);
        for (const UnitTask &task : row.tasks) {
            to.add_r_operators(task.rOperator);
            to.add_start_ns(task.startNs);
            to.add_end_ns(task.endNs);
        }
    }
}

} // namespace

void write(const stagecraft::Timeline &timeline, Timeline &message)
{
    message.set_provenance(static_cast<int>(timeline.provenance));
    message.set_device(timeline.device);
    message.set_duration_ns(timeline.durationNs);
    message.set_streams(timeline.streams);
    for (const stagecraft::StageSpan &span : timeline.stages) {
        StageSpan &to = *message.add_stages();
        to.set_stage(span.stage);
        to.set_start_ns(span.startNs);
        to.set_end_ns(span.endNs);
    }
    for (const stagecraft::KernelSpan &span : timeline.kernels) {
        KernelSpan &to = *message.add_kernels();
        to.set_name(span.name);
        for (const OperatorId id : span.operators)
            to.add_operators(id.value);
        to.set_stage(span.stage);
        to.set_group(span.group);
        to.set_stream(span.stream);
        to.set_start_ns(span.startNs);
        to.set_end_ns(span.endNs);
        to.mutable_grid()->Add(span.grid.begin(), span.grid.end());
        to.set_threads_per_block(span.threadsPerBlock);
        to.set_registers_per_thread(span.registersPerThread);
        to.set_shared_bytes_per_block(span.sharedBytesPerBlock);
        to.set_flops(span.flops);
        to.set_bytes(span.bytes);
    }
    for (const std::string &note : timeline.notes)
        message.add_notes(note);
    for (const stagecraft::FusedUnits &fused : timeline.fused)
        write(fused, *message.add_fused());
    for (const CounterSeries &series : timeline.counters) {
        Counter &to = *message.add_counters();
        to.set_name(series.name);
        to.set_unit(series.unit);
        to.set_kind(series.kind);
        to.set_maximum(series.maximum);
        to.mutable_times_ns()->Add(series.timesNs.begin(), series.timesNs.end());
        to.mutable_values()->Add(series.values.begin(), series.values.end());
    }
}

namespace {

Result<stagecraft::KernelSpan> kernelFrom(const KernelSpan &span, const stagecraft::Graph &graph, std::size_t stages,
                                          std::size_t streams)
{
    stagecraft::KernelSpan to;
    to.name = span.name();
    for (const std::uint32_t id : span.operators()) {
        if (id >= graph.size())
            return refuse(fmt::format("a kernel of operator {}", id));
        to.operators.push_back(OperatorId{id});
    }
    if (span.stage() >= stages && span.stage() != kOfNoStage)
        return refuse(fmt::format("a kernel of stage {}", span.stage()));
    if (span.stream() >= streams)
        return refuse(fmt::format("a kernel on stream {}", span.stream()));
    if (span.end_ns() < span.start_ns())
        return refuse("a kernel that ends before it begins");
    to.stage = span.stage();
    to.group = span.group();
    to.stream = span.stream();
    to.startNs = span.start_ns();
    to.endNs = span.end_ns();
    std::copy_n(span.grid().begin(), std::min(span.grid_size(), 3), to.grid.begin());
    to.threadsPerBlock = span.threads_per_block();
    to.registersPerThread = span.registers_per_thread();
    to.sharedBytesPerBlock = span.shared_bytes_per_block();
    to.flops = span.flops();
    to.bytes = span.bytes();
    return to;
}

Result<UnitRow> rowFrom(const UnitTasks &message, std::size_t rOperators)
{
    UnitRow row;
    row.units = message.units();
    if (message.start_ns_size() != message.r_operators_size() || message.end_ns_size() != message.r_operators_size())
        return refuse("units without a time for each rTask");
    for (int i = 0; i < message.r_operators_size(); ++i) {
        const UnitTask task{message.r_operators(i), message.start_ns(i), message.end_ns(i)};
        if (task.rOperator >= rOperators || task.endNs < task.startNs)
            return refuse(fmt::format("an rTask of rOperator {}", task.rOperator));
        row.tasks.push_back(task);
    }
    return row;
}

Result<stagecraft::FusedUnits> fusedFrom(const FusedUnits &message, const stagecraft::Graph &graph, std::size_t stages)
{
    stagecraft::FusedUnits fused;
    fused.stage = message.stage();
    if (fused.stage >= stages)
        return refuse(fmt::format("units of stage {}", fused.stage));
    for (const ROperator &rOperator : message.r_operators()) {
        if (rOperator.op() >= graph.size() ||
            rOperator.chosen() >= static_cast<std::uint32_t>(std::max(1, rOperator.r_kernels_size())))
            return refuse(fmt::format("an rOperator of operator {}", rOperator.op()));
        TimedROperator &to = fused.rOperators.emplace_back();
        to.op = OperatorId{rOperator.op()};
        to.chosen = rOperator.chosen();
        for (const RKernel &rKernel : rOperator.r_kernels())
            to.rKernels.push_back({rKernel.name(), rKernel.r_tasks(), rKernel.alone_ns(), rKernel.device_share()});
    }
    for (const UnitTasks &units : message.rows()) {
        TRY_AS(auto row, rowFrom(units, fused.rOperators.size()));
        fused.rows.push_back(std::move(row));
    }
    return fused;
}

} // namespace

Result<stagecraft::Timeline> read(const Timeline &message, const stagecraft::Graph &graph, std::size_t stages)
{
    stagecraft::Timeline timeline;
    timeline.provenance = enumFrom(message.provenance(), Provenance::Simulated).value_or(Provenance::Measured);
    timeline.device = message.device();
    timeline.durationNs = message.duration_ns();
    timeline.streams = message.streams();
    for (const StageSpan &span : message.stages()) {
        if (span.stage() >= stages || span.end_ns() < span.start_ns())
            return refuse(fmt::format("a span of stage {}", span.stage()));
        timeline.stages.push_back({span.stage(), span.start_ns(), span.end_ns()});
    }
    for (const KernelSpan &span : message.kernels()) {
        TRY_AS(auto kernel, kernelFrom(span, graph, stages, timeline.streams));
        timeline.kernels.push_back(std::move(kernel));
    }
    timeline.notes.assign(message.notes().begin(), message.notes().end());
    for (const Counter &series : message.counters()) {
        if (series.times_ns_size() != series.values_size())
            return refuse("a counter without a value for each time");
        timeline.counters.push_back({series.name(),
                                     series.unit(),
                                     series.kind(),
                                     series.maximum(),
                                     {series.times_ns().begin(), series.times_ns().end()},
                                     {series.values().begin(), series.values().end()}});
    }
    for (const FusedUnits &fused : message.fused()) {
        TRY_AS(auto units, fusedFrom(fused, graph, stages));
        timeline.fused.push_back(std::move(units));
    }
    return timeline;
}

} // namespace stagecraft::worker
