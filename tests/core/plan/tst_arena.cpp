#include "plan/arena.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace stagecraft::plan;

namespace tst_arena {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kStages = 26;

std::vector<BufferLife> randomLives(std::minstd_rand &random)
{
    std::vector<BufferLife> lives(1 + random() % 60);
    for (BufferLife &life : lives) {
        life.bytes = random() % 5000;
        life.firstStage = random() % 20;
        life.lastStage = life.firstStage + random() % 6;
    }
    return lives;
}

} // namespace

class TestArena : public QObject {
    Q_OBJECT

private slots:
    void arrange_randomLives_neverOverlapWhileLive();
    void arrange_chain_reusesTwoBuffers();
    void arrange_twice_isTheSame();
    void arrange_manyThatLiveLong_areSideBySide();
    void liveBytes_randomLives_equalTheDefinition();
};

void TestArena::arrange_randomLives_neverOverlapWhileLive()
{
    std::minstd_rand random(7);
    for (int round = 0; round < 200; ++round) {
        const std::vector<BufferLife> lives = randomLives(random);
        std::size_t sum = 0;
        for (const BufferLife &life : lives)
            sum += life.bytes + kAlignment;
        const Arena arena = arrange(lives, kAlignment);
        QVERIFY(arena.bytes <= sum);
        QVERIFY(arena.bytes >= std::ranges::max(liveBytes(lives, kStages)));
        for (std::size_t a = 0; a < lives.size(); ++a) {
            QCOMPARE(arena.offsets[a] % kAlignment, std::size_t{0});
            QVERIFY(arena.offsets[a] + lives[a].bytes <= arena.bytes);
            for (std::size_t b = 0; b < a; ++b) {
                const bool together =
                    lives[a].firstStage <= lives[b].lastStage && lives[b].firstStage <= lives[a].lastStage;
                const bool apart = arena.offsets[a] + lives[a].bytes <= arena.offsets[b] ||
                                   arena.offsets[b] + lives[b].bytes <= arena.offsets[a];
                QVERIFY(!together || apart);
            }
        }
    }
}

void TestArena::arrange_chain_reusesTwoBuffers()
{
    std::vector<BufferLife> lives;
    for (std::size_t stage = 0; stage < 10; ++stage)
        lives.push_back({1024, stage, stage + 1}); // written in one stage, read in the next
    QCOMPARE(arrange(lives, kAlignment).bytes, std::size_t{2048});
}

void TestArena::arrange_twice_isTheSame()
{
    std::minstd_rand random(3);
    const std::vector<BufferLife> lives = randomLives(random);
    QVERIFY(arrange(lives, kAlignment) == arrange(lives, kAlignment));
}

// Outputs of a wide model are live from their stage to the end. Listed by stage, these would be 10^11.
void TestArena::arrange_manyThatLiveLong_areSideBySide()
{
    constexpr std::size_t kStagesOfAll = 10'000'000;
    std::vector<BufferLife> lives;
    for (std::size_t i = 0; i < 10'000; ++i)
        lives.push_back({kAlignment * (1 + i % 3), i, kStagesOfAll - 1});
    std::size_t sum = 0;
    for (const BufferLife &life : lives)
        sum += life.bytes;
    QCOMPARE(arrange(lives, kAlignment).bytes, sum);
    QCOMPARE(std::ranges::max(liveBytes(lives, kStagesOfAll)), sum);
}

void TestArena::liveBytes_randomLives_equalTheDefinition()
{
    std::minstd_rand random(11);
    for (int round = 0; round < 50; ++round) {
        const std::vector<BufferLife> lives = randomLives(random);
        const std::vector<std::size_t> live = liveBytes(lives, kStages);
        QCOMPARE(live.size(), kStages);
        for (std::size_t stage = 0; stage < kStages; ++stage) {
            std::size_t bytes = 0;
            for (const BufferLife &life : lives)
                bytes += stage >= life.firstStage && stage <= life.lastStage ? life.bytes : 0;
            QCOMPARE(live[stage], bytes);
        }
    }
}

STAGECRAFT_SUITE(TestArena)

} // namespace tst_arena
#include "tst_arena.moc"
