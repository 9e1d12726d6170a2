#include "flow/kit/kit_recording.h"

#include "support/input_file.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::string_view kRecorded = "rec:";
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 30;

} // namespace

Result<RecordedLatencies> readKitRecording(const std::string &deviceId, const Model &model)
{
    if (!deviceId.starts_with(kRecorded))
        return fail(ErrorCode::WrongUse, fmt::format("{} is no recording, and --kit-next goes on from one", deviceId),
                    "Give -d rec:FILE with the .latencies.jsonl file that the kit wrote");
    const std::string path = deviceId.substr(kRecorded.size());
    const auto text = readInputFile(path, kMaxFileBytes, ReadFrom::FilesAndPipes);
    if (!text)
        return within(path, text.error());
    auto recording = recordedLatenciesFromText(*text);
    if (!recording)
        return within(path, std::move(recording.error()));
    const std::string &hash = recording->kit ? recording->kit->modelHash : std::string();
    if (!hash.empty() && !model.sha256.empty() && hash != model.sha256)
        return within(path, Error{ErrorCode::WrongUse,
                                  fmt::format("it was recorded for another file of {}, or one that was read in another "
                                              "way, than {}",
                                              recording->model, model.source),
                                  "Open the model that the kit was written for, with the same options",
                                  {}});
    if (recording->batch != model.graph->batch())
        return within(path, Error{ErrorCode::WrongUse,
                                  fmt::format("it was recorded at batch {}, the model is at batch {}", recording->batch,
                                              model.graph->batch()),
                                  fmt::format("Open the model with --batch {}", recording->batch),
                                  {}});
    return recording;
}

} // namespace stagecraft
