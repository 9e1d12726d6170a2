#pragma once

// Why one schedule is faster than another, as a drawing: a stacked bar for each whose parts add up to its latency, and
// the steps from the first to another, part by part. Laid out for a width and painted on anything: a panel, a picture.
// The same values as a table of text.

#include "timing/provenance.h"
#include "timing/timeline/time_parts.h"
#include "widgets/base/theme.h"

#include <QFont>
#include <QFontMetricsF>
#include <QLineF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace stagecraft {

// Of a whole schedule, or of a range of its stages; in microseconds, per image if batches differ.
struct TimePartsBar {
    QString letter; // of its pane; empty: the only one
    QString name;
    TimeParts parts; // they add up to the time of the bar
    TimePartSources sources;
    Provenance provenance = Provenance::Simulated;
};

struct ShownTimeParts {
    std::vector<TimePartsBar> bars;
    std::size_t other = 1; // the steps lead from the first bar to this one
    bool isPerImage = false;
};

class TimePartsDrawing {
public:
    // A part of a bar, or a step; a whole bar at either end of the steps has no part.
    struct Mark {
        std::size_t bar = 0;
        std::optional<TimePart> part;
        bool isStep = false;
        QRectF rect{};
    };

    TimePartsDrawing() = default;
    TimePartsDrawing(ShownTimeParts shown, const QFont &font, double width);

    [[nodiscard]] const ShownTimeParts &shown() const { return m_shown; }
    [[nodiscard]] double height() const { return m_height; }
    [[nodiscard]] const std::vector<Mark> &marks() const { return m_marks; } // in reading order
    [[nodiscard]] std::optional<std::size_t> markAt(QPointF point) const;
    [[nodiscard]] bool hasSteps() const { return m_shown.bars.size() > 1; }

    // `current`: the mark with a frame.
    void paint(QPainter &painter, const Theme &theme, std::optional<std::size_t> current) const;

    [[nodiscard]] QString stepsHeading() const; // "From A to B: −80.1 µs per image, −12.0 %"; empty without steps
    // "B IOS-Both, idle SMs 120 µs, 30.0 %"; of a step "idle SMs −80.1 µs: 200 → 120 µs".
    [[nodiscard]] QString markText(std::size_t mark) const;
    // A line for each part, and the latencies; cells are separated by `separator`.
    [[nodiscard]] QString table(QChar separator) const;

private:
    struct Line { // of text
        QRectF rect;
        QString text;
        bool isStrong = false;
        bool isMuted = false;
        Qt::Alignment alignment = Qt::AlignLeft;
        std::optional<double> change{}; // gives it a colour
    };
    struct Swatch {
        TimePart part;
        QRectF rect;
    };

    void layOutBars();
    void layOutLegend();
    void layOutSteps();
    void addLine(const QRectF &rect, const QString &text, bool isStrong = false, bool isMuted = false,
                 Qt::Alignment alignment = Qt::AlignLeft, std::optional<double> change = {});
    [[nodiscard]] std::vector<TimePart> partsShown() const; // that a bar has
    // "idle SMs or idle cores" where bars differ. `other`: of the first bar and that one; else of all.
    [[nodiscard]] QString wordsOf(TimePart part, std::optional<std::size_t> other = {}) const;
    [[nodiscard]] QString titleOf(std::size_t bar) const; // "A IOS-Both"
    [[nodiscard]] QString shortTitleOf(std::size_t bar) const;
    void paintMark(QPainter &painter, const Theme &theme, const Mark &mark) const;

    ShownTimeParts m_shown;
    QFont m_font;
    QFontMetricsF m_metrics{QFont()};
    double m_width = 0;
    double m_left = 0; // of what is laid out; then of the steps
    double m_right = 0;
    double m_height = 0;
    std::vector<Mark> m_marks;
    std::vector<Line> m_lines;
    std::vector<Swatch> m_swatches;
    std::vector<QLineF> m_joints;                  // between steps
    std::vector<std::pair<double, QRectF>> m_ends; // where latencies end that are shorter than their timelines
    double m_stepsFromUs = 0;                      // where the axis of the steps starts
};

} // namespace stagecraft
