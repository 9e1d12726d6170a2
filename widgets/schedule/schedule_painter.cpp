#include "widgets/schedule/schedule_painter.h"

#include "operators/schema.h"
#include "widgets/base/fitted_name.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kTwoLines = 28; // box height at which name and type fit
constexpr double kOneLine = 13;
constexpr double kRadius = 4;
constexpr double kHeaderGap = 12;

bool leavesOutWork(const SchedulePicture &picture, const StageRange &stages)
{
    for (std::size_t i = stages.first; picture.schedule.leavesOutWork() && i < stages.end(); ++i) {
        if (picture.schedule.leavesOutWork(picture.graph, i))
            return true;
    }
    return false;
}

class SchedulePainter {
public:
    SchedulePainter(QPainter &painter, const SchedulePicture &picture, const QRectF &visible)
        : m_painter(painter), m_picture(picture), m_theme(picture.theme), m_visible(visible), m_font(painter.font()),
          m_bold(painter.font()), m_small(painter.font())
    {
        m_bold.setWeight(QFont::DemiBold);
        const double size = m_font.pointSizeF() > 0 ? m_font.pointSizeF() : 9;
        m_small.setPointSizeF(size * 0.86);
    }

    void paint()
    {
        const auto [first, last] = m_picture.layout.rowsBetween(m_visible.top(), m_visible.bottom());
        for (std::size_t i = 0; i < m_picture.layout.headers.size(); ++i) {
            const BlockHeader &header = m_picture.layout.headers[i];
            if (header.rect.bottom() >= m_visible.top() && header.rect.top() <= m_visible.bottom())
                paintHeader(header, i);
        }
        for (std::size_t i = first; i < last; ++i) {
            if (m_picture.layout.rows[i].rect.height() > 0)
                paintRow(m_picture.layout.rows[i]);
        }
        for (const FoldLine &fold : m_picture.layout.folds) {
            if (fold.rect.bottom() >= m_visible.top() && fold.rect.top() <= m_visible.bottom())
                paintFold(fold);
        }
        for (const SpanPlace &span : m_picture.layout.spans) {
            if (!span.isEqual && span.top + span.height >= m_visible.top() && span.top <= m_visible.bottom())
                paintBracket(span);
        }
    }

private:
    [[nodiscard]] bool isStageSelected(std::size_t stage) const { return m_picture.selected.stage == stage; }
    [[nodiscard]] bool isInSelectedBlock(std::size_t stage) const
    {
        return m_picture.selected.block == m_picture.schedule.stages[stage].block;
    }

