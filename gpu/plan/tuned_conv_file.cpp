#include "gpu/plan/tuned_conv_file.h"

#include "support/input_file.h"
#include "support/output_file.h"
#include "support/user_folders.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <utility>

namespace stagecraft::gpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "stagecraft-engines";
constexpr int kVersion = 1;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20U;

Json json(const TunedConv &tuned, const std::string &key)
{
    Json choices = Json::array();
    for (const TunedConv::Choice &choice : tuned.choices) {
        Json made{{"alone_us", choice.aloneUs}};
        if (choice.engine) {
            made["engine"] = choice.engine->engine;
            made["knobs"] = choice.engine->knobs;
            made["fused"] = choice.engine->fused;
            made["packs_x"] = choice.packsX;
            made["packs_y"] = choice.packsY;
        } else {
            made["kernel"] = choice.kernel;
        }
        choices.push_back(std::move(made));
    }
    return {{"conv", key},
            {"choices", choices},
            {"tried", tuned.tried},
            {"seconds", tuned.seconds},
            {"compiled_offered", tuned.compiled.offered},
            {"compiled_tried", tuned.compiled.tried},
            {"compile_seconds", tuned.compiled.seconds}};
}

// Throws nlohmann's exceptions for what is missing or of another type.
TunedConv tunedFrom(const Json &line)
{
    TunedConv tuned;
    for (const Json &from : line.at("choices")) {
        TunedConv::Choice &choice = tuned.choices.emplace_back();
        choice.aloneUs = from.at("alone_us").get<double>();
        if (from.contains("kernel")) {
            choice.kernel = from.at("kernel").get<std::string>();
            continue;
        }
        choice.engine = EngineId{from.at("engine").get<std::int64_t>(),
                                 from.at("knobs").get<std::vector<EngineId::Knob>>(), from.at("fused").get<bool>()};
        choice.packsX = from.at("packs_x").get<bool>();
        choice.packsY = from.at("packs_y").get<bool>();
    }
    tuned.tried = line.at("tried").get<int>();
    tuned.seconds = line.at("seconds").get<double>();
    tuned.compiled = {line.at("compiled_offered").get<int>(), line.at("compiled_tried").get<int>(),
                      line.at("compile_seconds").get<double>()};
    return tuned;
}

} // namespace

TunedConvFile::TunedConvFile(std::filesystem::path file, std::string fingerprint)
    : m_file(std::move(file)), m_fingerprint(std::move(fingerprint))
{
    m_known = read();
}

TunedConvFile::Known TunedConvFile::read()
{
    std::error_code error;
    if (m_file.empty() || !std::filesystem::exists(m_file, error))
        return {};
    const auto ignored = [&](const std::string &why) {
        m_notice = fmt::format("engines that were chosen before are not used, {} {}: convolutions are tuned again",
                               m_file.string(), why);
        return Known{};
    };
    const auto text = readInputFile(m_file, kMostBytes);
    if (!text)
        return ignored(fmt::format("cannot be read ({})", text.error().message));
    Known known;
    std::istringstream lines(*text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        try {
            const Json read = Json::parse(line);
            if (number > 1) {
                known.insert_or_assign(read.at("conv").get<std::string>(), tunedFrom(read));
                continue;
            }
            if (read.at("format") != kFormat || read.at("version") != kVersion)
                return ignored("is of another version");
            if (read.at("fingerprint") != m_fingerprint)
                return ignored("is of another device or driver");
        } catch (const Json::exception &) {
            return ignored(fmt::format("is damaged in line {}", number));
        }
    }
    return number == 0 ? ignored("is empty") : known;
}

const TunedConv *TunedConvFile::find(const std::string &key)
{
    const auto found = m_known.find(key);
    return found == m_known.end() ? nullptr : &found->second;
}

void TunedConvFile::add(const std::string &key, TunedConv tuned)
{
    m_known.insert_or_assign(key, std::move(tuned));
    if (m_file.empty())
        return;
    const std::string notice = std::exchange(m_notice, {});
    for (auto &[other, theirs] : read()) // of another process, since
        m_known.try_emplace(other, std::move(theirs));
    m_notice = notice; // a file that is not used was told before
    std::string text = Json{{"format", kFormat}, {"version", kVersion}, {"fingerprint", m_fingerprint}}.dump() + '\n';
    for (const auto &[conv, known] : m_known)
        text += json(known, conv).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    std::string why;
    if (const std::error_code error = makePrivateFolders(m_file.parent_path()))
        why = error.message();
    else if (const auto written = writeFile(m_file, text, Flush::Later); !written)
        why = written.error().message;
    if (!why.empty() && std::exchange(m_isWritten, false))
        m_notice += fmt::format("{}chosen engines cannot be kept: {}", m_notice.empty() ? "" : "; ", why);
}

std::string TunedConvFile::takeNotice()
{
    return std::exchange(m_notice, {});
}

} // namespace stagecraft::gpu
