#include "device/worker/protocol/messages.h"

#include "device/worker/protocol/message_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft::worker {

void write(const stagecraft::Stage &stage, Stage &message)
{
    message.set_block(stage.block);
    message.set_merge(stage.strategy == Strategy::Merge);
    for (const auto &group : stage.groups) {
        Group &to = *message.add_groups();
        for (const OperatorId id : group)
            to.add_operators(id.value);
    }
}

Result<stagecraft::Stage> read(const Stage &message, const stagecraft::Graph &graph)
{
    stagecraft::Stage stage;
    stage.block = message.block();
    stage.strategy = message.merge() ? Strategy::Merge : Strategy::Concurrent;
    for (const Group &group : message.groups()) {
        stage.groups.emplace_back();
        for (const std::uint32_t id : group.operators()) {
            if (id >= graph.size())
                return refuse(fmt::format("operator {} is not in the graph", id));
            stage.groups.back().push_back(OperatorId{id});
        }
    }
    return stage;
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
    message.set_id(info.id);
    message.set_title(info.title);
    message.set_provenance(static_cast<int>(info.provenance));
    message.set_available(info.available);
    message.set_unavailable_reason(info.unavailableReason);
    message.set_fingerprint(info.fingerprint);
    message.set_calibration(info.calibration);
    message.set_precision(info.precision);
    for (const auto &[name, value] : info.facts) {
        Fact &fact = *message.add_facts();
        fact.set_name(name);
        fact.set_value(value);
    }
}

stagecraft::DeviceInfo read(const DeviceInfo &message)
{
    stagecraft::DeviceInfo info;
    info.id = message.id();
    info.title = message.title();
    info.provenance = enumFrom(message.provenance(), Provenance::Simulated).value_or(Provenance::Measured);
    info.available = message.available();
    info.unavailableReason = message.unavailable_reason();
    info.fingerprint = message.fingerprint();
    info.calibration = message.calibration();
    info.precision = message.precision();
    for (const Fact &fact : message.facts())
        info.facts.emplace_back(fact.name(), fact.value());
    return info;
}

void write(const Timing &timing, Sample &message)
{
    message.set_mean_us(timing.meanUs);
    message.set_median_us(timing.latencyUs);
    message.set_stddev_us(timing.stddevUs);
    message.set_runs(std::max(timing.runs, 1));
    message.set_clock_mhz(timing.clocks.coreMhz);
    message.set_memory_clock_mhz(timing.clocks.memoryMhz);
    message.set_slowed_by(timing.clocks.slowedBy);
}

Timing read(const Sample &message)
{
    return {message.median_us(),
            message.mean_us(),
            message.stddev_us(),
            message.runs() > 1 ? message.runs() : 0,
            {std::max(message.clock_mhz(), 0), std::max(message.memory_clock_mhz(), 0), message.slowed_by()}};
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
