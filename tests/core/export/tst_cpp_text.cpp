// Names of a model as C++: whatever they hold, they are identifiers and literals.

#include "export/cpp_project/cpp_text.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <limits>

using namespace stagecraft;

namespace tst_cpp_text {

class TestCppText : public QObject {
    Q_OBJECT

private slots:
    void identifierFrom_anyName_isAnIdentifier_data();
    void identifierFrom_anyName_isAnIdentifier();
    void identifiers_ofOneScope_differ();
    void cppString_anyBytes_arePlain_data();
    void cppString_anyBytes_arePlain();
    void numbers_readBack_theSame();
    void plainText_anyName_staysOnItsLine();
};

void TestCppText::identifierFrom_anyName_isAnIdentifier_data()
{
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("identifier");
    QTest::newRow("path") << std::string("/features/Conv_0.weight") << std::string("features_conv_0_weight");
    QTest::newRow("digit first") << std::string("3x3") << std::string("op_3x3");
    QTest::newRow("keyword") << std::string("class") << std::string("op_class");
    QTest::newRow("keyword, hidden") << std::string("__Delete__") << std::string("op_delete");
    QTest::newRow("another namespace") << std::string("std") << std::string("op_std");
    QTest::newRow("nothing") << std::string() << std::string("op");
    QTest::newRow("nothing left") << std::string("\xe6\x97\xa5 */ \n") << std::string("op");
    QTest::newRow("4,000 letters") << std::string(4000, 'A') << std::string(48, 'a');
    QTest::newRow("cut at a gap") << std::string(47, 'a').append("__b") << std::string(47, 'a');
}

void TestCppText::identifierFrom_anyName_isAnIdentifier()
{
    QFETCH(const std::string, name);
    QFETCH(const std::string, identifier);
    QCOMPARE(identifierFrom(name, "op"), identifier);
}

void TestCppText::identifiers_ofOneScope_differ()
{
    Identifiers identifiers;
    QCOMPARE(identifiers.add("a b", "op"), std::string("a_b"));
    QCOMPARE(identifiers.add("a_b_2", "op"), std::string("a_b_2"));
    QCOMPARE(identifiers.add("a/b", "op"), std::string("a_b_3"));
}

void TestCppText::cppString_anyBytes_arePlain_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("code");
    QTest::newRow("plain") << std::string("conv1") << std::string("\"conv1\"");
    QTest::newRow("quotes") << std::string("a\"b\\") << std::string(R"("a\"b\\")");
    QTest::newRow("trigraph") << std::string(2, '?').append("/") << std::string(R"("\?\?/")");
    QTest::newRow("line, then a digit") << std::string("a\n1") << std::string(R"("a\0121")");
    QTest::newRow("UTF-8") << std::string("\xc3\xa9") << std::string(R"("\303\251")");
    QTest::newRow("zero") << std::string("a\0b", 3) << std::string(R"(std::string("a\000b", 3))");
}

void TestCppText::cppString_anyBytes_arePlain()
{
    QFETCH(const std::string, text);
    QFETCH(const std::string, code);
    QCOMPARE(cppString(text), code);
}

void TestCppText::numbers_readBack_theSame()
{
    QCOMPARE(cppFloat(1), std::string("1.0F"));
    QCOMPARE(cppFloat(0.1F), std::string("0.1F"));
    QCOMPARE(cppFloat(1e30F), std::string("1e+30F"));
    QCOMPARE(cppFloat(-std::numeric_limits<float>::infinity()), std::string("-INFINITY"));
    QCOMPARE(cppFloat(std::numeric_limits<float>::quiet_NaN()), std::string("NAN"));
    QCOMPARE(cppNumber(9341200), std::string("9341200"));
    QCOMPARE(cppList(std::array<std::int64_t, 3>{1, -2, 3}), std::string("{1, -2, 3}"));
}

void TestCppText::plainText_anyName_staysOnItsLine()
{
    QCOMPARE(plainText("a\n* `b` <c> \xc3\xa9"), std::string("a?? ?b? ?c> ??"));
    QCOMPARE(plainText(std::string(200, 'x')), std::string(80, 'x').append("..."));
}

STAGECRAFT_SUITE(TestCppText)

} // namespace tst_cpp_text
#include "tst_cpp_text.moc"
