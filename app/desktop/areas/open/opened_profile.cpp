#include "desktop/areas/open/opened_profile.h"

#include "flow/profiled_schedule.h"
#include "flow/profiled_timeline.h"
#include "widgets/base/format.h"

#include <QFile>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {
namespace {

// What is asked of files with these endings elsewhere, before they are large.
constexpr std::array kOtherEndings{".onnx", ".stagecraft", ".schedule.json", ".jsonl"};

QString summaryOf(const TimedSchedule &schedule)
{
    const RecordedProfile &profile = *schedule.measured.profile;
    const double sumUs = profile.mappedUs + profile.unmappedUs;
    return QStringLiteral("%1, %2 on %3, %4 of kernel time mapped to operators")
        .arg(latencyText(schedule.latencyUs().value_or(0)),
             QString::fromUtf8(toString(schedule.measured.provenance.value_or(Provenance::Recorded))),
             QString::fromStdString(schedule.context.device), percentText(sumUs > 0 ? profile.mappedUs / sumUs : 0));
}

} // namespace

Result<OpenedProfile> openProfile(const ModelPtr &model, std::vector<ProfileFile> files, const std::stop_token &stop)
{
    const QString path = QFile::decodeName(files.front().path.c_str());
    TRY_AS(const auto imported, importProfile(*model, std::move(files), stop));
    TRY_AS(auto schedule, profiledSchedule(*model, imported));
    OpenedProfile opened;
    opened.title = QFileInfo(path).baseName();
    opened.timeline = std::make_shared<const TimelineIndex>(
        std::make_shared<const Timeline>(profiledTimeline(*model, imported, schedule)));
    QStringList warnings;
    if (const std::string warning = unmappedWarning(imported, model->name); !warning.empty())
        warnings << QString::fromStdString(warning);
    for (const std::string &note : schedule.measured.profile->notes)
        warnings << QString::fromStdString(note);
    opened.warning = warnings.join(QStringLiteral(". "));
    opened.summary = summaryOf(schedule);
    opened.schedule = std::make_shared<const TimedSchedule>(std::move(schedule));
    return opened;
}

bool mayBeProfile(const QString &path)
{
    return QFileInfo(path).isFile() && std::ranges::none_of(kOtherEndings, [&](const char *ending) {
               return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive);
           });
}

} // namespace stagecraft
