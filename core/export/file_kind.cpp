#include "export/file_kind.h"

#include "model/onnx_export.h"
#include "support/input_file.h"
#include "support/output_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

constexpr std::size_t kBeginningBytes = std::size_t{1} << 16U; // enough to tell every kind
constexpr std::uintmax_t kMaxOnnxBytes = std::uintmax_t{256} << 20U;

struct Beginning {
    std::string text;
    std::uintmax_t fileBytes = 0;
};

std::optional<Beginning> beginningOf(const std::string &path)
{
    auto file = OpenedFile::open(path, UINTMAX_MAX);
    if (!file)
        return std::nullopt;
    Beginning beginning{std::string(kBeginningBytes, '\0'), file->sizeBytes()};
    std::size_t size = 0;
    while (size < kBeginningBytes) {
        const auto count = file->read(beginning.text.data() + size, kBeginningBytes - size);
        if (!count)
            return std::nullopt;
        if (*count == 0)
            break;
        size += *count;
    }
    beginning.text.resize(size);
    return beginning;
}

// The keys at the top of a JSON document, as far as it is read, and its "format".
class TopOfJson : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit TopOfJson(const std::string &text)
    {
        (void)nlohmann::json::sax_parse(text, this, nlohmann::json::input_format_t::json, false);
    }

    [[nodiscard]] FileKind kind() const
    {
        for (const auto &[format, known] : {std::pair{"stagecraft-schedule", FileKind::Schedule},
                                            std::pair{"stagecraft-latencies", FileKind::Latencies},
                                            std::pair{"stagecraft-layout-costs", FileKind::LayoutCosts},
                                            std::pair{"stagecraft-device", FileKind::DeviceDescription},
                                            std::pair{"stagecraft-session", FileKind::Session}}) {
            if (m_format == format)
                return known;
        }
        if (m_keys.contains("traceEvents") || (m_isList && m_keysOfMembers.contains("ph")))
            return FileKind::ChromeTrace;
        if (m_keys.contains("results") && (m_keysOfMembers.contains("bgColor") || m_keys.contains("gradient")))
            return FileKind::NodeData;
        const bool hasNodes = m_keysOfMembers.contains("inner_nodes") || m_keysOfMembers.contains("exit_node");
        return m_keys.contains("blocks") && hasNodes ? FileKind::IosJson : FileKind::Other;
    }

    bool key(string_t &name) override
    {
        if (m_depth == 1 && !m_isList)
            m_keys.insert(name);
        if (m_depth == (m_isList ? 2 : 3)) // of the objects in a list
            m_keysOfMembers.insert(name);
        m_isFormat = m_depth == 1 && name == "format";
        return true;
    }
    bool string(string_t &value) override
    {
        if (m_isFormat)
            m_format = value;
        return !m_isFormat; // it says everything
    }
    bool start_object(std::size_t /*size*/) override { return enter(); }
    bool start_array(std::size_t /*size*/) override
    {
        m_isList = m_isList || m_depth == 0;
        return enter();
    }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool null() override { return plain(); }
    bool boolean(bool /*value*/) override { return plain(); }
    bool number_integer(number_integer_t /*value*/) override { return plain(); }
    bool number_unsigned(number_unsigned_t /*value*/) override { return plain(); }
    bool number_float(number_float_t /*value*/, const string_t & /*text*/) override { return plain(); }
    bool binary(binary_t & /*value*/) override { return plain(); }
    bool parse_error(std::size_t /*at*/, const std::string & /*token*/,
                     const nlohmann::json::exception & /*error*/) override
    {
        return false; // cut short: what was read counts
    }

private:
    bool plain()
    {
        m_isFormat = false;
        return true;
    }
    bool enter()
    {
        ++m_depth;
        return plain();
    }
    bool leave()
    {
        --m_depth;
        return m_depth > 0;
    }

    int m_depth = 0;
    bool m_isList = false;
    bool m_isFormat = false;
    std::string m_format;
    std::set<std::string> m_keys;
    std::set<std::string> m_keysOfMembers;
};

// A message of Protocol Buffers without its description: the fields that it has at the top, as far as they are read.
// Empty: it is no such message, or it is cut short.
struct TopField {
    std::uint64_t number = 0;
    std::uint64_t wireType = 0;
};

