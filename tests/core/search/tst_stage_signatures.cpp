// Signatures are the keys of the latency store: if they change, stored latencies are lost. These are the signatures of
// the four published networks, the same in every version so far. A change needs a migration of existing stores.

#include "model/built_in.h"
#include "schedule/stage_signature.h"
#include "search/baselines.h"
#include "search/first_schedules.h"
#include "support/graph_making.h"

#include <QTest>

#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

class StageSignaturesTest : public QObject {
    Q_OBJECT

private slots:
    void sign_stagesOfTheNetworks_isAsEver_data()
    {
        QTest::addColumn<QByteArray>("first"); // of the first operator alone
        QTest::addColumn<int>("distinct");     // number of distinct stages
        QTest::addColumn<QByteArray>("all");   // hash of all signatures in order
        QTest::newRow("squeezenet") << QByteArray("790ba3957101227ac03ea9413ae80200") << 62
                                    << QByteArray("f0f74e2eeca33ec4");
        QTest::newRow("inception_v3") << QByteArray("a2d310638bececc68fd72a26a94e7d10") << 93
                                      << QByteArray("67bd61e0103cf196");
        QTest::newRow("randwire") << QByteArray("9725015903268b38e8a97750d764a59f") << 60
                                  << QByteArray("41c5880b8293c356");
        QTest::newRow("nasnet") << QByteArray("a74bb229ac97bb01cb09252316fe51ee") << 122
                                << QByteArray("86e8db4b607c94a3");
    }
    void sign_stagesOfTheNetworks_isAsEver()
    {
        QFETCH(QByteArray, first);
        QFETCH(int, distinct);
        QFETCH(QByteArray, all);
        const SourceGraph source = take(builtInNetwork(QTest::currentDataTag()));
        StageSigner signer(source.graph);
        std::set<StageSignature> signatures;
        std::uint64_t hash = Q_UINT64_C(1469598103934665603);
        for (const Schedule &schedule :
             {sequentialSchedule(source.graph, source.blocks), greedySchedule(source.graph, source.blocks),
              mergedSchedule(source.graph, source.blocks, {})}) {
            for (const Stage &stage : schedule.stages) {
                const StageSignature signature = signer.sign(stage);
                signatures.insert(signature);
                for (const char digit : signature.toHex())
                    hash = (hash ^ static_cast<unsigned char>(digit)) * Q_UINT64_C(1099511628211);
            }
        }
        const Stage alone{0, Strategy::Concurrent, {{source.blocks.front().operators.front()}}};
        QCOMPARE(QByteArray::fromStdString(signer.sign(alone).toHex()), first);
        QCOMPARE(static_cast<int>(signatures.size()), distinct);
        QCOMPARE(QByteArray::number(static_cast<qulonglong>(hash), 16), all);
    }
};

QTEST_GUILESS_MAIN(StageSignaturesTest)
#include "tst_stage_signatures.moc"
