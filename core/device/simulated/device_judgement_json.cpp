#include "device/simulated/device_judgement_json.h"

#include "support/number_text.h"
#include "support/sha256.h"
#include "timing/simulator_version.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagecraft {

namespace {

using Json = nlohmann::ordered_json;

std::string sumOver(const DeviceDescription &description)
{
    constexpr std::size_t kDigits = 16;
    std::string text = simulatorVersion() + (description.launches == Launches::Graph ? ", graph\n" : "\n");
    for (const DeviceNumber &number : deviceNumbers()) {
        if (const double value = description.*number.member; value != 0)
            text += fmt::format("{}={}\n", number.key, exactText(value));
    }
    return sha256(text).substr(0, kDigits);
}

double rounded(double share)
{
    constexpr double kDigits = 1e4;
    return std::round(share * kDigits) / kDigits;
}

Json errorsJson(std::int64_t kernels, double medianError, double meanError)
{
    return {{"kernels", kernels}, {"median_error", rounded(medianError)}, {"mean_error", rounded(meanError)}};
}

bool isShare(const Json &json)
{
    return json.is_number() && json.get<double>() >= 0;
}

// Whether it has what errorsJson writes.
bool hasErrors(const Json &json)
{
    return json.is_object() && json.value("kernels", Json()).is_number_unsigned() &&
           isShare(json.value("median_error", Json())) && isShare(json.value("mean_error", Json()));
}

bool isJudgement(const Json &json)
{
    return hasErrors(json) && json.value("precision", Json()).is_string() && json.value("files", Json()).is_string() &&
           json.value("numbers", Json()).is_string() && json.value("left_out", Json()).is_boolean() &&
           json.value("families", Json()).is_object();
}

} // namespace

Result<std::vector<DeviceJudgement>> judgementsFrom(const Json &device, const DeviceDescription &description)
{
    std::vector<DeviceJudgement> judgements;
    const auto list = device.find(kJudgedKey);
    if (list == device.end())
        return judgements;
    const auto unreadable = [] {
        return fail(ErrorCode::InvalidInput, std::string(kJudgedKey) + " is not what devices fit writes",
                    "Leave it out: the device then counts as never judged");
    };
    if (!list->is_array())
        return unreadable();
    for (const Json &entry : *list) {
        if (!isJudgement(entry))
            return unreadable();
        if (entry["numbers"] != sumOver(description))
            continue;
        DeviceJudgement judgement{
            {entry["precision"], entry["kernels"], entry["median_error"], entry["mean_error"], entry["left_out"]},
            entry["files"],
            {}};
        for (const auto &[family, errors] : entry["families"].items()) {
            if (!hasErrors(errors))
                return unreadable();
            judgement.families.push_back({family, errors["kernels"], errors["median_error"], errors["mean_error"]});
        }
        judgements.push_back(std::move(judgement));
    }
    return judgements;
}

Json jsonOfJudgements(const DeviceDescription &description)
{
    Json list = Json::array();
    for (const DeviceJudgement &judgement : description.judgements) {
        Json entry{{"precision", judgement.error.precision}, {"files", judgement.files}};
        entry.update(errorsJson(judgement.error.kernels, judgement.error.medianError, judgement.error.meanError));
        entry["left_out"] = judgement.error.isOnLeftOut;
        Json families = Json::object();
        for (const FamilyError &family : judgement.families)
            families[family.family] = errorsJson(family.kernels, family.medianError, family.meanError);
        entry["families"] = std::move(families);
        entry["numbers"] = sumOver(description);
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace stagecraft
