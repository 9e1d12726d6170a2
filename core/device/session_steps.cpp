#include "device/session_steps.h"

#include <algorithm>

namespace stagecraft {

Result<ScheduleMeasurement> measureStagesAndWhole(DeviceSession &session, const Schedule &schedule,
                                                  std::stop_token stop)
{
    ScheduleMeasurement measurement;
    for (const Stage &stage : schedule.stages) {
        const auto sample = session.measureStage(stage, stop);
        if (!sample)
            return tl::unexpected(sample.error());
        measurement.stages.push_back(*sample);
    }
    const auto whole = session.measureWhole(schedule, std::move(stop));
    if (!whole)
        return tl::unexpected(whole.error());
    measurement.whole = *whole;
    return measurement;
}

Result<const HostTensor *> inputFor(const Tensor &tensor, std::span<const HostTensor> inputs)
{
    const auto given = std::ranges::find(inputs, tensor.name, &HostTensor::name);
    if (given == inputs.end())
        return fail(ErrorCode::WrongUse, "no values are given for input " + tensor.name);
    if (given->shape != tensor.shape || static_cast<std::int64_t>(given->values.size()) != tensor.shape.elements())
        return fail(ErrorCode::WrongUse, "input " + tensor.name + " is " + toString(given->shape) + " but must be " +
                                             toString(tensor.shape));
    return &*given;
}

} // namespace stagecraft
