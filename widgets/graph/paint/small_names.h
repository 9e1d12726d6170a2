#pragma once

// Names of operators at zooms where those on the cards would be too small to read: in the size of the window's text,
// on the card while its start and end fit there, else beside it where nothing else is. What has no room for its name
// has it under the pointer.

#include "widgets/canvas/viewport.h"

#include <QFontMetrics>
#include <QHash>
#include <QString>

#include <cstdint>
#include <vector>

class QPainter;

namespace stagecraft {

struct GraphScene;

inline constexpr int kSmallNamePixels = 10;
inline constexpr double kNameOnCardZoom = 0.2; // a line of text is as high as a card

// Names cut to a width, remembered: a frame asks for hundreds, and the next one for the same.
class FittedNames {
public:
    explicit FittedNames(const QFont &font);

    [[nodiscard]] const QString &at(std::uint32_t node, const QString &name, int width);
    [[nodiscard]] const QFontMetrics &metrics() const { return m_metrics; }

private:
    QFontMetrics m_metrics;
    QHash<std::uint64_t, QString> m_names;
};

// Beside the cards of `nodes`, which are visible; the selected, found and hovered ones first. The painter uses view
// coordinates.
void paintNamesBeside(QPainter &painter, const GraphScene &scene, const Viewport &viewport,
                      const std::vector<std::uint32_t> &nodes);

} // namespace stagecraft
