#include "widgets/timeline/time_ruler.h"

#include "widgets/base/theme.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kTick = 4;
constexpr int kGap = 2;

} // namespace

TimeRuler::TimeRuler(const TimelineStack &rows, QWidget *parent) : QWidget(parent), m_rows(rows)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    QObject::connect(rows.plot(), &QCustomPlot::afterReplot, this, [this] { update(); });
}

QSize TimeRuler::sizeHint() const
{
    const int line = QFontMetrics(m_rows.timeAxis().tickLabelFont()).height();
    return {200, kTick + 2 * (line + kGap)};
}

void TimeRuler::paintEvent(QPaintEvent *)
{
    const Theme theme = themeFor(palette());
    const QCPAxis &axis = m_rows.timeAxis();
    QPainter painter(this);
    painter.fillRect(rect(), theme.canvas);
    painter.setFont(axis.tickLabelFont());
    const int line = painter.fontMetrics().height();
    const QRect along(axis.axisRect()->left(), 0, axis.axisRect()->width(), height());
    painter.setPen(theme.border);
    painter.drawLine(along.topLeft(), along.topRight());
    QVector<double> ticks;
    QVector<QString> labels;
    axis.ticker()->generate(axis.range(), locale(), QLatin1Char(axis.numberFormat().at(0).toLatin1()),
                            axis.numberPrecision(), ticks, nullptr, &labels);
    int drawnTo = 0;
    for (qsizetype i = 0; i < ticks.size() && i < labels.size(); ++i) {
        if (!axis.range().contains(ticks[i]))
            continue;
        const int x = static_cast<int>(axis.coordToPixel(ticks[i]));
        painter.setPen(theme.border);
        painter.drawLine(x, 0, x, kTick);
        const int width = painter.fontMetrics().horizontalAdvance(labels[i]);
        const int left = std::clamp(x - width / 2, 0, std::max(0, this->width() - width));
        if (left < drawnTo)
            continue;
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(left, kTick, width + 1, line), Qt::AlignLeft, labels[i]);
        drawnTo = left + width + 4;
    }
    painter.setPen(theme.mutedText);
    painter.drawText(along.adjusted(0, kTick + line + kGap, 0, 0), Qt::AlignHCenter | Qt::AlignTop, m_rows.timeTitle());
}

} // namespace stagecraft
