#pragma once

// What a picture shows, by its colours.

#include <QColor>
#include <QImage>
#include <QRect>

namespace stagecraft::test {

inline int pixelsOf(const QImage &image, const QColor &colour)
{
    int pixels = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            pixels += image.pixelColor(x, y).rgb() == colour.rgb() ? 1 : 0;
    }
    return pixels;
}

inline bool shows(const QImage &image, const QColor &colour)
{
    return pixelsOf(image, colour) > 0;
}

// Pixels that differ from the first: text and lines on a background.
inline int inkOf(const QImage &image)
{
    return image.width() * image.height() - pixelsOf(image, image.pixelColor(0, 0));
}

// The part around a rectangle, including its outline.
inline QImage about(const QImage &image, const QRect &rect)
{
    return image.copy(rect.adjusted(-3, -3, 3, 3) & image.rect());
}

} // namespace stagecraft::test
