#include "cli/own_streams.h"

#include "device/onnxruntime/onnxruntime_options.h"
#include "flow/find/baselines_in_rounds.h"
#include "support/error_text.h"

#include <iostream>
#include <utility>

namespace stagecraft {

Result<OwnStreams> OwnStreams::measuredOn(const std::string &id, const Model &model, const std::stop_token &stop)
{
    TRY_AS(auto device, DeviceOption{.id = id}.open(model));
    TRY_AS(auto once, measuredBaseline(ScheduleKind::Sequential, model, *device.session, device.info, stop));
    return OwnStreams(std::move(device), std::move(once));
}

std::optional<OwnStreams> OwnStreams::measured(const Model &model, const DeviceInfo &device,
                                               const std::stop_token &stop)
{
    auto options = onnxRuntimeOptionsFrom(device.id);
    if (!options || std::exchange(options->isParallel, true))
        return std::nullopt;
    auto own = measuredOn(toId(*options), model, stop);
    if (!own && !stop.stop_requested())
        std::cerr << "note: " << toId(*options) << " is left out: " << errorText(own.error()) << '\n';
    return own ? std::optional(std::move(*own)) : std::nullopt;
}

answers::OnOwnStreams OwnStreams::answer(const Comparison &comparison) const
{
    const TimedSchedule &once = m_once.schedule;
    if (!comparison.beside)
        return {m_device.info.id, {.timing = *once.measured.whole}};
    return {m_device.info.id, *comparison.beside, comparison.rounds > 1};
}

} // namespace stagecraft
