#pragma once

// What every export of a folder refuses, as rows of a test with the columns arguments, says and status. In its folder
// are "other.json", a schedule of another model than sample, and nothing else.

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QtTest>

namespace stagecraft::test {

inline void addFolderRefusals(const QByteArray &format)
{
    const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says, int status) {
        QTest::newRow(name) << arguments << says << status;
    };
    row("a schedule of another model", {"sample", "other.json", "-o", "net"}, "other.json", 3);
    row("a file name", {"sample", "greedy", "-o", "net.json"},
        "net.json: the format " + format + " writes a folder, not a file. Name a new folder", 2);
    row("standard output", {"sample", "greedy", "-o", "-"}, "-: the format " + format + " writes a folder", 2);
    row("nowhere", {"sample", "greedy", "-o", "nowhere/net"},
        "nowhere/net: the folder cannot be written: No such file or directory. Check", 3);
    row("this folder", {"sample", "greedy", "-o", "."}, ".: the folder cannot be written: it has no name of its own",
        3);
    row("unwritable", {"sample", "greedy", "-o", "/proc/net2"}, "/proc/net2: the folder cannot be written: ", 3);
    row("another view", {"sample", "greedy", "--view", "timeline", "-o", "net"},
        "--view: " + format + " has no view timeline", 2);
    row("two schedules", {"sample", "greedy", "sequential", "-o", "net"}, "the view schedule shows one schedule", 2);
}

} // namespace stagecraft::test
