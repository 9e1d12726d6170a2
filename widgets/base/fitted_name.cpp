#include "widgets/base/fitted_name.h"

#include <algorithm>

namespace stagecraft {
namespace {

bool separates(QChar letter, NameParts parts)
{
    return letter == QLatin1Char('/') || (parts == NameParts::Words && !letter.isLetterOrNumber());
}

} // namespace

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

SharedEnds sharedEnds(const QStringList &names, NameParts parts)
{
    if (names.size() < 2)
        return {};
    const QString &first = names.front();
    SharedEnds shared{first.size(), first.size()};
    qsizetype shortest = first.size();
    for (const QString &name : names) {
        shortest = std::min(shortest, name.size());
        const auto fromBehind = [&](const QString &text, qsizetype i) { return text[text.size() - 1 - i]; };
        qsizetype front = 0;
        while (front < std::min(shared.front, name.size()) && first[front] == name[front])
            ++front;
        qsizetype back = 0;
        while (back < std::min(shared.back, name.size()) && fromBehind(first, back) == fromBehind(name, back))
            ++back;
        shared = {front, back};
    }
    // Whole parts: up to and including a separator, which is the same in all names.
    shared.front = std::min(shared.front, shortest - 1);
    while (shared.front > 0 && !separates(first[shared.front - 1], parts))
        --shared.front;
    shared.back = std::min(shared.back, shortest - shared.front - 1);
    while (shared.back > 0 && !separates(first[first.size() - shared.back], parts))
        --shared.back;
    return shared;
}

QString fittedText(const QStringList &texts, const QFontMetrics &metrics, int width)
{
    for (const QString &text : texts) {
        if (metrics.horizontalAdvance(text) <= width)
            return text;
    }
    return texts.isEmpty() ? QString() : metrics.elidedText(texts.back(), Qt::ElideLeft, width);
}

} // namespace stagecraft
