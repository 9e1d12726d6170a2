#include "device/npy.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;

namespace tst_npy {

namespace {

QByteArray file(const QByteArray &header, const QByteArray &data, int version = 1)
{
    QByteArray bytes("\x93NUMPY");
    bytes.append(static_cast<char>(version));
    bytes.append('\0');
    bytes.append(static_cast<char>(header.size() & 0xFF)).append(static_cast<char>(header.size() >> 8));
    if (version > 1)
        bytes.append('\0').append('\0');
    return bytes + header + data;
}

std::string_view view(const QByteArray &bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

} // namespace

class TestNpy : public QObject {
    Q_OBJECT

private slots:
    void tensorFromNpy_eachType_becomesFloats_data();
    void tensorFromNpy_eachType_becomesFloats();
    void tensorFromNpy_brokenFile_isRefused_data();
    void tensorFromNpy_brokenFile_isRefused();
    void writeNpy_anyRank_readsBack_data();
    void writeNpy_anyRank_readsBack();
    void readNpy_missingFile_isNamed();
    void readNpy_hugeFile_isAskedAboutFirst();
    void readNpy_otherSizeThanStated_isRefused();
};

void TestNpy::tensorFromNpy_eachType_becomesFloats_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto header = [](const char *type) {
        return QByteArray("{'descr': '") + type + "', 'fortran_order': False, 'shape': (2,), }\n";
    };
    const auto raw = [](auto a, auto b) {
        const decltype(a) values[] = {a, b};
        return QByteArray(reinterpret_cast<const char *>(values), sizeof values);
    };
    QTest::newRow("float32") << file(header("<f4"), raw(3.0F, 7.0F));
    QTest::newRow("float64") << file(header("<f8"), raw(3.0, 7.0));
    QTest::newRow("int64") << file(header("<i8"), raw(std::int64_t{3}, std::int64_t{7}));
    QTest::newRow("int32") << file(header("<i4"), raw(std::int32_t{3}, std::int32_t{7}));
    QTest::newRow("uint8") << file(header("|u1"), raw(std::uint8_t{3}, std::uint8_t{7}));
    QTest::newRow("version 2") << file(header("<f4"), raw(3.0F, 7.0F), 2);
}

void TestNpy::tensorFromNpy_eachType_becomesFloats()
{
    QFETCH(QByteArray, bytes);
    const auto tensor = tensorFromNpy(view(bytes));
    QVERIFY2(tensor, tensor ? "" : tensor.error().message.c_str());
    QVERIFY((tensor->values == std::vector<float>{3, 7}));
    QVERIFY((tensor->shape.dims == std::vector<std::int64_t>{2}));
}

void TestNpy::tensorFromNpy_brokenFile_isRefused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const QByteArray good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
    const auto changed = [&](const char *from, const char *to) { return QByteArray(good).replace(from, to); };
    const QByteArray one(4, '\0');
    QTest::newRow("empty") << QByteArray() << "not a .npy file";
    QTest::newRow("text") << QByteArray("hello, this is text") << "not a .npy file";
    QTest::newRow("header cut") << file(good, one).left(20) << "cut short";
    QTest::newRow("numbers cut") << file(good, QByteArray(3, '\0')) << "3 bytes";
    QTest::newRow("too many numbers") << file(good, QByteArray(8, '\0')) << "8 bytes";
    QTest::newRow("version 9") << file(good, one, 9) << "version 9";
    QTest::newRow("complex") << file(changed("<f4", "<c8"), one) << "<c8";
    QTest::newRow("big-endian") << file(changed("<f4", ">f4"), one) << ">f4";
    QTest::newRow("column-major") << file(changed("False", "True"), one) << "column by column";
    QTest::newRow("no shape") << file(changed("shape", "form"), one) << "'shape'";
    QTest::newRow("negative") << file(changed("(1,)", "(-1,)"), one) << "not a tuple of numbers";
    QTest::newRow("huge") << file(changed("(1,)", "(99999999999999999999,)"), one) << "absurdly";
    QTest::newRow("huge product") << file(changed("(1,)", "(4000000000,4000000000)"), one) << "absurdly";
}

void TestNpy::tensorFromNpy_brokenFile_isRefused()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const auto tensor = tensorFromNpy(view(bytes));
    QVERIFY(!tensor && tensor.error().code == ErrorCode::InvalidInput);
    QVERIFY2(QString::fromStdString(tensor.error().message).contains(message), tensor.error().message.c_str());
}

void TestNpy::writeNpy_anyRank_readsBack_data()
{
    QTest::addColumn<QList<qint64>>("dims");
    QTest::newRow("scalar") << QList<qint64>{};
    QTest::newRow("vector") << QList<qint64>{5};
    QTest::newRow("image") << QList<qint64>{1, 3, 4, 2};
}

void TestNpy::writeNpy_anyRank_readsBack()
{
    QFETCH(QList<qint64>, dims);
    HostTensor tensor{"t", Shape{{dims.begin(), dims.end()}}, {}};
    for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
        tensor.values.push_back(static_cast<float>(i) * 0.3F);
    QTemporaryDir folder;
    const std::string path = folder.filePath("t.npy").toStdString();
    QVERIFY(writeNpy(path, tensor));
    const auto read = readNpy(path);
    QVERIFY(read && read->shape == tensor.shape && read->values == tensor.values);
}

void TestNpy::readNpy_missingFile_isNamed()
{
    const auto tensor = readNpy("/nowhere/x.npy");
    QVERIFY(!tensor && tensor.error().context.front() == "/nowhere/x.npy");
}

// 8 GB of nothing: only the header is read.
void TestNpy::readNpy_hugeFile_isAskedAboutFirst()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("huge.npy");
    QFile made(path);
    QVERIFY(made.open(QIODevice::WriteOnly));
    const QByteArray header = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2000000000,), }\n", {});
    QVERIFY(made.write(header) == header.size() && made.resize(header.size() + 8'000'000'000));
    made.close();
    Shape asked;
    const auto tensor = readTypedNpy(path.toStdString(), [&](const Shape &shape) {
        asked = shape;
        return refused("not that one");
    });
    QVERIFY(!tensor);
    QCOMPARE(tensor.error().message, std::string("not that one"));
    QCOMPARE(tensor.error().context.front(), path.toStdString());
    QCOMPARE(asked.dims, (std::vector<std::int64_t>{2'000'000'000}));
}

void TestNpy::readNpy_otherSizeThanStated_isRefused()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("short.npy");
    QFile made(path);
    QVERIFY(made.open(QIODevice::WriteOnly));
    made.write(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2000000000,), }\n", QByteArray(8, '\0')));
    made.close();
    const auto tensor = readTypedNpy(path.toStdString());
    QVERIFY(!tensor);
    QVERIFY2(tensor.error().message.starts_with("the file has 8 bytes of numbers, but its shape needs 8000000000"),
             tensor.error().message.c_str());
}

STAGECRAFT_SUITE(TestNpy)

} // namespace tst_npy
#include "tst_npy.moc"
