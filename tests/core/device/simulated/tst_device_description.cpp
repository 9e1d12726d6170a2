#include "device/simulated/device_description.h"
#include "device/simulated/embedded_devices.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

using namespace stagecraft;

namespace tst_device_description {

namespace {

std::string v100Text()
{
    return toJson(*findDeviceDescription("v100"));
}

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    return text.replace(text.find(what), what.size(), with);
}

DeviceDescription judged()
{
    DeviceDescription device = *findDeviceDescription("v100");
    device.judgements = {
        {{"fp32", 12, 0.12, 0.2, true}, "mine.csv", {{"conv WINOGRAD", 7, 0.1, 0.15}, {"conv other", 5, 0.25, 0.3}}}};
    return device;
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

    // Files of earlier versions lack some numbers.
    void fromJson_numbersThatMayBeLeftOut_areNothing()
    {
        QStringList kept;
        for (const QString &line : QString::fromStdString(v100Text()).split('\n')) {
            if (!line.contains("int8_fma") && !line.contains("block_latency_us") && !line.contains("conv_efficiency"))
                kept << line;
        }
        const auto read = deviceDescriptionFromJson(kept.join('\n').toStdString());
        QVERIFY(read.has_value());
        for (const double number :
             {read->int8FmaPerClockPerSm, read->blockLatencyUs, read->convEfficiency, read->tensorConvEfficiency})
            QCOMPARE(number, 0.0);
        QCOMPARE(read->gemmEfficiency, findDeviceDescription("v100")->gemmEfficiency);
    }

    void fromJson_badText_isRefusedByKey_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("remedy");
        const QString good = QString::fromStdString(v100Text());
        const auto row = [&](const char *name, const char *what, const char *with, const char *message,
                             const char *remedy) {
            QVERIFY2(good.contains(what), name);
            QTest::newRow(name) << QString(good).replace(what, with) << message << remedy;
        };
        QTest::newRow("nothing") << ""
                                 << "not JSON: line 1, column 1"
                                 << "JSON";
        QTest::newRow("other json") << "[1, 2]"
                                    << "not a device description"
                                    << "stagecraft-device";
        row("no comma", "\"version\": 1,", "\"version\": 1", "not JSON: line 4, column 8", "comma");
        row("NaN", "\": 1530", "\": NaN", "not JSON: line 9, column 19", "NaN");
        row("beyond a double", "\": 1530", "\": 1e999", "a number is too large", "range");
        const QByteArray nested = QByteArray(300'000, '[') + QByteArray(300'000, ']');
        row("lists without end", "\": 1530", ("\": " + nested).constData(), "nested lists", "text or a number");
        row("version", "\"version\": 1", "\"version\": 2", "version is 2", "version 1");
        row("zero", "\": 1530", "\": 0", "sm_clock_mhz is 0", "Give the SM clock in MHz, from 50 to 10000");
        row("GHz", "\": 1530", "\": 1.53", "sm_clock_mhz is 1.53", "in MHz");
        row("negative", "\"sm_count\": 80", "\"sm_count\": -80", "sm_count is -80", "from 1 to 1024");
        row("fraction", "\"sm_count\": 80", "\"sm_count\": 80.5", "sm_count is 80.5", "a whole number");
        row("text", "\": 1530", "\": \"1530 MHz\"", "sm_clock_mhz is \"1530 MHz\", not a number", "without its unit");
        row("object", "\": 1530", "\": {\"value\": 1530}", "sm_clock_mhz is {\"value\":1530}, not a number", "in MHz");
        row("truth", "\": 1530", "\": true", "sm_clock_mhz is true, not a number", "in MHz");
        row("huge", "\"sm_count\": 80", "\"sm_count\": 1e300", "sm_count is 1e+300", "from 1 to 1024");
        row("missing", "\"l2_kib\": 6144,", "", "l2_kib is missing", "Give the L2 cache in KiB, from 64");
        row("twice", "\"sm_count\": 80,", "\"sm_count\": 80, \"sm_count\": 40,", "sm_count occurs twice", "one");
        row("unknown", "\"l2_kib\"", "\"l2_mib\"", "l2_mib is not known", "l2_kib");
        row("empty name", "\"name\": \"v100\"", "\"name\": \"\"", "name is empty", "\"name\": ");
        row("no name", "\"name\": \"v100\",", "", "name is missing", "\"name\": ");
        row("changed name", "\"name\": \"v100\"", "\"name\": \"v100*\"", "name is v100*", "without *");
    }

    void fromJson_badText_isRefusedByKey()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        QFETCH(QString, remedy);
        const Result<DeviceDescription> description = deviceDescriptionFromJson(text.toStdString());
        QVERIFY(!description.has_value());
        QCOMPARE(description.error().code, ErrorCode::InvalidInput);
        QVERIFY2(description.error().message.find(message.toStdString()) != std::string::npos,
                 description.error().message.c_str());
        QVERIFY2(description.error().remedy.find(remedy.toStdString()) != std::string::npos,
                 description.error().remedy.c_str());
        QVERIFY(description.error().message.size() < 100);
    }

