#include "measure/tuned_device.h"

#include "support/sha256.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stagecraft {
namespace {

std::string digestOf(const TunedKernels &kernels)
{
    std::string text;
    for (const auto &[key, parameters] : kernels)
        text += fmt::format("{}={};", key, fmt::join(parameters, " "));
    constexpr std::size_t kDigits = 16;
    return sha256(text).substr(0, kDigits);
}

class TunedDevice : public Device {
public:
    TunedDevice(std::unique_ptr<Device> device, TunedKernels kernels)
        : m_device(std::move(device)), m_tuned(std::make_shared<const TunedKernels>(std::move(kernels))),
          m_info(m_device->info())
    {
        m_info.fingerprint += fmt::format("kernels={};", digestOf(*m_tuned));
        m_info.facts.emplace_back("tuned kernels", fmt::format("{}", m_tuned->size()));
    }

    DeviceInfo info() const override { return m_info; }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        passOnSettings(*m_device);
        m_device->setKernels(m_tuned);
        return m_device->open(std::move(graph));
    }

private:
    std::unique_ptr<Device> m_device;
    std::shared_ptr<const TunedKernels> m_tuned;
    DeviceInfo m_info;
};

Result<TunedKernels> kernelsAt(const std::string &path, const std::string &fingerprint,
                               const StoreErrorHandler &onError)
{
    TRY_AS(auto store, LatencyStore::open(path));
    tellNotice(store, onError);
    TRY_AS(const auto stored, store.kernels(fingerprint));
    TunedKernels kernels;
    for (const StoredKernel &kernel : stored) {
        if (!kernel.parameters.empty())
            kernels.emplace(kernel.key, kernel.parameters);
    }
    return kernels;
}

} // namespace

std::unique_ptr<Device> tunedDevice(std::unique_ptr<Device> device, const std::string &path,
                                    const StoreErrorHandler &onError)
{
    std::error_code none;
    const DeviceInfo info = device->info();
    if (info.fingerprint.empty() || !std::filesystem::exists(path, none))
        return device;
    auto kernels = kernelsAt(path, info.fingerprint, onError);
    if (!kernels && onError)
        onError(kernels.error());
    if (!kernels || kernels->empty())
        return device;
    return std::make_unique<TunedDevice>(std::move(device), std::move(*kernels));
}

} // namespace stagecraft
