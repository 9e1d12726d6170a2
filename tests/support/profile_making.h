#pragma once

// Profiles of other programs, made for tests: small files in their formats, and values.

#include "device/recorded/profiles/profile.h"
#include "device/recorded/profiles/profile_reader.h"

#include <QByteArray>
#include <QFile>
#include <QString>
#include <QTemporaryDir>

#include <string>
#include <vector>

namespace stagecraft::test {

// The profile in files with these contents.
inline Result<Profile> readContents(const std::vector<QByteArray> &contents)
{
    const QTemporaryDir folder;
    std::vector<std::string> paths;
    for (const QByteArray &content : contents) {
        const QString path = folder.filePath(QString("profile%1").arg(paths.size() + 1));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("a test could not write its profile");
        paths.push_back(path.toStdString());
    }
    return readProfile(paths);
}

// A trace of the PyTorch profiler with these events, a line each.
inline QByteArray pytorchTrace(const std::vector<QByteArray> &events)
{
    QByteArray text =
        R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU of a test"}], "traceEvents": [)"
        "\n";
    for (std::size_t i = 0; i < events.size(); ++i)
        text += (i == 0 ? "" : ",\n") + events[i];
    return text + "\n]}";
}

// Times in microseconds, as text.
inline QByteArray pytorchKernel(const QByteArray &name, const QByteArray &ts, const QByteArray &dur, int stream = 7,
                                const QByteArray &args = {})
{
    return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": 7, "ts": )" + ts +
           R"(, "dur": )" + dur + R"(, "args": {"device": 0, "stream": )" + QByteArray::number(stream) +
           (args.isEmpty() ? "" : ", " + args) + "}}";
}

// On the host, in a category.
inline QByteArray pytorchSpan(const QByteArray &category, const QByteArray &name, int ts, int dur,
                              const QByteArray &args = {})
{
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": 9, "tid": 9, "ts": )" +
           QByteArray::number(ts) + R"(, "dur": )" + QByteArray::number(dur) + R"(, "args": {)" + args + "}}";
}

// "the context: the reason" of an error.
inline QString errorOf(const Error &error)
{
    std::string text;
    for (const std::string &link : error.context)
        text += link + ": ";
    return QString::fromStdString(text + error.message);
}

} // namespace stagecraft::test