std::optional<std::vector<TopField>> topFields(const Beginning &file)
{
    constexpr std::uint64_t kVarint = 0;
    constexpr std::uint64_t kBytes = 2;
    std::uintmax_t at = 0;
    const auto varint = [&]() -> std::optional<std::uint64_t> {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && at < file.text.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(file.text[at++]);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80U) == 0)
                return value;
        }
        return std::nullopt;
    };
    std::vector<TopField> fields;
    while (at < file.text.size()) {
        const auto tag = varint();
        const auto value = tag ? varint() : std::nullopt; // the number, or the length
        if (!value)
            return at >= file.text.size() && file.text.size() < file.fileBytes ? std::optional(fields) : std::nullopt;
        const TopField field{*tag >> 3U, *tag & 7U};
        if (field.wireType == kBytes && *value > file.fileBytes - at)
            return std::nullopt;
        if (field.wireType == kBytes)
            at += *value;
        else if (field.wireType != kVarint)
            return std::nullopt;
        fields.push_back(field);
    }
    return fields;
}

// ModelProto of onnx.proto.
bool isOnnx(const std::vector<TopField> &fields)
{
    constexpr std::array<std::uint64_t, 2> kNumbers{1, 5}; // ir_version, model_version
    constexpr std::array<std::uint64_t, 10> kTexts{2, 3, 4, 6, 7, 8, 14, 20, 25, 26};
    constexpr std::uint64_t kGraph = 7;
    const auto isKnown = [&](const TopField &field) {
        return field.wireType == 0 ? std::ranges::find(kNumbers, field.number) != kNumbers.end()
                                   : std::ranges::find(kTexts, field.number) != kTexts.end();
    };
    return std::ranges::all_of(fields, isKnown) && std::ranges::find(fields, kGraph, &TopField::number) != fields.end();
}

// Trace of perfetto_trace.proto: packets only.
bool isPerfettoTrace(const std::vector<TopField> &fields)
{
    return !fields.empty() &&
           std::ranges::all_of(fields, [](const TopField &field) { return field.number == 1 && field.wireType == 2; });
}

// Line by line; the last one may be cut short.
std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// The tables of export/schedule_tables.h, export/view_tables.h and export/study_tables.h.
bool isCsv(std::string_view text)
{
    constexpr std::array<std::string_view, 7> kBeginnings{
        "stage,block,strategy,",     "schedule,latency_us,", "schedule,stage,stream,",     "schedule,part,",
        "operator,type,block,reads", "strategy,r,s,",        "\"run on / made for, us\",",
    };
    return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// Headings, each with at most one paragraph and one table: nothing else.
bool isMarkdown(std::string_view text)
{
    const auto lines = linesOf(text);
    std::size_t at = 0;
    while (at < lines.size()) {
        if (lines.size() < at + 4 || !lines[at].starts_with("## ") || !lines[at + 1].empty())
            return false;
        const std::size_t table = lines[at + 2].starts_with("| ") ? at + 2 : at + 4;
        if (lines.size() < table + 2 || (table == at + 4 && !lines[at + 3].empty()))
            return false;
        const std::string_view rule = lines[table + 1];
        if (!(rule.starts_with("| :--- |") || rule.starts_with("| ---: |")) ||
            rule.find_first_not_of("| :-") != std::string_view::npos)
            return false;
        at = table;
        while (at < lines.size() && lines[at].starts_with("|"))
            ++at;
        if (at < lines.size() && (!lines[at].empty() || ++at == lines.size()))
            return false;
    }
    return !lines.empty();
}

bool isDot(std::string_view text)
{
    const auto lines = linesOf(text);
    return lines.size() > 2 && lines[0].starts_with("digraph \"") && lines[1].starts_with("  label=\"") &&
           lines[2].starts_with("  node [shape=box");
}

bool isSvg(std::string_view text)
{
    const std::size_t root = text.find("<svg");
    return root != std::string_view::npos &&
           (root == 0 || (text.starts_with("<?xml") && text.substr(0, root).find("<html") == std::string_view::npos));
}

// Also one of the first versions, in which the style follows the title.
bool isReport(std::string_view text)
{
    constexpr std::string_view kTitleEnd = ": schedules</title>\n";
    const std::size_t at = text.find(kTitleEnd);
    if (at == std::string_view::npos ||
        !text.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"))
        return false;
    const std::string_view next = text.substr(at + kTitleEnd.size());
    return next.starts_with("<style>") || next.starts_with("<meta name=\"viewport\"");
}

FileKind kindOf(const Beginning &file)
{
    const std::string &text = file.text;
    if (text.starts_with("\x89PNG\r\n\x1a\n"))
        return FileKind::Png;
    if (text.starts_with("%PDF-"))
        return FileKind::Pdf;
    if (text.starts_with("\x93NUMPY"))
        return FileKind::Npy;
    if (const std::size_t first = text.find_first_not_of(" \t\r\n");
        first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
        if (const FileKind kind = TopOfJson(text).kind(); kind != FileKind::Other)
            return kind;
    }
    if (isSvg(text))
        return FileKind::Svg;
    if (isReport(text))
        return FileKind::Report;
    if (text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"stagecraft compare\""))
        return FileKind::JUnit;
    if (isCsv(text))
        return FileKind::Csv;
    if (isMarkdown(text))
        return FileKind::Markdown;
    if (isDot(text))
        return FileKind::Dot;
    if (const auto fields = topFields(file)) {
        if (isOnnx(*fields))
            return FileKind::Onnx;
        if (isPerfettoTrace(*fields))
            return FileKind::PerfettoTrace;
    }
    return FileKind::Other;
}

// Whether the ONNX file keeps weights in a file of this name beside it: an entry "location" of external_data.
bool keepsWeightsIn(const std::string &path, const std::string &name)
{
    if (fileKindOf(path) != FileKind::Onnx || name.size() > 0x7f)
        return false;
    const auto bytes = readInputFile(path, kMaxOnnxBytes);
    return bytes && bytes->find(std::string("\x0a\x08location\x12") + static_cast<char>(name.size()) + name) !=
                        std::string::npos;
}

} // namespace

