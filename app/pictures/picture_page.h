#pragma once

// What all pictures have in common: a heading with what is shown, on which device and where its numbers come from, and
// tables.

#include "pictures/picture.h"
#include "widgets/base/theme.h"

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

#include <optional>
#include <vector>

namespace stagecraft {

[[nodiscard]] QPalette picturePalette(bool dark); // of the theme; the one that widgets paint a picture with
[[nodiscard]] QFont pictureFont();                // the same on every machine that has it

// `body` below a title and a line of facts, which is broken where the page is too narrow.
[[nodiscard]] Picture withHeading(const QString &title, const QString &facts, const Theme &theme, const Picture &body);

struct PictureCell {
    QString text;
    QString below = {};              // a second line, muted
    std::optional<double> bar = {};  // 0..1: the length of a bar behind the text
    std::optional<QColor> fill = {}; // of the whole cell
    bool isNumber = false;           // to the right
    bool isStrong = false;
};

// The first row is the header. Columns are as wide as their widest cell.
[[nodiscard]] Picture tablePicture(const std::vector<std::vector<PictureCell>> &rows, const Theme &theme);

} // namespace stagecraft
