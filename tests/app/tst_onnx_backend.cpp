// ONNX's own backend tests, from PyPI's onnx: each is executed correctly or refused by name, none is wrong, none ends a
// process. Needs a Python with onnx: STAGECRAFT_PYTHON, or build/peers, which packaging/test.sh creates; skipped with
// the reason if there is none.

#include "model/onnx/convert/convert.h"
#include "operators/schema.h"
#include "support/operator_rows.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"

#include <QProcess>
#include <QTest>

#include <map>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_onnx_backend {

namespace {

// The lines that a script prints; none if it fails.
QStringList printedBy(const QString &python, const QString &script)
{
    QProcess process;
    process.start(python, {"-c", script});
    const bool isDone = process.waitForFinished(120'000) && process.exitCode() == 0;
    return isDone ? QString::fromUtf8(process.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts) : QStringList();
}

} // namespace

class TestOnnxBackend : public QObject {
    Q_OBJECT

private slots:
    void run_everyBackendTest_isRightOrRefusedByName_data();
    void run_everyBackendTest_isRightOrRefusedByName();
    void knownAttributes_everySchemaOfExecutedOperators_isListedOrRefused();
    void defaults_everySchema_areOfTheTypeOfTheAttribute();
    void operands_everySchemaFromOpset7_fitTheTable();
};

void TestOnnxBackend::run_everyBackendTest_isRightOrRefusedByName_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("as they are") << QStringList();
    QTest::newRow("with constants") << QStringList("--constants");
}

void TestOnnxBackend::run_everyBackendTest_isRightOrRefusedByName()
{
    QFETCH(const QStringList, options);
    const QString python = test::pythonWith("onnx, numpy");
    if (python.isEmpty())
        QSKIP("there is no Python with onnx; packaging/test.sh installs it");
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python,
                  QStringList{sourcePath("tests/app/onnx_backend_tests.py"), programPath("stagecraft-cli")} + options);
    QVERIFY(process.waitForFinished(880'000));
    const QByteArray report = process.readAll();
    qInfo().noquote() << report;
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(report.contains(" right, "));
}

// Over all versions of the schemas: unknown attributes are refused by name, including those of a newer package.
// Broadcasts from before opset 7 are resolved when the file is read (convert.cpp).
void TestOnnxBackend::knownAttributes_everySchemaOfExecutedOperators_isListedOrRefused()
{
    const QString python = test::pythonWith("onnx");
    if (python.isEmpty())
        QSKIP("there is no Python with onnx; packaging/test.sh installs it");
    const QStringList lines = printedBy(python, R"(
import onnx.defs
for schema in onnx.defs.get_all_schemas_with_history():
    old = {"consumed_inputs"}
    if "broadcast" in schema.attributes:
        old |= {"broadcast", "axis"}
    if schema.domain == "":
        print(schema.name, *(name for name in schema.attributes if schema.since_version >= 7 or name not in old))
)");
    std::map<std::string, std::set<std::string>> schemas;
    for (const QString &line : lines) {
        const QStringList words = line.split(' ');
        auto &attributes = schemas[words.front().toStdString()];
        for (const QString &attribute : words.mid(1))
            attributes.insert(attribute.toStdString());
    }
    QVERIFY(schemas.size() > 100);
    for (const std::string &type : knownNodeTypes()) {
        if (!test::operatorRows().at(type).cpu.empty())
            continue;
        const OperatorSchema *schema = schemaOf(type);
        QVERIFY2(schema && schema->listsAttributes,
                 qPrintable(QString::fromStdString(type + " is executed and has no list of attributes")));
        if (type.find("::") != std::string::npos)
            continue; // ONNX knows operators of its own domain only
        for (const std::string &attribute : schemas[type]) {
            const bool isKnown = std::ranges::count(schema->attributes, attribute, &AttributeSchema::name) > 0;
            QCOMPARE(unknownAttribute(type, attribute, nullptr), isKnown ? std::nullopt : std::optional(attribute));
        }
        auto &own = schemas[type];
        if (type == "Resize")
            own.insert(schemas["Upsample"].begin(), schemas["Upsample"].end()); // Upsample is converted to one
        for (const AttributeSchema &attribute : schema->attributes) {
            const std::string &name = attribute.name;
            const bool isOld = type == "Gemm" && name == "broadcast";
            QVERIFY2(isOld || own.contains(name), qPrintable(QString::fromStdString(type + " has no " + name)));
        }
    }
}

// Values of another type are not known, so defaults must be of the right one.
void TestOnnxBackend::defaults_everySchema_areOfTheTypeOfTheAttribute()
{
    const QString python = test::pythonWith("onnx");
    if (python.isEmpty())
        QSKIP("there is no Python with onnx; packaging/test.sh installs it");
    const QStringList lines = printedBy(python, R"(
import onnx.defs
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain == "" and schema.since_version >= 7:
        for name, attribute in schema.attributes.items():
            print(schema.name, name, attribute.type.name)
)");
    const std::map<QString, AttributeValue> examples{
        {"INT", 1}, {"FLOAT", 1.0F}, {"INTS", std::vector<std::int64_t>{1, 2}}, {"FLOATS", std::vector<float>{1, 2}}};
    int compared = 0;
    for (const QString &line : lines) {
        const QStringList words = line.split(' ');
        const std::string type = words[0].toStdString();
        const std::string name = words[1].toStdString();
        const AttributeValue *fallback = attributeDefault(type, name);
        if (!fallback)
            continue;
        ++compared;
        const auto example = examples.find(words[2]);
        QCOMPARE(words[2] == "STRING", std::holds_alternative<std::string>(*fallback));
        if (example != examples.end())
            QCOMPARE(unknownAttribute(type, name, &example->second), std::nullopt);
    }
    QVERIFY(compared > 200);
}

// What the table lists is neither more than a version of the operator needs nor less than one takes: nodes with other
// numbers of inputs are refused.
void TestOnnxBackend::operands_everySchemaFromOpset7_fitTheTable()
{
    const QString python = test::pythonWith("onnx");
    if (python.isEmpty())
        QSKIP("there is no Python with onnx; packaging/test.sh installs it");
    const QStringList lines = printedBy(python, R"(
import onnx.defs
schemas = [schema for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == ""]
for schema in schemas:
    later = [other.since_version for other in schemas if other.name == schema.name and other.since_version > schema.since_version]
    if not later or min(later) > 7:
        print(schema.name, schema.since_version, schema.min_input, schema.max_input)
)");
    int compared = 0;
    for (const QString &line : lines) {
        const QStringList words = line.split(' ');
        const OperatorSchema *schema = schemaOf(words[0].toStdString());
        if (!schema || schema->operands.empty())
            continue;
        ++compared;
        using Need = OperandSchema::Need;
        const auto always = std::ranges::count(schema->operands, Need::Always, &OperandSchema::need);
        const bool takesSeveral = schema->operands.back().need == Need::Several;
        QVERIFY2(always <= words[2].toInt(), qPrintable(line));
        QVERIFY2(takesSeveral || std::ssize(schema->operands) >= words[3].toInt(), qPrintable(line));
    }
    QVERIFY(compared > 100);
}

STAGECRAFT_SUITE(TestOnnxBackend)

} // namespace tst_onnx_backend
#include "tst_onnx_backend.moc"
