#include "graph/model_reference.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_model_reference {

class TestModelReference : public QObject {
    Q_OBJECT

private slots:
    void reading_inWords_saysWhatIsNotUsual();
    void reading_another_isAnotherModel();
    void sizes_fromText_areThoseOfAllAxes();
};

void TestModelReference::reading_inWords_saysWhatIsNotUsual()
{
    QVERIFY(Reading{}.isUsual());
    QCOMPARE(toString(Reading{}), std::string());
    QCOMPARE(toString(Reading{.without = {"remove-dead", "fold-pads"}}),
             std::string("with without fold-pads, without remove-dead"));
    QCOMPARE(toString(Reading{Units::Tvm, {"fold-pads"}, {{"y", {2}}, {"x", {1, 3, 64, 64}}}}),
             std::string("with units tvm, without fold-pads, x=1x3x64x64, y=2"));
}

void TestModelReference::reading_another_isAnotherModel()
{
    const ModelReference usual{"net", "abc"};
    QVERIFY(usual == ModelReference(usual));
    QVERIFY(usual != (ModelReference{"net", "abc", {Units::None}}));
    QVERIFY(usual != (ModelReference{"net", "abc", {.sizes = {{"x", {1}}}}}));
    QVERIFY(usual != (ModelReference{"net", "abc", {}, true}));
}

void TestModelReference::sizes_fromText_areThoseOfAllAxes()
{
    QVERIFY(sizesFromText("1x3x224x224") == (std::vector<std::int64_t>{1, 3, 224, 224}));
    QVERIFY(sizesFromText("7") == std::vector<std::int64_t>{7});
    for (const char *text : {"", "1x", "x3", "1 x 3", "1x3y4", "64 by 64", "99999999999999999999"})
        QVERIFY2(!sizesFromText(text), text);
}

STAGECRAFT_SUITE(TestModelReference)

} // namespace tst_model_reference
#include "tst_model_reference.moc"
