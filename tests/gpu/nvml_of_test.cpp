// A fake NVML, loaded instead of the driver's.

#include "nvml_of_test.h"

PlayedClocks &playedClocks()
{
    static PlayedClocks played;
    return played;
}

extern "C" {

int nvmlInit_v2()
{
    return 0;
}

int nvmlShutdown()
{
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *, void **device)
{
    *device = &playedClocks();
    return 0;
}

// Types as in nvml.h: 0 graphics, 1 SM, 2 memory.
int nvmlDeviceGetClockInfo(void *device, unsigned type, unsigned *value)
{
    auto &played = *static_cast<PlayedClocks *>(device);
    ++played.clockCalls;
    *value = type == 1 ? played.smMHz : type == 2 ? played.memoryMHz : 7;
    return played.status;
}

int nvmlDeviceGetTemperature(void *, unsigned, unsigned *value)
{
    *value = 71;
    return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *reasons)
{
    *reasons = static_cast<PlayedClocks *>(device)->reasons;
    return 0;
}
}
