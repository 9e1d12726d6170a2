#include "desktop/kept/recent_files.h"

#include <QSettings>

namespace stagecraft {
namespace {

constexpr qsizetype kMostRecent = 10;

QString recentKey()
{
    return QStringLiteral("recentFiles");
}

} // namespace

QStringList recentFiles()
{
    return QSettings().value(recentKey()).toStringList();
}

void addRecentFile(const QString &spec)
{
    QStringList files = recentFiles();
    files.removeAll(spec);
    files.prepend(spec);
    QSettings().setValue(recentKey(), files.mid(0, kMostRecent));
}

void clearRecentFiles()
{
    QSettings().remove(recentKey());
}

} // namespace stagecraft
