#pragma once

// What ONNX Runtime does with ORT_PARALLEL and no file of streams, beside schedules that are compared on it.

#include "answers/comparison_answers.h"
#include "cli/command_line.h"
#include "flow/compare_in_rounds.h"

#include <optional>
#include <stop_token>

namespace stagecraft {

class OwnStreams {
public:
    // Empty: the device is another one, chooses streams itself, or failed to, which is said.
    [[nodiscard]] static std::optional<OwnStreams> measured(const Model &model, const DeviceInfo &device,
                                                            const std::stop_token &stop);

    // Valid as long as this.
    [[nodiscard]] BesideInRounds beside() const { return {m_once.schedule, *m_device.session}; }
    [[nodiscard]] answers::OnOwnStreams answer(const Comparison &comparison) const;

private:
    OwnStreams(OpenDevice device, FoundSchedule once) : m_device(std::move(device)), m_once(std::move(once)) {}
    [[nodiscard]] static Result<OwnStreams> measuredOn(const std::string &id, const Model &model,
                                                       const std::stop_token &stop);

    OpenDevice m_device;
    FoundSchedule m_once; // measured before there are rounds
};

} // namespace stagecraft
