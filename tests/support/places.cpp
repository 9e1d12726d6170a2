#include "support/places.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace stagecraft::test {
namespace {

QDir buildFolder()
{
    return QDir(QFileInfo(QStringLiteral("/proc/self/exe")).canonicalPath() + "/..");
}

QString sourceFolder()
{
    const QString said = qEnvironmentVariable("STAGECRAFT_SOURCE_DIR");
    if (!said.isEmpty())
        return said;
    QFile cache(buildFolder().filePath(QStringLiteral("CMakeCache.txt")));
    if (cache.open(QIODevice::ReadOnly)) {
        const QByteArray key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
        while (!cache.atEnd()) {
            const QByteArray line = cache.readLine().trimmed();
            if (line.startsWith(key))
                return QString::fromUtf8(line.mid(key.size()));
        }
    }
    qFatal("STAGECRAFT_SOURCE_DIR does not say where the sources are");
}

} // namespace

QString sourcePath(const QString &path)
{
    return path.isEmpty() ? sourceFolder() : sourceFolder() + '/' + path;
}

QString programPath(const QString &name)
{
    return QDir::cleanPath(buildFolder().filePath("bin/" + name));
}

QString testProgramPath(const QString &name)
{
    return QDir::cleanPath(buildFolder().filePath("tests/" + name));
}

} // namespace stagecraft::test
