#include "device/worker/protocol/messages.h"

#include "device/device_record.h"
#include "device/worker/protocol/message_parts.h"
#include "device/worker/protocol/message_record.h"
#include "timing/timing_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft::worker {
namespace {

Result<std::vector<OperatorId>> operatorsFrom(const google::protobuf::RepeatedField<std::uint32_t> &ids,
                                              const stagecraft::Graph &graph)
{
    std::vector<OperatorId> operators;
    for (const std::uint32_t id : ids) {
        if (id >= graph.size())
            return refuse(fmt::format("operator {} is not in the graph", id));
        operators.push_back(OperatorId{id});
    }
    return operators;
}

} // namespace

void write(const stagecraft::ModelFile &file, ModelFile &message)
{
    message.set_path(file.path);
    message.set_sha256(file.sha256);
    message.set_units(std::string(toString(file.reading.units)));
    for (const std::string &pass : file.reading.without)
        message.add_without(pass);
    for (const auto &[input, sizes] : file.reading.sizes) {
        InputSizes &one = *message.add_sizes();
        one.set_name(input);
        one.mutable_sizes()->Add(sizes.begin(), sizes.end());
    }
    for (const auto &[op, parts] : file.reading.splits) {
        OperatorSplit &one = *message.add_splits();
        one.set_name(op);
        one.set_parts(parts);
    }
    for (const std::string &op : file.reading.splitByRows)
        message.add_split_by_rows(op);
    for (const std::string &op : file.reading.apart)
        message.add_apart(op);
}

Result<stagecraft::ModelFile> read(const ModelFile &message)
{
    const auto units = unitsFromString(message.units());
    if (!units)
        return refuse("units " + message.units());
    stagecraft::ModelFile file{message.path(), message.sha256(), {.units = *units}};
    file.reading.without.insert(message.without().begin(), message.without().end());
    for (const InputSizes &one : message.sizes())
        file.reading.sizes[one.name()].assign(one.sizes().begin(), one.sizes().end());
    for (const OperatorSplit &one : message.splits())
        file.reading.splits[one.name()] = one.parts();
    file.reading.splitByRows.insert(message.split_by_rows().begin(), message.split_by_rows().end());
    file.reading.apart.insert(message.apart().begin(), message.apart().end());
    return file;
}

void write(const stagecraft::Stage &stage, Stage &message)
{
    message.set_block(stage.block);
    message.set_merge(stage.isMerged());
    message.set_fused(stage.isFused());
    for (const auto &group : stage.groups) {
        Group &to = *message.add_groups();
        for (const OperatorId id : group)
            to.add_operators(id.value);
    }
    for (const OperatorId id : stage.launchOrder)
        message.add_launch_order(id.value);
}

Result<stagecraft::Stage> read(const Stage &message, const stagecraft::Graph &graph)
{
    stagecraft::Stage stage;
    stage.block = message.block();
    stage.strategy = message.fused() ? Strategy::Fused : message.merge() ? Strategy::Merge : Strategy::Concurrent;
    for (const Group &group : message.groups()) {
        TRY_AS(auto operators, operatorsFrom(group.operators(), graph));
        stage.groups.push_back(std::move(operators));
    }
    TRY_AS(auto order, operatorsFrom(message.launch_order(), graph));
    stage.launchOrder = std::move(order);
    return stage;
}

void write(const stagecraft::Schedule &schedule, Schedule &message)
{
    for (const stagecraft::Stage &stage : schedule.stages)
        write(stage, *message.add_stages());
    if (!schedule.streams)
        return;
    Streams &streams = *message.mutable_streams();
    streams.set_count(schedule.streams->count);
    for (const StreamLaunch &launch : schedule.streams->launches) {
        Launch &to = *streams.add_launches();
        for (const OperatorId id : launch.operators)
            to.add_operators(id.value);
        to.set_stream(launch.stream);
        to.mutable_waits()->Add(launch.waits.begin(), launch.waits.end());
    }
}

Result<stagecraft::Schedule> read(const Schedule &message, const stagecraft::Graph &graph)
{
    stagecraft::Schedule schedule;
    for (const Stage &stage : message.stages()) {
        TRY_AS(auto made, read(stage, graph));
        schedule.stages.push_back(std::move(made));
    }
    if (!message.has_streams())
        return schedule;
    stagecraft::Streams &streams = schedule.streams.emplace();
    streams.count = message.streams().count();
    for (const Launch &launch : message.streams().launches()) {
        TRY_AS(auto operators, operatorsFrom(launch.operators(), graph));
        streams.launches.push_back(
            {std::move(operators), launch.stream(), {launch.waits().begin(), launch.waits().end()}});
    }
    return schedule;
}

