#include "schedule/rtasks/rprogram.h"

#include <algorithm>

namespace stagecraft {

UnitNeeds greediest(const std::vector<ROperator> &rOperators)
{
    UnitNeeds most;
    for (const ROperator &rOperator : rOperators) {
        const UnitNeeds &needs = rOperator.rKernel().needs;
        most.threads = std::max(most.threads, needs.threads);
        most.registersPerThread = std::max(most.registersPerThread, needs.registersPerThread);
        most.sharedBytes = std::max(most.sharedBytes, needs.sharedBytes);
    }
    return most;
}

} // namespace stagecraft
