#pragma once

// The program's icons: line drawings in resources/icons, painted in a colour of the theme.

#include <QColor>
#include <QIcon>
#include <QString>

namespace stagecraft {

[[nodiscard]] QIcon icon(const QString &name, const QColor &colour);
[[nodiscard]] QIcon applicationIcon();

} // namespace stagecraft