    // A device from a file cannot be mistaken for the one it was copied from.
    void find_userFile_isMarkedAsTheFiles()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("mine.json").toStdString();
        const DeviceDescription v100 = *findDeviceDescription("v100");
        std::ofstream(path) << replaced(deviceFileText(v100, path), "\"sm_count\": 80", "\"sm_count\": 40");
        const Result<DeviceDescription> description = findDeviceDescription(path);
        QVERIFY(description.has_value());
        QCOMPARE(description->smCount, 40.0);
        QCOMPARE(description->name, std::string("mine"));
        QCOMPARE(description->title, std::string("NVIDIA Tesla V100 SXM2, from mine.json"));
        QCOMPARE(description->calibration, "as mine.json says, " + v100.calibration);
        QCOMPARE(description->sources, v100.sources);
    }

    void find_userFileWithEmptyCalibration_saysThatNoneIsKnown()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("mine.json").toStdString();
        const DeviceDescription v100 = *findDeviceDescription("v100");
        std::ofstream(path) << replaced(deviceFileText(v100, path), v100.calibration, "");
        const Result<DeviceDescription> description = findDeviceDescription(path);
        QVERIFY2(description, description ? "" : description.error().message.c_str());
        QCOMPARE(description->calibration, std::string("unknown, mine.json does not say"));
    }

    void find_userFileWithABuiltInName_isRefused()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("v100.json").toStdString();
        std::ofstream(path) << v100Text();
        const Error error = findDeviceDescription(path).error();
        QCOMPARE(error.code, ErrorCode::InvalidInput);
        QCOMPARE(error.context.front(), path);
        QCOMPARE(error.message, std::string("name is v100, which comes with the program"));
        QVERIFY(!error.remedy.empty());
        std::ofstream(path) << deviceFileText(*findDeviceDescription("v100"), path);
        QCOMPARE(findDeviceDescription(path)->name, std::string("my-v100"));
    }

    void find_fileThatIsTooLarge_isRefused()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("large.json").toStdString();
        std::ofstream(path) << std::string(2 << 20, ' ');
        QVERIFY(findDeviceDescription(path).error().message.find("too large") != std::string::npos);
    }

    void deviceFileText_whatIf_readsBackWithItsNumbers()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("half.json").toStdString();
        const DeviceDescription changed = *findDeviceDescription("v100*sm_count=40,barrier_us=0.123456789");
        std::ofstream(path) << deviceFileText(changed, path);
        const DeviceDescription read = *findDeviceDescription(path);
        for (const DeviceNumber &number : deviceNumbers())
            QCOMPARE(read.*number.member, changed.*number.member);
        QVERIFY(read.calibration.find("sm_count = 40 instead of 80") != std::string::npos);
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
        for (const char *name :
             {"v100*", "v100*sm_count", "v100*sm_count=", "v100*sm_count=4x", "v100*sms=4", "v100*sm_count=0",
              "v200*sm_count=4", "v100*sm_count=4,", "v100*launch_us=1e999", "v100*launch_us=nan"})
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

    void judgements_writtenAndRead_areOfTheseNumbersAlone()
    {
        const DeviceDescription device = judged();
        const std::string text = toJson(device);
        QCOMPARE(*deviceDescriptionFromJson(text), device);

        DeviceDescription changed = device;
        changed.gemmEfficiency *= 0.9;
        const std::string entry = text.substr(text.find("\"judged\""));
        const std::string moved = toJson(changed);
        QVERIFY(deviceDescriptionFromJson(moved.substr(0, moved.find("\"judged\"")) + entry)->judgements.empty());
        const auto renamed = deviceDescriptionFromJson(replaced(text, R"("name": "v100")", R"("name": "mine")"));
        QCOMPARE(renamed->judgements, device.judgements);

        const std::vector<DeviceChange> fewer{{"sm_count", 40}};
        const std::vector<DeviceChange> same{{"sm_count", 80}};
        QVERIFY(withChanges(device, fewer)->judgements.empty());
        QCOMPARE(withChanges(device, same)->judgements, device.judgements);
    }

    void judgements_notWhatIsWritten_areRefused_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("with");
        QTest::newRow("an object") << R"("judged": [)"
                                   << R"("judged": {"all": [)";
        QTest::newRow("no precision") << R"("precision": "fp32",)"
                                      << "";
        QTest::newRow("text for a share") << R"("median_error": 0.12)"
                                          << R"("median_error": "small")";
        QTest::newRow("a negative share") << R"("median_error": 0.12)"
                                          << R"("median_error": -1)";
        QTest::newRow("no count") << R"("kernels": 12)"
                                  << R"("kernels": -2)";
        QTest::newRow("a family without its count") << R"("kernels": 7,)"
                                                    << "";
    }

    void judgements_notWhatIsWritten_areRefused()
    {
        QFETCH(const QString, what);
        QFETCH(const QString, with);
        std::string text = toJson(judged());
        QVERIFY2(text.find(what.toStdString()) != std::string::npos, text.c_str());
        text = replaced(text, what.toStdString(), with.toStdString());
        if (with.endsWith("{\"all\": ["))
            text.insert(text.rfind(']') + 1, "}");
        const auto read = deviceDescriptionFromJson(text);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().message, "judged is not what devices fit writes");
    }

    void calibratedNumbers_areWhatIsFitted()
    {
        QCOMPARE(calibratedNumbers().front().key, "launch_us");
        QCOMPARE(calibratedNumbers().back().key, deviceNumbers().back().key);
    }
};

STAGECRAFT_SUITE(TestDeviceDescription)

} // namespace tst_device_description
#include "tst_device_description.moc"
