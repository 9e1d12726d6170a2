#pragma once

// A picture as a value: its size, and how it is painted on anything. Sizes are in units of 1/96 inch, a pixel at scale
// 1. The same picture always gives the same bytes. For the UI thread.

#include "support/result.h"

#include <QImage>
#include <QSizeF>
#include <QString>

#include <functional>
#include <string>

class QCPPainter;

namespace stagecraft {

struct Picture {
    QString title;
    QSizeF size;
    std::function<void(QCPPainter &painter)> paint; // within the size, from (0, 0)
};

[[nodiscard]] QImage imageOf(const Picture &picture, double scale); // null: too large
[[nodiscard]] std::string svgOf(const Picture &picture);

inline constexpr double kMostPdfPoints = 14'400; // on a side of a page, of PDF 1 (ISO 32000-1, annex C)
[[nodiscard]] double fittingPdfScale(const Picture &picture, double scale); // or less, for the page to fit
[[nodiscard]] std::string pdfOf(const Picture &picture, double scale);      // one page of the picture's size

// InvalidInput: it would be larger than programs open.
[[nodiscard]] Result<std::string> pngOf(const Picture &picture, double scale);

} // namespace stagecraft
