#include "desktop/areas/open/named_files.h"

#include "export/file_kind.h"

#include <QFile>
#include <QFileInfo>
#include <QLatin1String>

namespace stagecraft {
namespace {

constexpr QLatin1String kScheduleEnding(".schedule.json");
constexpr QLatin1String kJsonEnding(".json");

} // namespace

bool isSchedule(const QString &path)
{
    return path.endsWith(kScheduleEnding, Qt::CaseInsensitive) ||
           (path.endsWith(kJsonEnding, Qt::CaseInsensitive) &&
            fileKindOf(QFile::encodeName(path).toStdString()) == FileKind::Schedule);
}

bool mayBeDevice(const QString &path)
{
    return path.endsWith(QStringLiteral(".jsonl"), Qt::CaseInsensitive) ||
           path.endsWith(kJsonEnding, Qt::CaseInsensitive);
}

QString scheduleName(const QString &path)
{
    QString name = QFileInfo(path).fileName();
    name.chop(path.endsWith(kScheduleEnding, Qt::CaseInsensitive) ? kScheduleEnding.size() : 0);
    return name;
}

} // namespace stagecraft
