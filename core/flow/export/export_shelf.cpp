#include "flow/export/export_shelf.h"

#include "export/cpp_project/export_folder.h"
#include "flow/export_results.h"

#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kLongestName = 80; // of a file, without number and extension

// "03-ios-both.csv": letters, digits and hyphens only, so that no name is harmful.
std::string fileName(std::size_t number, const std::string &title, const ExportFormat &format)
{
    std::string name;
    for (const char letter : title) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x80 && std::isalnum(byte) != 0)
            name += static_cast<char>(std::tolower(byte));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    name.resize(std::min(name.size(), kLongestName));
    return fmt::format("{:02}-{}{}", number, name, format.isFolder() ? "" : format.endings.front());
}

bool isTaken(const RatedResult &result, const ExportRequest &wanted)
{
    return !result.schedule->streams || wanted.format->takesStreams(wanted.view);
}

// What a group has for the view, as requests with their titles.
using Titled = std::pair<std::string, ExportRequest>;

Result<std::vector<Titled>> requestsOf(const ShelvedGroup &group, const ExportRequest &wanted,
                                       const TimelineMaker &makeTimeline)
{
    const bool isOfGroup = exportedView(wanted.view).isMeasured;
    std::vector<Titled> requests;
    ExportRequest all = wanted;
    all.model = group.model;
    const ExportRequest empty = all;
    all.baseline = group.baseline;
    for (const RatedResult &result : group.results) {
        if (!result.schedule || !isTaken(result, wanted))
            continue;
        if ((wanted.view == ExportView::Comparison || wanted.view == ExportView::TimeParts) &&
            !result.schedule->latencyUs())
            continue;
        all.results.push_back(result);
        if (exportedView(wanted.view).needsTimeline) {
            auto timeline = makeTimeline(*group.model, *result.schedule);
            if (!timeline)
                return within(result.name, std::move(timeline.error()));
            all.results.back().timeline =
                std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(std::move(*timeline)));
        }
        if (!isOfGroup) {
            ExportRequest one = empty;
            one.results.push_back(result);
            requests.emplace_back(group.settings.model.name + ' ' + result.name, std::move(one));
        }
    }
    if (wanted.view == ExportView::Tradeoff) {
        all.results.clear();
        all.tradeoff = group.tradeoff;
    }
    if (isOfGroup && (!all.results.empty() || !all.tradeoff.empty()))
        requests.emplace_back(group.name(), std::move(all));
    return requests;
}

} // namespace

Result<ExportWritten> exportShelf(const std::vector<ShelvedGroup> &groups, const ExportRequest &wanted,
                                  const std::string &folder, const ExportTools &tools,
                                  const TimelineMaker &makeTimeline, const std::stop_token &stop)
{
    TRY_AS(auto output, ExportFolder::create(folder));
    ExportWritten written;
    for (const ShelvedGroup &group : groups) {
        for (const RatedResult &result : group.results) {
            if (!result.schedule)
                written.leftOut.push_back(result.name + ": " + result.whyNot);
            else if (!isTaken(result, wanted))
                written.leftOut.push_back(result.name + ": it has streams, and this takes stages");
        }
        if (!group.model)
            continue;
        TRY_AS(const auto requests, requestsOf(group, wanted, makeTimeline));
        for (const auto &[title, request] : requests) {
            const std::string name = fileName(written.names.size() + 1, title, *wanted.format);
            const auto one = exportResults(request, (output.beside() / name).string(), tools, stop);
            if (!one)
                return within(title, one.error());
            for (const std::string &remark : one->remarks)
                written.remarks.push_back(fmt::format("{}: {}", name, remark));
            written.names.push_back(name);
        }
    }
    if (written.names.empty())
        return refused(fmt::format("the shelf has nothing to export as {}", toString(wanted.view)),
                       "Search in the window and save the session again");
    TRY_AS(const auto published, output.publish());
    written.files = published.files;
    written.bytes = published.bytes;
    return written;
}

} // namespace stagecraft
