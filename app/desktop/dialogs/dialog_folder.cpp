#include "desktop/dialogs/dialog_folder.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

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

} // namespace stagecraft
