#include "support/shown_text.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_shown_text {

class TestShownText : public QObject {
    Q_OBJECT

private slots:
    void shownText_characters_doNoHarm_data();
    void shownText_characters_doNoHarm();
};

void TestShownText::shownText_characters_doNoHarm_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("plain") << QByteArray("conv_1/a b") << QByteArray("conv_1/a b");
    QTest::newRow("empty") << QByteArray() << QByteArray();
    QTest::newRow("other scripts") << QByteArray("Gr\xc3\xb6\xc3\x9f"
                                                 "e \xe5\x8d\xb7\xe7\xa7\xaf \xf0\x9f\x99\x82")
                                   << QByteArray("Gr\xc3\xb6\xc3\x9f"
                                                 "e \xe5\x8d\xb7\xe7\xa7\xaf \xf0\x9f\x99\x82");
    QTest::newRow("lines") << QByteArray("a\nb\r\tc") << QByteArray("a\\nb\\r\\tc");
    QTest::newRow("escape") << QByteArray("\x1b[31mred\x07") << QByteArray("\\x1b[31mred\\x07");
    QTest::newRow("zero") << QByteArray("a\0b", 3) << QByteArray("a\\x00b");
    QTest::newRow("delete") << QByteArray("a\x7f") << QByteArray("a\\u007f");
    QTest::newRow("C1 control") << QByteArray("a\xc2\x9b"
                                              "31m")
                                << QByteArray("a\\u009b31m");
    QTest::newRow("right to left") << QByteArray("a\xe2\x80\xae"
                                                 "gpj")
                                   << QByteArray("a\\u202egpj");
    QTest::newRow("isolate") << QByteArray("\xe2\x81\xa6"
                                           "x")
                             << QByteArray("\\u2066x");
    QTest::newRow("tag") << QByteArray("\xf3\xa0\x80\x81") << QByteArray("\\udb40\\udc01");
    QTest::newRow("Latin-1") << QByteArray("gr\xf6\xdf"
                                           "e")
                             << QByteArray("gr\\xf6\\xdfe");
    QTest::newRow("cut short") << QByteArray("a\xe5\x8d") << QByteArray("a\\xe5\\x8d");
    QTest::newRow("overlong") << QByteArray("\xc0\x9b") << QByteArray("\\xc0\\x9b");
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\\xed\\xa0\\x80");
}

void TestShownText::shownText_characters_doNoHarm()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(shownText(text.toStdString())), shown);
}

STAGECRAFT_SUITE(TestShownText)

} // namespace tst_shown_text
#include "tst_shown_text.moc"
