#include "widgets/fitted_name.h"

namespace stagecraft {

QString fittedName(const QString &name, const QFontMetrics &metrics, int width)
{
    QString rest = name;
    while (metrics.horizontalAdvance(rest) > width) {
        const qsizetype slash = rest.indexOf(QLatin1Char('/'), rest.startsWith(QChar(0x2026)) ? 2 : 0);
        if (slash < 0 || slash + 1 == rest.size())
            break;
        rest = QChar(0x2026) + rest.mid(slash);
    }
    if (metrics.horizontalAdvance(rest) <= width)
        return rest;
    if (rest.startsWith(QChar(0x2026)))
        rest = rest.mid(2);
    return metrics.elidedText(rest, Qt::ElideMiddle, width);
}

} // namespace stagecraft
