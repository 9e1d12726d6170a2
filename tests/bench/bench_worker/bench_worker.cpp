// The time for a request to the worker and back if the device answers at once.

#include "app/worker/faulty_device.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

int main()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const Stage stage = stageOf(*graph, "fine");
    std::vector<double> timesUs;
    for (int i = 0; i < 3000; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        if (!session->stageLatency(stage, {}))
            return 1;
        timesUs.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::sort(timesUs);
    std::printf("round trip: least %.1f us, median %.1f us, 99 %% %.1f us\n", timesUs.front(),
                timesUs[timesUs.size() / 2], timesUs[timesUs.size() * 99 / 100]);
    return 0;
}
