// Ids of the device onnxruntime.

#include "device/onnxruntime/onnxruntime_options.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_onnxruntime_options {

class TestOnnxRuntimeOptions : public QObject {
    Q_OBJECT

private slots:
    void id_readAndWritten_isTheSame_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("shortest");
        for (const char *id : {"onnxruntime", "onnxruntime:4", "onnxruntime:all", "onnxruntime:2:all:parallel"})
            QTest::newRow(id) << id << id;
        QTest::newRow("the default level") << "onnxruntime:4:extended"
                                           << "onnxruntime:4";
        QTest::newRow("another order") << "onnxruntime:parallel:all"
                                       << "onnxruntime:all:parallel";
    }

    void id_readAndWritten_isTheSame()
    {
        QFETCH(const QString, id);
        QFETCH(const QString, shortest);
        const auto options = onnxRuntimeOptionsFrom(id.toStdString());
        QVERIFY(options);
        QCOMPARE(QString::fromStdString(toId(*options)), shortest);
    }

    void id_wrong_isRefused_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("reason");
        QTest::newRow("no threads") << "onnxruntime:0"
                                    << "0 is not a number of threads";
        QTest::newRow("too many") << "onnxruntime:99999999999"
                                  << "is not a number of threads";
        QTest::newRow("not a number") << "onnxruntime:2x"
                                      << "2x is not a number of threads";
        QTest::newRow("no such option") << "onnxruntime:4:parallell"
                                        << "it has no option parallell";
        QTest::newRow("two levels") << "onnxruntime:all:extended"
                                    << "two choices of its level";
        QTest::newRow("nothing behind a colon") << "onnxruntime:"
                                                << "it has no option";
        QTest::newRow("another name") << "onnxruntimes"
                                      << "it does not begin with onnxruntime";
    }

    void id_wrong_isRefused()
    {
        QFETCH(const QString, id);
        QFETCH(const QString, reason);
        const auto options = onnxRuntimeOptionsFrom(id.toStdString());
        QVERIFY(!options && options.error().code == ErrorCode::WrongUse);
        QVERIFY2(QString::fromStdString(options.error().message).contains(reason), options.error().message.c_str());
    }
};

STAGECRAFT_SUITE(TestOnnxRuntimeOptions)

} // namespace tst_onnxruntime_options
#include "tst_onnxruntime_options.moc"
