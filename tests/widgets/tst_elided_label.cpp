// A label that shortens its text: painting, size hints and tool tip.

#include "support/suite.h"
#include "widgets/base/elided_label.h"

#include <QImage>
#include <QTest>

using namespace stagecraft;

namespace tst_elided_label {

class TestElidedLabel : public QObject {
    Q_OBJECT

private slots:
    void toolTip_textThatFits_isTheDetailAlone();
    void toolTip_textThatDoesNotFit_hasAllOfIt();
    void setText_longer_asksForMoreRoom();
    void paint_textThatDoesNotFit_endsInAnEllipsis();
};

namespace {

const QString kLong = QStringLiteral("NVIDIA Tesla V100 SXM2 (simulated)");

QImage pictureOf(const QString &text, Qt::TextElideMode mode, int width)
{
    ElidedLabel label(text);
    label.setElideMode(mode);
    label.resize(width, label.sizeHint().height());
    return label.grab().toImage();
}

} // namespace

void TestElidedLabel::toolTip_textThatFits_isTheDetailAlone()
{
    ElidedLabel label(kLong);
    label.setContentsMargins(8, 2, 8, 2);
    label.resize(label.sizeHint());
    label.show();
    QVERIFY(label.toolTip().isEmpty());
    label.setDetail(QStringLiteral("80 SMs"));
    QCOMPARE(label.toolTip(), QStringLiteral("80 SMs"));
}

void TestElidedLabel::toolTip_textThatDoesNotFit_hasAllOfIt()
{
    ElidedLabel label(kLong);
    label.setDetail(QStringLiteral("80 SMs"));
    label.resize(label.sizeHint().width() / 2, 20);
    label.show();
    QCOMPARE(label.toolTip(), kLong + QStringLiteral("\n80 SMs"));
    label.setText(QStringLiteral("A"));
    QCOMPARE(label.toolTip(), QStringLiteral("80 SMs"));
    label.setText(kLong);
    label.resize(label.sizeHint());
    QCOMPARE(label.toolTip(), QStringLiteral("80 SMs"));
}

void TestElidedLabel::setText_longer_asksForMoreRoom()
{
    ElidedLabel label(QStringLiteral("A"));
    const int before = label.sizeHint().width();
    label.setText(kLong);
    QVERIFY(label.sizeHint().width() > before);
    QVERIFY(label.minimumSizeHint().width() < label.sizeHint().width());
    QCOMPARE(label.accessibleName(), kLong);
}

void TestElidedLabel::paint_textThatDoesNotFit_endsInAnEllipsis()
{
    const int width = ElidedLabel(kLong).sizeHint().width() / 2;
    const QString cut = QFontMetrics(QWidget().font()).elidedText(kLong, Qt::ElideRight, width);
    QVERIFY(cut.endsWith(QChar(0x2026)));
    QVERIFY(pictureOf(kLong, Qt::ElideRight, width) == pictureOf(cut, Qt::ElideRight, width));
    QVERIFY(pictureOf(kLong, Qt::ElideMiddle, width) != pictureOf(cut, Qt::ElideRight, width));
}

STAGECRAFT_SUITE(TestElidedLabel)

} // namespace tst_elided_label
#include "tst_elided_label.moc"
