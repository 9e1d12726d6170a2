#include "desktop/kept/recent_files.h"

#include "model/union/model_union.h"

#include <QFileInfo>
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

QString shortSpec(const QString &spec)
{
    const auto specs = specsOfUnion(spec.toStdString());
    if (specs.empty())
        return QFileInfo(spec).fileName();
    QStringList names;
    for (const std::string &each : specs)
        names << QFileInfo(QString::fromStdString(each)).fileName();
    return names.join(QStringLiteral(" + "));
}

} // namespace stagecraft
