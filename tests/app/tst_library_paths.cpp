// The library search paths of the programs: an empty or relative entry would load libraries from the user's current
// folder.

#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QtTest>

#include <cstring>
#include <elf.h>

using namespace stagecraft::test;

namespace tst_library_paths {

namespace {

template <typename T>
T at(const QByteArray &bytes, quint64 offset)
{
    T value{};
    if (offset + sizeof(T) <= static_cast<quint64>(bytes.size()))
        std::memcpy(&value, bytes.constData() + offset, sizeof value);
    return value;
}

// The RPATH and RUNPATH of a 64-bit ELF file; empty if there is none.
QByteArrayList searchPaths(const QByteArray &bytes)
{
    const auto header = at<Elf64_Ehdr>(bytes, 0);
    QByteArrayList paths;
    for (int i = 0; i < header.e_shnum; ++i) {
        const auto section = at<Elf64_Shdr>(bytes, header.e_shoff + quint64(i) * header.e_shentsize);
        if (section.sh_type != SHT_DYNAMIC)
            continue;
        const auto text = at<Elf64_Shdr>(bytes, header.e_shoff + quint64(section.sh_link) * header.e_shentsize);
        for (quint64 entry = 0; entry < section.sh_size; entry += sizeof(Elf64_Dyn)) {
            const auto dynamic = at<Elf64_Dyn>(bytes, section.sh_offset + entry);
            if (dynamic.d_tag == DT_RUNPATH || dynamic.d_tag == DT_RPATH)
                paths << QByteArray(bytes.constData() + text.sh_offset + dynamic.d_un.d_val);
        }
    }
    return paths;
}

} // namespace

class TestLibraryPaths : public QObject {
    Q_OBJECT

private slots:
    void searchPaths_ofEveryProgram_areAbsolute();
};

void TestLibraryPaths::searchPaths_ofEveryProgram_areAbsolute()
{
    int seen = 0;
    for (const QFileInfo &file : QDir(programPath("")).entryInfoList(QDir::Files)) {
        QFile binary(file.filePath());
        QVERIFY(binary.open(QIODevice::ReadOnly));
        const QByteArray bytes = binary.readAll();
        if (!bytes.startsWith("\x7f"
                              "ELF"))
            continue;
        ++seen;
        for (const QByteArray &path : searchPaths(bytes)) {
            for (const QByteArray &folder : path.split(':'))
                QVERIFY2(folder.startsWith('/') || folder.startsWith("$ORIGIN"),
                         qPrintable(file.fileName() + " looks for libraries in \"" + path + '"'));
        }
    }
    QVERIFY(seen > 0);
}

STAGECRAFT_SUITE(TestLibraryPaths)

} // namespace tst_library_paths
#include "tst_library_paths.moc"
