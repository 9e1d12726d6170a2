#include "gpu/device/clocks.h"

#include <array>
#include <dlfcn.h>
#include <fmt/format.h>

// NVML has no header in the toolkit's run-time parts; these few declarations are its documented interface.

namespace stagecraft::gpu {
namespace {

using Device = struct NvmlDevice *;

constexpr unsigned kGraphicsClock = 0;
constexpr unsigned kSmClock = 1;
constexpr unsigned kMemoryClock = 2;
constexpr unsigned kGpuTemperature = 0;

struct Unload {
    void operator()(void *library) const { dlclose(library); }
};

} // namespace

struct Clocks::Nvml {
    std::unique_ptr<void, Unload> library;
    Device device = nullptr;
    bool started = false;

    template <typename Function>
    Function *find(const char *name) const
    {
        return library ? reinterpret_cast<Function *>(dlsym(library.get(), name)) : nullptr;
    }

    std::optional<unsigned> clock(const char *function, unsigned type) const
    {
        unsigned value = 0;
        const auto read = find<int(Device, unsigned, unsigned *)>(function);
        return read && read(device, type, &value) == 0 ? std::optional(value) : std::nullopt;
    }

    ~Nvml()
    {
        if (!started)
            return;
        if (const auto stop = find<int()>("nvmlShutdown"))
            stop();
    }
};

Clocks::Clocks(const std::string &pciBusId, const char *library) : m_nvml(std::make_unique<Nvml>())
{
    m_nvml->library.reset(dlopen(library, RTLD_NOW | RTLD_LOCAL));
    const auto start = m_nvml->find<int()>("nvmlInit_v2");
    m_nvml->started = start && start() == 0;
    const auto find = m_nvml->find<int(const char *, Device *)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (!m_nvml->started || !find || find(pciBusId.c_str(), &m_nvml->device) != 0)
        m_nvml->device = nullptr;
}

Clocks::~Clocks() = default;
Clocks::Clocks(Clocks &&) noexcept = default;
Clocks &Clocks::operator=(Clocks &&) noexcept = default;

std::optional<ClockReading> Clocks::read() const
{
    if (!m_nvml->device)
        return std::nullopt;
    const auto sm = m_nvml->clock("nvmlDeviceGetClockInfo", kSmClock);
    const auto memory = m_nvml->clock("nvmlDeviceGetClockInfo", kMemoryClock);
    if (!sm || !memory)
        return std::nullopt;
    ClockReading reading{*sm, *memory, 0, {}};
    reading.temperature = m_nvml->clock("nvmlDeviceGetTemperature", kGpuTemperature).value_or(0);
    using Reasons = int(Device, unsigned long long *);
    auto reasonsOf = m_nvml->find<Reasons>("nvmlDeviceGetCurrentClocksEventReasons");
    if (!reasonsOf)
        reasonsOf = m_nvml->find<Reasons>("nvmlDeviceGetCurrentClocksThrottleReasons");
    unsigned long long reasons = 0;
    if (reasonsOf && reasonsOf(m_nvml->device, &reasons) == 0)
        reading.slowedBy = slowdownText(reasons);
    return reading;
}

std::string Clocks::driverVersion() const
{
    std::array<char, 96> text{};
    const auto read = m_nvml->find<int(char *, unsigned)>("nvmlSystemGetDriverVersion");
    return m_nvml->started && read && read(text.data(), text.size()) == 0 ? text.data() : "";
}

std::string Clocks::policy() const
{
    if (!m_nvml->device)
        return "unknown";
    const auto sm = m_nvml->clock("nvmlDeviceGetApplicationsClock", kGraphicsClock);
    const auto memory = m_nvml->clock("nvmlDeviceGetApplicationsClock", kMemoryClock);
    if (!sm || !memory)
        return "default";
    return fmt::format("application clocks {}/{} MHz", *sm, *memory);
}

ClockRates ClockWatch::read()
{
    const auto reading = m_clocks.read();
    if (!reading)
        return {};
    if (!reading->slowedBy.empty())
        m_slowed = reading;
    return {static_cast<int>(reading->smMHz), static_cast<int>(reading->memoryMHz), reading->slowedBy};
}

std::string ClockWatch::news()
{
    const auto slowed = std::exchange(m_slowed, {});
    if (!slowed || slowed->slowedBy == m_told)
        return {};
    m_told = slowed->slowedBy;
    return fmt::format("the GPU runs slower than it could ({}): SM clock {} MHz, memory {} MHz, {} C", slowed->slowedBy,
                       slowed->smMHz, slowed->memoryMHz, slowed->temperature);
}

std::string slowdownText(unsigned long long reasons)
{
    struct Reason {
        unsigned long long bit;
        const char *text;
    };
    static constexpr std::array<Reason, 6> table{{{0x4, "power limit"},
                                                  {0x8, "hardware slowdown"},
                                                  {0x10, "sync boost"},
                                                  {0x20, "temperature (software)"},
                                                  {0x40, "temperature (hardware)"},
                                                  {0x80, "power brake"}}};
    std::string text;
    for (const Reason &reason : table) {
        if ((reasons & reason.bit) != 0)
            text += (text.empty() ? "" : ", ") + std::string(reason.text);
    }
    return text;
}

} // namespace stagecraft::gpu
