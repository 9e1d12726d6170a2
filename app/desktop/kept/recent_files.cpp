#include "desktop/kept/recent_files.h"

#include <QSettings>

namespace stagecraft {
namespace {

constexpr qsizetype kMost = 10;

QString key()
{
    return QStringLiteral("recentFiles");
}

} // namespace

QStringList recentFiles()
{
    return QSettings().value(key()).toStringList();
}

void addRecentFile(const QString &spec)
{
    QStringList files = recentFiles();
    files.removeAll(spec);
    files.prepend(spec);
    QSettings().setValue(key(), files.mid(0, kMost));
}

void clearRecentFiles()
{
    QSettings().remove(key());
}

} // namespace stagecraft
