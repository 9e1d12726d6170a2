#pragma once

// Converts core values to protocol messages and back. Messages come from another process: reading checks every index
// and size.

#include "device/device.h"
#include "device/worker/python_statements.h"

#include <worker.pb.h>

namespace stagecraft::worker {

inline constexpr std::uint32_t kVersion = 7;

void write(const stagecraft::Graph &graph, Graph &message);
[[nodiscard]] Result<stagecraft::Graph> read(const Graph &message);

void write(const stagecraft::ModelFile &file, ModelFile &message);
// InvalidInput: units that there are not.
[[nodiscard]] Result<stagecraft::ModelFile> read(const ModelFile &message);

void write(const stagecraft::Stage &stage, Stage &message);
// InvalidInput: an operator the graph does not have.
[[nodiscard]] Result<stagecraft::Stage> read(const Stage &message, const stagecraft::Graph &graph);

// Without its layouts. The same errors.
void write(const stagecraft::Schedule &schedule, Schedule &message);
[[nodiscard]] Result<stagecraft::Schedule> read(const Schedule &message, const stagecraft::Graph &graph);

void write(const PythonStatements &statements, PythonGraph &message);
void write(const PythonMergeStatements &statements, PythonMerge &message);

void write(const stagecraft::HostTensor &tensor, HostTensor &message);
[[nodiscard]] Result<stagecraft::HostTensor> read(const HostTensor &message);

void write(const stagecraft::DeviceInfo &info, DeviceInfo &message);
[[nodiscard]] stagecraft::DeviceInfo read(const DeviceInfo &message);

// Unknown runs are sent as 1, for compatibility. InvalidInput: a latency that is no time.
void write(const Timing &timing, Sample &message);
[[nodiscard]] Result<Timing> read(const Sample &message);

void write(const stagecraft::Timeline &timeline, Timeline &message);
// Of a schedule with so many stages. InvalidInput: operators, stages or streams that there are not, spans that end
// before they begin, counters without a value for each time.
[[nodiscard]] Result<stagecraft::Timeline> read(const Timeline &message, const stagecraft::Graph &graph,
                                                std::size_t stages);

// One that says what it waits for.
void write(const stagecraft::DeviceWait &wait, Heartbeat &message);
[[nodiscard]] stagecraft::DeviceWait read(const Heartbeat &message);

void write(const TunedKernels &kernels, Open &message);
[[nodiscard]] TunedKernels kernelsOf(const Open &message);
void write(const std::vector<stagecraft::TunableKernel> &kernels, TunableKernels &message);
[[nodiscard]] std::vector<stagecraft::TunableKernel> read(const TunableKernels &message);
void write(const stagecraft::KernelTrial &trial, KernelTrial &message);
[[nodiscard]] stagecraft::KernelTrial read(const KernelTrial &message);

void write(const Error &error, Failure &message);
[[nodiscard]] Error read(const Failure &message);

} // namespace stagecraft::worker
