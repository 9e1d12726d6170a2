#pragma once

// Names of operators where there is little room.

#include <QFontMetrics>
#include <QString>
#include <QStringList>

namespace stagecraft {

// At most that wide. The ends of paths tell operators apart, the fronts are shared: the front is cut first.
[[nodiscard]] QString fittedName(const QString &name, const QFontMetrics &metrics, int width);

// How many characters the names of a group have in common at both ends, in whole parts ("cell0/" and "/conv1x1" of
// cell0/branch0/conv1x1 and cell0/branch7/conv1x1). Something is left of every name. Nothing for a single name.
struct SharedEnds {
    qsizetype front = 0;
    qsizetype back = 0;

    [[nodiscard]] QString cut(const QString &name) const { return name.sliced(front, name.size() - front - back); }

    friend bool operator==(const SharedEnds &, const SharedEnds &) = default;
};

// Where a part ends: in paths only at "/", else also at other signs between words.
enum class NameParts { Paths, Words };
[[nodiscard]] SharedEnds sharedEnds(const QStringList &names, NameParts parts);

// At most that wide: the first of the texts that fits, from long to short, else the last one, cut in front.
[[nodiscard]] QString fittedText(const QStringList &texts, const QFontMetrics &metrics, int width);

} // namespace stagecraft
