#include "desktop/areas/open/opened_schedule.h"

#include "flow/find/measured.h"
#include "flow/open/schedule_file.h"
#include "flow/open_model.h"
#include "results/files/schedule_json.h"
#include "support/text_file.h"

#include <fmt/format.h>

#include <QFile>
#include <QStringList>

namespace stagecraft {
namespace {

// Errors have no path: the caller knows it.
Result<TimedSchedule> scheduleIn(const std::string &file, const Model &model)
{
    auto text = readTextFile(file);
    if (!text) {
        text.error().context.clear();
        return tl::unexpected(text.error());
    }
    return scheduleFromFile(*text, model);
}

Result<OpenedSchedule> measured(const Target &target, const QString &path, const SchedulePtr &embedded,
                                Measurers &measurers, const std::stop_token &stop)
{
    TRY_AS(const auto schedule,
           embedded ? *embedded : scheduleIn(QFile::encodeName(path).toStdString(), *target.model));
    OpenedSchedule read{schedule, schedule};
    if (schedule.isOfProfile() && schedule.context.batch != target.model->graph->batch())
        return fail(ErrorCode::InvalidInput,
                    fmt::format("the latencies of the profile were recorded at batch {}, and {} is open at batch {}",
                                schedule.context.batch, target.model->name, target.model->graph->batch()),
                    fmt::format("Open the model at batch {}", schedule.context.batch));
    if (schedule.isOfProfile())
        return read; // with the latencies that were recorded
    read.measured.context.batch = target.model->graph->batch();
    TRY_AS(auto opened,
           measurers.open(target.model->graph, target.deviceId, Urgency::User, {}, onnxFileOf(*target.model)));
    TRY(measureInto(read.measured, *target.model, *opened.session, opened.device, stop));
    return read;
}

} // namespace

Result<OpenedSchedule> openSchedule(const Target &target, const QString &path, const SchedulePtr &embedded,
                                    Measurers &measurers, const std::stop_token &stop)
{
    auto opened = measured(target, path, embedded, measurers, stop);
    if (!opened)
        opened.error().context.insert(opened.error().context.begin(), path.toStdString());
    return opened;
}

std::optional<Reading> readingOfFile(const QString &path)
{
    const auto text = readTextFile(QFile::encodeName(path).toStdString());
    return text && modelOfSchedule(*text) ? std::optional(readingOfSchedule(*text)) : std::nullopt;
}

QString originText(const OpenedSchedule &opened)
{
    const RunContext &file = opened.file.context;
    const RunContext &here = opened.measured.context;
    QStringList parts;
    if (!file.device.empty() && file.device != here.device)
        parts.push_back(QString::fromStdString(file.device));
    if (file.batch != here.batch)
        parts.push_back(QStringLiteral("batch %1, not %2").arg(file.batch).arg(here.batch));
    if (!file.device.empty() && file.precision != here.precision)
        parts.push_back(QStringLiteral("%1, not %2")
                            .arg(QString::fromStdString(file.precision), QString::fromStdString(here.precision)));
    return parts.join(QStringLiteral(", "));
}

} // namespace stagecraft
