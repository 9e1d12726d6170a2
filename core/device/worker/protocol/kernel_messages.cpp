// Messages of kernels of a device's own and of their tuning.

#include "device/worker/protocol/messages.h"

namespace stagecraft::worker {

void write(const TunedKernels &kernels, Open &message)
{
    for (const auto &[key, parameters] : kernels) {
        KernelChoice &choice = *message.add_kernels();
        choice.set_key(key);
        choice.mutable_parameters()->Add(parameters.begin(), parameters.end());
    }
}

TunedKernels kernelsOf(const Open &message)
{
    TunedKernels kernels;
    for (const KernelChoice &choice : message.kernels())
        kernels.emplace(choice.key(), KernelParameters(choice.parameters().begin(), choice.parameters().end()));
    return kernels;
}

void write(const std::vector<stagecraft::TunableKernel> &kernels, TunableKernels &message)
{
    for (const stagecraft::TunableKernel &kernel : kernels) {
        TunableKernel &to = *message.add_kernels();
        to.set_key(kernel.key);
        for (const std::string &op : kernel.operators)
            to.add_operators(op);
        for (const stagecraft::KernelAxis &axis : kernel.axes) {
            KernelAxis &values = *to.add_axes();
            values.set_name(axis.name);
            values.mutable_values()->Add(axis.values.begin(), axis.values.end());
        }
        to.mutable_features()->Add(kernel.features.begin(), kernel.features.end());
        to.set_flops(kernel.flops);
    }
}

std::vector<stagecraft::TunableKernel> read(const TunableKernels &message)
{
    std::vector<stagecraft::TunableKernel> kernels;
    for (const TunableKernel &from : message.kernels()) {
        stagecraft::TunableKernel kernel;
        kernel.key = from.key();
        kernel.operators.assign(from.operators().begin(), from.operators().end());
        for (const KernelAxis &axis : from.axes())
            kernel.axes.push_back({axis.name(), {axis.values().begin(), axis.values().end()}});
        kernel.features.assign(from.features().begin(), from.features().end());
        kernel.flops = from.flops();
        kernels.push_back(std::move(kernel));
    }
    return kernels;
}

void write(const stagecraft::KernelTrial &trial, KernelTrial &message)
{
    message.mutable_tuned_us()->Add(trial.tunedUs.begin(), trial.tunedUs.end());
    message.mutable_library_us()->Add(trial.libraryUs.begin(), trial.libraryUs.end());
    message.set_difference(trial.difference);
}

stagecraft::KernelTrial read(const KernelTrial &message)
{
    return {{message.tuned_us().begin(), message.tuned_us().end()},
            {message.library_us().begin(), message.library_us().end()},
            message.difference()};
}

} // namespace stagecraft::worker
