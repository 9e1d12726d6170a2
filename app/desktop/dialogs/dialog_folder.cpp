#include "desktop/dialogs/dialog_folder.h"

#include "model/model_reader.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStringList>

namespace stagecraft {
namespace {

QString settingsKey()
{
    return QStringLiteral("folder");
}

} // namespace

QString dialogFolder()
{
    const QString kept = QSettings().value(settingsKey()).toString();
    return !kept.isEmpty() && QFileInfo(kept).isDir() ? kept : QDir::homePath();
}

void keepDialogFolder(const QString &file)
{
    QSettings().setValue(settingsKey(), QFileInfo(file).absolutePath());
}

QString modelPatterns()
{
    QStringList patterns;
    for (const std::string &ending : modelEndings())
        patterns << QStringLiteral("*") + QString::fromStdString(ending);
    return patterns.join(QLatin1Char(' '));
}

} // namespace stagecraft