void write(const PythonStatements &statements, PythonGraph &message)
{
    for (const std::string &name : statements.tensors)
        message.add_tensors(name);
    for (const PythonStatements::Constant &constant : statements.constants) {
        PythonConstant &to = *message.add_constants();
        to.set_name(constant.name);
        to.set_op(constant.op.value);
        to.set_parameter(static_cast<std::uint32_t>(constant.parameter));
    }
    for (const auto &lines : statements.operators)
        message.add_operators()->mutable_lines()->Assign(lines.begin(), lines.end());
}

void write(const PythonMergeStatements &statements, PythonMerge &message)
{
    message.mutable_lines()->Assign(statements.lines.begin(), statements.lines.end());
    message.set_weight(statements.weight);
    message.set_bias(statements.bias);
    message.set_axis(static_cast<std::uint32_t>(statements.axis));
}

void write(const stagecraft::HostTensor &tensor, HostTensor &message)
{
    message.set_name(tensor.name);
    write(tensor.shape, *message.mutable_shape());
    message.set_type(static_cast<int>(tensor.type));
    if (tensor.type == DataType::Float32)
        message.set_values(bytesOf(tensor.values));
    else
        message.set_values(tensor.bytes.data(), tensor.bytes.size());
}

Result<stagecraft::HostTensor> read(const HostTensor &message)
{
    stagecraft::HostTensor tensor{message.name(), shapeFrom(message.shape()), {}};
    TRY_AS(const auto type, enumFrom(message.type(), DataType::UInt64));
    tensor.type = type;
    if (tensor.type != DataType::Float32) {
        const std::string &bytes = message.values();
        if (static_cast<std::int64_t>(bytes.size()) != tensor.shape.elements() * sizeBytes(tensor.type))
            return refuse("values that do not match their shape");
        const auto all = std::as_bytes(std::span(bytes));
        tensor.bytes.assign(all.begin(), all.end());
        return tensor;
    }
    TRY_AS(auto values, floatsFrom(message.values(), tensor.shape));
    tensor.values = std::move(values);
    return tensor;
}

void write(const stagecraft::DeviceInfo &info, DeviceInfo &message)
{
    writeMembers(info, message);
    for (const auto &[name, value] : info.facts) {
        Fact &fact = *message.add_facts();
        fact.set_name(name);
        fact.set_value(value);
    }
}

stagecraft::DeviceInfo read(const DeviceInfo &message)
{
    stagecraft::DeviceInfo info;
    readMembers(message, info);
    info.provenance = enumFrom(message.provenance(), Provenance::Simulated).value_or(Provenance::Measured);
    for (const Fact &fact : message.facts())
        info.facts.emplace_back(fact.name(), fact.value());
    return info;
}

void write(const Timing &timing, Sample &message)
{
    writeMembers(timing, message);
    message.set_runs(std::max(timing.runs, 1));
}

Result<Timing> read(const Sample &message)
{
    Timing timing;
    readMembers(message, timing);
    for (const double us : {timing.latencyUs, timing.meanUs, timing.stddevUs}) {
        if (!std::isfinite(us) || us < 0)
            return refuse(fmt::format("a latency of {} us", us));
    }
    if (timing.runs <= 1)
        timing.runs = 0;
    timing.clocks.coreMhz = std::max(timing.clocks.coreMhz, 0);
    timing.clocks.memoryMhz = std::max(timing.clocks.memoryMhz, 0);
    return timing;
}

void write(const stagecraft::DeviceWait &wait, Heartbeat &message)
{
    message.set_waiting(true);
    writeMembers(wait, message);
}

stagecraft::DeviceWait read(const Heartbeat &message)
{
    stagecraft::DeviceWait wait;
    readMembers(message, wait);
    return wait;
}

void write(const Error &error, Failure &message)
{
    message.set_code(static_cast<int>(error.code));
    message.set_message(error.message);
    message.set_remedy(error.remedy);
    for (const std::string &link : error.context)
        message.add_context(link);
}

Error read(const Failure &message)
{
    return {enumFrom(message.code(), ErrorCode::Cancelled).value_or(ErrorCode::DeviceFailed),
            message.message(),
            message.remedy(),
            {message.context().begin(), message.context().end()}};
}

} // namespace stagecraft::worker
