// Ids of PyTorch's devices: what they say, and what is refused.

#include "device/pytorch/pytorch_options.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_pytorch_options {

class TestPytorchOptions : public QObject {
    Q_OBJECT

private slots:
    void id_readAndWritten_isTheSame_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("shortest");
        for (const char *id :
             {"pytorch:cpu", "pytorch:cpu:4", "pytorch:cpu:2:channels-last", "pytorch:cuda:0", "pytorch:cuda:3:tf32"})
            QTest::newRow(id) << id << id;
        QTest::newRow("another order") << "pytorch:cuda:0:channels-last:tf32"
                                       << "pytorch:cuda:0:tf32:channels-last";
    }

    void id_readAndWritten_isTheSame()
    {
        QFETCH(const QString, id);
        QFETCH(const QString, shortest);
        const auto options = pytorchOptionsFrom(id.toStdString());
        QVERIFY(options);
        QCOMPARE(QString::fromStdString(toId(*options)), shortest);
    }

    void id_wrong_isRefused_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("reason");
        QTest::newRow("neither") << "pytorch"
                                 << "neither pytorch:cpu nor pytorch:cuda";
        QTest::newRow("longer") << "pytorch:cpus"
                                << "neither pytorch:cpu nor pytorch:cuda";
        QTest::newRow("no GPU") << "pytorch:cuda"
                                << "no number of a GPU";
        QTest::newRow("no GPU, an option") << "pytorch:cuda:tf32"
                                           << "no number of a GPU";
        QTest::newRow("no threads") << "pytorch:cpu:0"
                                    << "it has no threads";
        QTest::newRow("too many") << "pytorch:cpu:99999999999"
                                  << "is not a number up to";
        QTest::newRow("not a number") << "pytorch:cuda:2x"
                                      << "2x is not a number";
        QTest::newRow("TF32 of a CPU") << "pytorch:cpu:tf32"
                                       << "only GPUs have TF32";
        QTest::newRow("no such option") << "pytorch:cuda:0:nhwc"
                                        << "it has no option nhwc";
        QTest::newRow("nothing behind a colon") << "pytorch:cpu:"
                                                << "it has no option";
    }

    void id_wrong_isRefused()
    {
        QFETCH(const QString, id);
        QFETCH(const QString, reason);
        const auto options = pytorchOptionsFrom(id.toStdString());
        QVERIFY(!options && options.error().code == ErrorCode::WrongUse);
        QVERIFY2(QString::fromStdString(options.error().message).contains(reason), options.error().message.c_str());
    }
};

STAGECRAFT_SUITE(TestPytorchOptions)

} // namespace tst_pytorch_options
#include "tst_pytorch_options.moc"
