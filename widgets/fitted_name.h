#pragma once

// Names of operators where there is little room.

#include <QFontMetrics>
#include <QString>

namespace stagecraft {

// At most that wide. The ends of paths tell operators apart, the fronts are shared: the front is cut first.
[[nodiscard]] QString fittedName(const QString &name, const QFontMetrics &metrics, int width);

} // namespace stagecraft