    void paintHeader(const BlockHeader &header, std::size_t index)
    {
        m_painter.fillRect(header.rect, m_theme.panel);
        m_painter.setPen(m_theme.border);
        m_painter.drawLine(header.rect.topLeft(), header.rect.topRight());
        if (m_picture.selected.block == header.block)
            m_painter.fillRect(QRectF(m_visible.left(), header.rect.top(), 5, header.rect.height()), m_theme.accent);
        const QRectF inner =
            QRectF(m_visible.left() + 10, header.rect.top(), m_visible.width() - 20, header.rect.height());
        m_painter.setFont(m_bold);
        m_painter.setPen(m_theme.text);
        const QString title = blockTitle(header.block);
        m_painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft, title);
        QRectF rest = inner.adjusted(m_painter.fontMetrics().horizontalAdvance(title) + kHeaderGap, 0, 0, 0);
        m_painter.setFont(m_small);
        const HeaderText said = headerText(m_picture, index, m_painter.fontMetrics(), static_cast<int>(rest.width()));
        const auto draw = [&](const QString &text, const QColor &colour) {
            m_painter.setPen(colour);
            m_painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, text);
            if (!text.isEmpty())
                rest.setLeft(rest.left() + m_painter.fontMetrics().horizontalAdvance(text) + kHeaderGap);
        };
        draw(said.latency, m_theme.text);
        if (!said.change.isEmpty())
            draw(said.change, m_picture.blockChanges[index].us() < 0 ? m_theme.faster : m_theme.slower);
        draw(said.facts, m_theme.mutedText);
    }

    // "12 stages equal, 1.02 ms", with a triangle that shows whether they are unfolded.
    void paintFold(const FoldLine &fold)
    {
        const QRectF line(m_visible.left(), fold.rect.top(), m_visible.width(), fold.rect.height());
        m_painter.fillRect(line, mixed(m_theme.canvas, m_theme.panel, fold.isFolded ? 1.0 : 0.5));
        m_painter.setPen(m_theme.grid);
        m_painter.drawLine(line.bottomLeft(), line.bottomRight());
        const double middle = line.center().y();
        const double left = line.left() + 14;
        const QPolygonF triangle =
            fold.isFolded ? QPolygonF({{left, middle - 4}, {left + 6, middle}, {left, middle + 4}})
                          : QPolygonF({{left - 1, middle - 3}, {left + 7, middle - 3}, {left + 3, middle + 4}});
        m_painter.setRenderHint(QPainter::Antialiasing);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.mutedText);
        m_painter.drawPolygon(triangle);
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        m_painter.setFont(m_small);
        m_painter.setPen(m_theme.mutedText);
        const QRectF inner = line.adjusted(30, 0, -8, 0);
        m_painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft,
                           m_painter.fontMetrics().elidedText(foldText(fold, m_picture.schedule), Qt::ElideRight,
                                                              static_cast<int>(inner.width())));
        const auto &stage = m_picture.selected.stage;
        if (fold.isFolded && stage && *stage >= fold.stages.first && *stage < fold.stages.end()) {
            m_painter.setPen(QPen(m_theme.accent, 2));
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawRect(line.adjusted(1, 1, -1, -1));
        }
    }

    // A bracket at the left marks stages that differ; equal ones have none.
    void paintBracket(const SpanPlace &span)
    {
        const double left = 6.5;
        const double top = span.top + 2.5;
        const double bottom = span.top + span.height - 2.5;
        m_painter.setPen(QPen(m_theme.text, 2));
        m_painter.drawLine(QPointF(left, top), QPointF(left, bottom));
        m_painter.drawLine(QPointF(left, top), QPointF(left + 5, top));
        m_painter.drawLine(QPointF(left, bottom), QPointF(left + 5, bottom));
    }

    [[nodiscard]] bool isQuiet(std::size_t stage) const
    {
        const auto &spans = m_picture.layout.spans;
        const auto span = std::ranges::partition_point(
            spans, [stage](const SpanPlace &place) { return place.stages.end() <= stage; });
        return span != spans.end() && span->isEqual;
    }

    [[nodiscard]] QColor fillOf(std::size_t stage) const
    {
        const QColor fill = m_theme.stageFill(stage);
        return isQuiet(stage) ? mixed(m_theme.canvas, fill, 0.4) : fill;
    }

    void paintRow(const StageRow &row)
    {
        const bool selected = isStageSelected(row.stage);
        const bool hovered = m_picture.hovered && m_picture.hovered->stage == row.stage;
        const QColor fill = fillOf(row.stage);
        const bool inBlock = isInSelectedBlock(row.stage);
        const double tint = selected || inBlock ? 0.34 : hovered ? 0.24 : 0.14;
        m_painter.fillRect(row.rect, mixed(m_theme.canvas, fill, tint));
        m_painter.fillRect(QRectF(row.rect.left(), row.rect.top(), 4, row.rect.height()), fill);
        if (inBlock)
            m_painter.fillRect(QRectF(m_visible.left(), row.rect.top(), 5, row.rect.height()), m_theme.accent);
        m_painter.setPen(m_theme.grid);
        m_painter.drawLine(row.rect.bottomLeft(), row.rect.bottomRight());
        paintGutter(row);
        const Stage &stage = m_picture.schedule.stages[row.stage];
        if (stage.isMerged())
            paintFrame(row, QStringLiteral("merged into one operator"), QPen(m_theme.mergeMark, 2));
        else if (stage.isFused())
            paintFrame(row, QStringLiteral("fused into rTasks"), QPen(m_theme.text, 2, Qt::DashLine));
        else if (row.isList)
            paintGroups(row);
        for (std::size_t i = row.firstBox; i < row.firstBox + row.boxCount; ++i) {
            if (m_picture.layout.boxes[i].rect.intersects(m_visible))
                paintBox(m_picture.layout.boxes[i]);
        }
        if (selected) {
            m_painter.setPen(QPen(m_theme.accent, 2));
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawRect(QRectF(m_visible.left() + 1, row.rect.top() + 1,
                                      std::min(m_visible.width(), row.rect.right() - m_visible.left()) - 2,
                                      row.rect.height() - 2));
        }
    }

    // Number, latency, and the latency as a bar.
    void paintGutter(const StageRow &row)
    {
        const double height = std::min(20.0, row.gutter.height() - 2);
        if (height < 5)
            return;
        const QRectF line(row.gutter.left(), row.gutter.center().y() - height / 2, row.gutter.width(), height);
        const QColor fill = fillOf(row.stage);
        const QRectF chip(line.left() + 2, line.top(), 32, height);
        m_painter.setRenderHint(QPainter::Antialiasing);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(fill);
        m_painter.drawRoundedRect(chip, kRadius, kRadius);
        const bool withText = height >= kOneLine;
        if (withText) {
            m_painter.setFont(m_bold);
            m_painter.setPen(m_theme.onFill(fill));
            m_painter.drawText(chip, Qt::AlignCenter, QString::number(row.stage + 1));
        }
        if (const auto known = m_picture.latencyUs(row.stage)) {
            const double latencyUs = *known;
            if (withText) {
                m_painter.setFont(m_font);
                m_painter.setPen(m_theme.text);
                m_painter.drawText(
                    QRectF(chip.right() + 4, line.top(), std::min(62.0, row.gutter.right() - chip.right()), height),
                    Qt::AlignVCenter | Qt::AlignRight,
                    shortLatencyText(latencyUs, m_picture.schedule.leavesOutWork(m_picture.graph, row.stage)));
            }
            paintBar(QRectF(chip.right() + 74, line.center().y() - std::min(4.0, height / 4),
                            row.gutter.right() - chip.right() - 76, std::min(8.0, height / 2)),
                     m_picture.layout.slowestStageUs > 0 ? latencyUs / m_picture.layout.slowestStageUs : 0, row.stage);
        } else if (withText) {
            m_painter.setFont(m_small);
            m_painter.setPen(m_theme.mutedText);
            m_painter.drawText(QRectF(chip.right() + 10, line.top(), row.gutter.width() - 40, height),
                               Qt::AlignVCenter | Qt::AlignLeft, QStringLiteral("not measured"));
        }
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    void paintBar(const QRectF &track, double share, std::size_t stage)
    {
        if (track.width() < 12)
            return;
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.grid);
        m_painter.drawRoundedRect(track, 2, 2);
        QRectF filled = track;
        filled.setWidth(std::max(2.0, track.width() * std::clamp(share, 0.0, 1.0)));
        m_painter.setBrush(m_theme.stageOutline(stage));
        m_painter.drawRoundedRect(filled, 2, 2);
    }

    // In a list, a line along the operators of each group: they run one after another.
    void paintGroups(const StageRow &row)
    {
        const auto first = m_picture.layout.boxes.begin() + static_cast<std::ptrdiff_t>(row.firstBox);
        const auto last = first + static_cast<std::ptrdiff_t>(row.boxCount);
        for (auto box = first; box != last;) {
            const auto end = std::find_if(box, last, [&](const OperatorBox &each) { return each.group != box->group; });
            const QRectF line(row.lanes.left(), box->rect.top(), 3, std::prev(end)->rect.bottom() - box->rect.top());
            m_painter.fillRect(line, m_theme.stageOutline(row.stage));
            box = end;
        }
    }

    // One box around all operators: they run as one.
    void paintFrame(const StageRow &row, const QString &what, QPen outline)
    {
        const bool rounded = row.lanes.height() >= kOneLine;
        m_painter.setRenderHint(QPainter::Antialiasing, rounded);
        outline.setWidthF(rounded ? 2 : 1);
        m_painter.setPen(outline);
        m_painter.setBrush(fillOf(row.stage));
        m_painter.drawRoundedRect(row.lanes, rounded ? kRadius : 0, rounded ? kRadius : 0);
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        const QRectF title(row.lanes.left() + 6, row.lanes.top(), row.lanes.width() - 12,
                           m_picture.layout.boxes[row.firstBox].rect.top() - row.lanes.top());
        if (title.height() < 11)
            return;
        m_painter.setFont(m_small);
        m_painter.setPen(m_theme.onFill(fillOf(row.stage)));
        m_painter.drawText(title, Qt::AlignVCenter | Qt::AlignLeft,
                           m_painter.fontMetrics().elidedText(what, Qt::ElideRight, static_cast<int>(title.width())));
    }

    [[nodiscard]] bool isInList(const OperatorBox &box) const { return m_picture.layout.rows[box.stage].isList; }

    void paintBox(const OperatorBox &box)
    {
        const bool selected = m_picture.selected.op == box.op;
        const bool hovered = m_picture.hovered && m_picture.hovered->op == box.op;
        const QColor fill = fillOf(box.stage);
        const QRectF rect = box.rect.adjusted(0.5, 0.5, -0.5, -0.5);
        if (box.rect.height() < kOneLine) {
            m_painter.fillRect(box.rect, fill);
            paintModel(box);
            if (selected) {
                m_painter.setPen(QPen(m_theme.accent, 2));
                m_painter.setBrush(Qt::NoBrush);
                m_painter.drawRect(rect);
            }
            return;
        }
        m_painter.setRenderHint(QPainter::Antialiasing);
        if (box.merged) {
            m_painter.setPen(QPen(m_theme.mergeMark, 1, Qt::DashLine));
            if (box.group > 0)
                m_painter.drawLine(box.rect.topLeft(), isInList(box) ? box.rect.topRight() : box.rect.bottomLeft());
        } else {
            m_painter.setPen(QPen(m_theme.stageOutline(box.stage), 1));
            m_painter.setBrush(fill);
            m_painter.drawRoundedRect(rect, kRadius, kRadius);
        }
        paintModel(box);
        if (selected || hovered) {
            m_painter.setPen(QPen(selected ? m_theme.accent : m_theme.stageOutline(box.stage), selected ? 3 : 2));
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), kRadius, kRadius);
        }
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        paintBoxText(box, m_theme.onFill(fill));
    }

    void paintModel(const OperatorBox &box)
    {
        if (const auto model = m_picture.models.of(box.op))
            paintModelMark(m_painter, modelBar(box.rect), *model, m_theme);
    }

    void paintBoxText(const OperatorBox &box, const QColor &ink)
    {
        const QRectF inner = box.rect.adjusted(m_picture.models.isEmpty() ? 6 : 10, 2, -5, -2);
        const int width = static_cast<int>(inner.width());
        if (width < 20)
            return;
        const Operator &op = m_picture.graph.op(box.op);
        m_painter.setPen(ink);
        const bool two = box.rect.height() >= kTwoLines;
        const QRectF top = two ? QRectF(inner.left(), inner.top(), inner.width(), inner.height() / 2) : inner;
        m_painter.setFont(isInList(box) ? m_font : m_bold);
        const QString name = m_picture.labels.fitted(box.op, box.stage, m_painter.fontMetrics(), width);
        m_painter.drawText(top, Qt::AlignVCenter | Qt::AlignLeft, name);
        if (!two)
            return;
        m_painter.setFont(m_small);
        QColor soft = ink;
        soft.setAlphaF(0.82F);
        m_painter.setPen(soft);
        m_painter.drawText(QRectF(inner.left(), inner.center().y(), inner.width(), inner.height() / 2),
                           Qt::AlignVCenter | Qt::AlignLeft,
                           m_painter.fontMetrics().elidedText(shownName(displayType(op)), Qt::ElideRight, width));
    }

    QPainter &m_painter;
    const SchedulePicture &m_picture;
    const Theme &m_theme;
    QRectF m_visible;
    QFont m_font;
    QFont m_bold;
    QFont m_small;
};

} // namespace

