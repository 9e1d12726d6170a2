#include "widgets/base/model_marks.h"

#include "schedule/model_colours.h"
#include "widgets/base/shown_name.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {

QString ModelMarks::nameOf(OperatorId id) const
{
    const auto model = of(id);
    return model ? shownName(m_parts[*model].name) : QString();
}

QColor modelColour(const Theme &theme, std::size_t model)
{
    const auto &colours = theme.dark ? kModelDark : kModelLight;
    return QColor::fromRgb(static_cast<QRgb>(colours[model % colours.size()]));
}

QColor modelFill(const Theme &theme, std::size_t model)
{
    return mixed(theme.panel, modelColour(theme, model), theme.dark ? 0.4 : 0.28);
}

void paintModelMark(QPainter &painter, const QRectF &bar, std::size_t model, const Theme &theme, double unit)
{
    painter.fillRect(bar, theme.canvas);
    const ModelBar &gaps = kModelBars[model % kModelBars.size()];
    const QColor colour = modelColour(theme, model);
    if (gaps.gap <= 0) {
        painter.fillRect(bar, colour);
        return;
    }
    const bool isTall = bar.height() > bar.width();
    const double length = isTall ? bar.height() : bar.width();
    const double step = (gaps.line + gaps.gap) * unit;
    for (double at = 0; at < length; at += step) {
        const double part = std::min(gaps.line * unit, length - at);
        painter.fillRect(isTall ? QRectF(bar.left(), bar.top() + at, bar.width(), part)
                                : QRectF(bar.left() + at, bar.top(), part, bar.height()),
                         colour);
    }
}

} // namespace stagecraft