std::string_view nameOf(FileKind kind)
{
    switch (kind) {
    case FileKind::Schedule: return "a schedule file";
    case FileKind::IosJson: return "a graph of the IOS project";
    case FileKind::ChromeTrace: return "a Chrome trace";
    case FileKind::PerfettoTrace: return "a Perfetto trace";
    case FileKind::NodeData: return "node data of Model Explorer";
    case FileKind::Latencies: return "recorded latencies";
    case FileKind::LayoutCosts: return "costs of layouts";
    case FileKind::DeviceDescription: return "a description of a device";
    case FileKind::Session: return "a session";
    case FileKind::Onnx: return "an ONNX model";
    case FileKind::Npy: return "an array (.npy)";
    case FileKind::Csv: return "a table of this program (CSV)";
    case FileKind::Markdown: return "a table of this program (Markdown)";
    case FileKind::Dot: return "a graph of this program (DOT)";
    case FileKind::Svg: return "an SVG picture";
    case FileKind::Pdf: return "a PDF document";
    case FileKind::Png: return "a PNG picture";
    case FileKind::Report: return "a report of this program (HTML)";
    case FileKind::JUnit: return "a report of tests of this program (JUnit)";
    case FileKind::Other: break;
    }
    return "something else";
}

FileKind fileKindOf(const std::string &path)
{
    const auto beginning = beginningOf(path);
    return beginning ? kindOf(*beginning) : FileKind::Other;
}

FileKind fileKindOfText(const std::string &text)
{
    return kindOf({text.substr(0, kBeginningBytes), text.size()});
}

Result<void> refuseReplacing(const std::string &path, FileKind by)
{
    if (!replacesContent(path))
        return {};
    const FileKind there = fileKindOf(path);
    if (there == by)
        return {};
    return within(path, fail(ErrorCode::WrongUse,
                             fmt::format("the file is not replaced: it is {}, not {}", nameOf(there), nameOf(by)),
                             "Name another file, or replace this one with --force")
                            .value());
}

Result<void> refuseReplacingWeights(const std::string &path)
{
    const std::filesystem::path data = dataFileOf(path);
    if (!replacesContent(data) || keepsWeightsIn(path, data.filename().string()))
        return {};
    return within(data.string(), Error{ErrorCode::WrongUse,
                                       "the file is not replaced: it does not have the weights of an ONNX model beside "
                                       "it, which would go there",
                                       "Name another file to write, or replace this one with --force",
                                       {}});
}

} // namespace stagecraft
