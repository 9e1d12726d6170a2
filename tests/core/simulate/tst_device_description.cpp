#include "simulate/device_description.h"
#include "simulate/embedded_devices.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

using namespace stagecraft;

namespace {

std::string v100Text()
{
    return toJson(*findDeviceDescription("v100"));
}

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    return text.replace(text.find(what), what.size(), with);
}

} // namespace

class TestDeviceDescription : public QObject {
    Q_OBJECT

private slots:
    void builtIn_everyEmbeddedText_reads()
    {
        for (const std::string_view text : embeddedDeviceTexts())
            QVERIFY(deviceDescriptionFromJson(text).has_value());
        QStringList names;
        for (const DeviceDescription &description : builtInDeviceDescriptions()) {
            names << QString::fromStdString(description.name);
            QVERIFY(!description.calibration.empty());
        }
        QCOMPARE(names, (QStringList{"v100", "k80", "2080ti", "a100", "h100", "h200"}));
    }

    void toJson_readAgain_isTheSame()
    {
        for (const DeviceDescription &description : builtInDeviceDescriptions())
            QCOMPARE(*deviceDescriptionFromJson(toJson(description)), description);
    }

    void fromJson_badText_isRefusedByKey_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("named");
        const QString good = QString::fromStdString(v100Text());
        const auto row = [&](const char *name, const char *what, const char *with, const char *named) {
            QVERIFY(good.contains(what));
            QTest::newRow(name) << QString(good).replace(what, with) << named;
        };
        QTest::newRow("no json") << "{"
                                 << "JSON";
        QTest::newRow("other json") << "[1, 2]"
                                    << "not a device description";
        row("version", "\"version\": 1", "\"version\": 2", "version");
        row("zero", "\"sm_count\": 80.0", "\"sm_count\": 0", "sm_count");
        row("negative", "\"sm_clock_mhz\": 1530.0", "\"sm_clock_mhz\": -1", "sm_clock_mhz");
        row("fraction", "\"sm_count\": 80.0", "\"sm_count\": 80.5", "sm_count");
        row("text", "\"sm_count\": 80.0", "\"sm_count\": \"80\"", "sm_count");
        row("huge", "\"sm_count\": 80.0", "\"sm_count\": 1e300", "sm_count");
        row("missing", "\"l2_kib\"", "\"sources\"", "l2_kib");
        row("unknown", "\"l2_kib\"", "\"l2_mib\"", "l2_mib");
        row("no name", "\"name\": \"v100\"", "\"name\": \"\"", "name");
    }

    void fromJson_badText_isRefusedByKey()
    {
        QFETCH(QString, text);
        QFETCH(QString, named);
        const Result<DeviceDescription> description = deviceDescriptionFromJson(text.toStdString());
        QVERIFY(!description.has_value());
        QCOMPARE(description.error().code, ErrorCode::InvalidInput);
        QVERIFY2(description.error().message.find(named.toStdString()) != std::string::npos,
                 description.error().message.c_str());
    }

    void find_userFile_reads()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("mine.json").toStdString();
        std::ofstream(path) << replaced(v100Text(), "\"sm_count\": 80.0", "\"sm_count\": 40");
        const Result<DeviceDescription> description = findDeviceDescription(path);
        QVERIFY(description.has_value());
        QCOMPARE(description->smCount, 40.0);
    }

    void find_badUserFile_namesTheFile()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("mine.json").toStdString();
        std::ofstream(path) << "{}";
        const Result<DeviceDescription> description = findDeviceDescription(path);
        QVERIFY(!description.has_value());
        QCOMPARE(description.error().context, std::vector<std::string>{path});
    }

    void find_unknownName_listsTheKnown()
    {
        const Result<DeviceDescription> description = findDeviceDescription("v200");
        QVERIFY(!description.has_value());
        QCOMPARE(description.error().code, ErrorCode::WrongUse);
        QVERIFY(description.error().remedy.find("v100, k80") != std::string::npos);
    }

    void withChanges_halfTheSms_saysSo()
    {
        const std::vector<std::pair<std::string, double>> changes{{"sm_count", 40}, {"dram_gb_per_second", 1800}};
        const Result<DeviceDescription> changed = withChanges(*findDeviceDescription("v100"), changes);
        QVERIFY(changed.has_value());
        QCOMPARE(changed->smCount, 40.0);
        QCOMPARE(changed->dramGbPerSecond, 1800.0);
        QVERIFY(changed->name != "v100");
        QVERIFY(changed->calibration.find("sm_count = 40 instead of 80") != std::string::npos);
        QCOMPARE(changed->title, std::string("NVIDIA Tesla V100 SXM2 with 40 SMs, DRAM bandwidth 1800 GB/s"));
    }

    void whatIfName_changes_readBack()
    {
        const WhatIf whatIf{"v100", {{"sm_count", 40}, {"gemm_efficiency", 0.1 + 0.2}, {"registers_per_sm", 1e6}}};
        const Result<WhatIf> read = readWhatIfName(whatIfName(whatIf));
        QVERIFY(read.has_value());
        QVERIFY(*read == whatIf);
        QVERIFY(*findDeviceDescription(whatIfName(whatIf)) ==
                *withChanges(*findDeviceDescription("v100"), whatIf.changes));
        QCOMPARE(whatIfName({"v100", {}}), std::string("v100"));
    }

    void findDeviceDescription_badWhatIf_isRefused_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"v100*", "v100*sm_count", "v100*sm_count=", "v100*sm_count=4x", "v100*sms=4",
                                 "v100*sm_count=0", "v200*sm_count=4", "v100*sm_count=4,"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void findDeviceDescription_badWhatIf_isRefused()
    {
        QFETCH(QString, name);
        QVERIFY(!findDeviceDescription(name.toStdString()).has_value());
    }

    void withChanges_unknownOrBad_isRefused()
    {
        const std::vector<std::pair<std::string, double>> unknown{{"sms", 40}};
        const std::vector<std::pair<std::string, double>> bad{{"sm_count", -1}};
        QCOMPARE(withChanges(*findDeviceDescription("v100"), unknown).error().code, ErrorCode::WrongUse);
        QVERIFY(withChanges(*findDeviceDescription("v100"), bad).error().message.find("sm_count") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestDeviceDescription)
#include "tst_device_description.moc"
