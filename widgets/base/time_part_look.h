#pragma once

// How the parts of a time look and are called in all views. Blue for work at a peak, green for waiting, warm colours
// for what is lost; grey and hatched for what nothing explains. The colours are distinct for normal and colour-blind
// sight (Okabe and Ito).

#include "timing/timeline/time_parts.h"
#include "widgets/base/theme.h"

#include <QRectF>
#include <QString>

#include <cstddef>
#include <cstdint>

class QPainter;

namespace stagecraft {

[[nodiscard]] QString timePartWords(TimePart part, const TimePartSources &sources); // "idle SMs"
[[nodiscard]] QString aboutTimePart(TimePart part);                                 // a sentence
[[nodiscard]] QColor timePartColour(TimePart part, const Theme &theme);

[[nodiscard]] TimeParts perImage(TimeParts parts, std::int64_t batch); // of a batch

void fillTimePart(QPainter &painter, const QRectF &rect, TimePart part, const Theme &theme);

// What a part takes more, the most first: "idle SMs −80.1 µs, launch −12.0 µs"; at most `most` of them, and none that
// is shown as 0. Empty: nothing changes.
[[nodiscard]] QString timePartChanges(const TimeParts &from, const TimeParts &to, const TimePartSources &sources,
                                      std::size_t most);

} // namespace stagecraft
