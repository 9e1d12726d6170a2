// Which reader opens what, and what is said where none does. The formats themselves have suites of their own.

#include "model/built_in.h"
#include "model/model_reader.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stagecraft;

namespace tst_model_reader {

class TestModelReader : public QObject {
    Q_OBJECT

private slots:
    void sniff_everyName_isOfOneReader();
    void readModel_everyBuiltIn_isRead();
    void readModel_batch_isThatOfTheOptions();
    void readModel_fileOfAnotherKind_isRefusedWithTheFormats();
    void readModel_unknownName_isRefusedWithTheNames();
    void readModel_missingFile_isRefusedByItsReader();
};

void TestModelReader::sniff_everyName_isOfOneReader()
{
    std::vector<std::string> texts{"net.onnx", "folder/net.json", "/a/b.c/net.onnx"};
    for (const BuiltInNetwork &network : builtInNetworks())
        texts.emplace_back(network.name);
    for (const std::string &text : texts)
        QCOMPARE(std::ranges::count_if(modelReaders(), [&](const ModelReader &reader) { return reader.sniff(text); }),
                 1);
    for (const std::string text : {"", "net", "net.txt", "net.onnx.bak", "sample.pt"})
        QVERIFY(std::ranges::none_of(modelReaders(), [&](const ModelReader &reader) { return reader.sniff(text); }));
}

void TestModelReader::readModel_everyBuiltIn_isRead()
{
    for (const BuiltInNetwork &network : builtInNetworks()) {
        const auto source = readModel({std::string(network.name)});
        QVERIFY(source && source->graph.size() > 0 && source->graph.batch() == 1 && !source->sha256.empty());
    }
}

void TestModelReader::readModel_batch_isThatOfTheOptions()
{
    const auto source = readModel({.spec = "sample", .batch = 4});
    QVERIFY(source);
    QCOMPARE(source->graph.batch(), std::int64_t{4});
}

void TestModelReader::readModel_fileOfAnotherKind_isRefusedWithTheFormats()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("weights.bin");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("text") == 4);
    const auto source = readModel({path.toStdString()});
    QVERIFY(!source && source.error().code == ErrorCode::InvalidInput);
    QCOMPARE(source.error().context, std::vector<std::string>{path.toStdString()});
    QCOMPARE(source.error().message, std::string("this kind of file is not a model"));
    QCOMPARE(source.error().remedy, std::string("Open an .onnx file or an IOS .json graph"));
}

void TestModelReader::readModel_unknownName_isRefusedWithTheNames()
{
    const auto source = readModel({"inception_v4"});
    QVERIFY(!source && source.error().code == ErrorCode::WrongUse);
    QCOMPARE(source.error().message, std::string("there is no built-in network and no file named inception_v4"));
    QVERIFY(source.error().remedy.find("inception_v3") != std::string::npos);
    QCOMPARE(readModel({""}).error().message, std::string("the name of the model is empty"));
}

void TestModelReader::readModel_missingFile_isRefusedByItsReader()
{
    for (const char *name : {"/nowhere/net.onnx", "/nowhere/net.json"}) {
        const auto source = readModel({name});
        QVERIFY(!source && source.error().code == ErrorCode::InvalidInput);
        QCOMPARE(source.error().context.front(), std::string(name));
    }
}

STAGECRAFT_SUITE(TestModelReader)

} // namespace tst_model_reader
#include "tst_model_reader.moc"
