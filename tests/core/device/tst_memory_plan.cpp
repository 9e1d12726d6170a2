#include "device/memory_plan.h"

#include <QTest>

#include <random>

using namespace stagecraft;

namespace {

constexpr std::size_t kAlignment = 64;

} // namespace

class TestMemoryPlan : public QObject {
    Q_OBJECT

private slots:
    void planMemory_randomLives_neverOverlapWhileLive();
    void planMemory_chain_reusesTwoBuffers();
};

void TestMemoryPlan::planMemory_randomLives_neverOverlapWhileLive()
{
    std::minstd_rand random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<BufferLife> lives(1 + random() % 60);
        std::size_t sum = 0;
        for (BufferLife &life : lives) {
            life.bytes = random() % 5000;
            life.firstStage = random() % 20;
            life.lastStage = life.firstStage + random() % 6;
            sum += life.bytes + kAlignment;
        }
        const MemoryPlan plan = planMemory(lives, kAlignment);
        QVERIFY(plan.bytes <= sum);
        for (std::size_t a = 0; a < lives.size(); ++a) {
            QCOMPARE(plan.offsets[a] % kAlignment, std::size_t{0});
            QVERIFY(plan.offsets[a] + lives[a].bytes <= plan.bytes);
            for (std::size_t b = 0; b < a; ++b) {
                const bool together =
                    lives[a].firstStage <= lives[b].lastStage && lives[b].firstStage <= lives[a].lastStage;
                const bool apart = plan.offsets[a] + lives[a].bytes <= plan.offsets[b] ||
                                   plan.offsets[b] + lives[b].bytes <= plan.offsets[a];
                QVERIFY(!together || apart);
            }
        }
    }
}

void TestMemoryPlan::planMemory_chain_reusesTwoBuffers()
{
    std::vector<BufferLife> lives;
    for (std::size_t stage = 0; stage < 10; ++stage)
        lives.push_back({1024, stage, stage + 1}); // written in one stage, read in the next
    QCOMPARE(planMemory(lives, kAlignment).bytes, std::size_t{2048});
}

QTEST_GUILESS_MAIN(TestMemoryPlan)
#include "tst_memory_plan.moc"