std::optional<double> SchedulePicture::latencyUs(std::size_t stage) const
{
    if (stage < schedule.measured.stages.size())
        return schedule.measured.stages[stage].latencyUs;
    return stage < marks.size() ? marks[stage].latencyUs : std::nullopt;
}

HeaderText headerText(const SchedulePicture &picture, std::size_t header, const QFontMetrics &metrics, int width)
{
    const BlockHeader &block = picture.layout.headers[header];
    const QString operators = plural(static_cast<std::int64_t>(block.operators), "operator");
    const QString stages = plural(static_cast<std::int64_t>(block.stages), "stage");
    const auto widthOf = [&](const QString &text) {
        return text.isEmpty() ? 0 : metrics.horizontalAdvance(text) + static_cast<int>(kHeaderGap);
    };
    HeaderText said;
    QStringList facts{QStringLiteral("%1, %2").arg(operators, stages), stages, QString()};
    if (block.parts) {
        const bool atLeast = leavesOutWork(picture, block.parts->stages);
        said.latency = latencyText(block.parts->latencyUs(), atLeast);
        if (metrics.horizontalAdvance(said.latency) > width)
            said.latency = shortLatencyText(block.parts->latencyUs(), atLeast);
        if (block.parts->barriersUs > 0)
            facts.prepend(QStringLiteral("%1, %2").arg(operators, partsText(*block.parts)));
        else if (block.parts->barriers == 0 && block.stages > 1)
            facts.prepend(QStringLiteral("%1, %2, no barriers").arg(operators, stages));
    }
    int room = width - widthOf(said.latency);
    if (header < picture.blockChanges.size() && !picture.blockChanges[header].isNone()) {
        const TimeChange &change = picture.blockChanges[header];
        const QString us =
            signedLatencyText(change.us()) + (change.isPerImage ? QStringLiteral(" an image") : QString());
        const QString percent = signedPercentText(change.share());
        said.change = fittedText({us + QStringLiteral(", ") + percent, percent}, metrics, std::max(0, room));
        room -= widthOf(said.change);
    }
    const auto fits = std::ranges::find_if(
        facts, [&](const QString &text) { return metrics.horizontalAdvance(text) <= room || text.isEmpty(); });
    said.facts = *fits;
    return said;
}

QString foldText(const FoldLine &fold, const TimedSchedule &schedule)
{
    QString said = QStringLiteral("%1 equal").arg(plural(static_cast<std::int64_t>(fold.stages.count), "stage"));
    if (fold.latencyUs)
        said += QStringLiteral(", ") + shortLatencyText(*fold.latencyUs, schedule.leavesOutWork());
    return said;
}

void paintSchedule(QPainter &painter, const SchedulePicture &picture, const QRectF &visible)
{
    SchedulePainter(painter, picture, visible).paint();
}

} // namespace stagecraft
