#include "widgets/timeline/kernel_rows.h"

#include "timing/timeline/timeline_rows.h"
#include "widgets/base/fitted_name.h"
#include "widgets/timeline/timeline_text.h"

#include <QImage>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace stagecraft {
namespace {

constexpr double kRowFill = 0.8;   // share of the distance between streams
constexpr double kBoxWidth = 3;    // pixels from which a kernel has a box of its own
constexpr double kGapWidth = 4;    // pixels from which a gap is drawn
constexpr double kModelBar = 4;    // pixels below the name
constexpr double kNamedWidth = 26; // pixels from which a box has a name

QCPRange wholeTime(const TimelineIndexPtr &index, bool &found)
{
    found = index != nullptr;
    return found ? QCPRange(0, microseconds(index->timeline().durationNs)) : QCPRange();
}

QRgb premultiplied(const QColor &colour, double opacity)
{
    const auto part = [opacity](int channel) { return static_cast<int>(std::lround(channel * opacity)); };
    return qRgba(part(colour.red()), part(colour.green()), part(colour.blue()), part(255));
}

} // namespace

QRectF KernelRows::rectOf(const KernelSpan &kernel) const
{
    return rectOn({kernel.startNs, kernel.endNs}, kernel.stream);
}

QRectF KernelRows::rectOn(TimeRange time, std::size_t rowIndex) const
{
    const double left = keyAxis()->coordToPixel(microseconds(time.fromNs));
    const double right = keyAxis()->coordToPixel(microseconds(time.toNs));
    const auto row = static_cast<double>(rowIndex);
    const double top = valueAxis()->coordToPixel(row - kRowFill / 2);
    const double bottom = valueAxis()->coordToPixel(row + kRowFill / 2);
    return {left, std::min(top, bottom), std::max(1.0, right - left), std::abs(bottom - top)};
}

std::optional<std::size_t> KernelRows::rowAt(double pixelY) const
{
    const double at = valueAxis()->pixelToCoord(pixelY);
    const double row = std::round(at);
    if (!index || row < 0 || row >= static_cast<double>(index->rows()) || std::abs(at - row) > kRowFill / 2)
        return std::nullopt;
    return static_cast<std::size_t>(row);
}

const KernelSpan *KernelRows::kernelAt(QPointF pixel) const
{
    const auto row = rowAt(pixel.y());
    if (!row)
        return nullptr;
    // Half a pixel of tolerance on each side: many kernels are narrower than a pixel.
    const std::int64_t ns = nanoseconds(keyAxis()->pixelToCoord(pixel.x()));
    if (const KernelSpan *kernel = index->kernelAt(*row, ns))
        return kernel;
    const std::size_t next = index->firstEndingAfter(*row, nanoseconds(keyAxis()->pixelToCoord(pixel.x() - 0.5)));
    const auto spans = index->row(*row);
    if (next < spans.size() && spans[next].startNs <= nanoseconds(keyAxis()->pixelToCoord(pixel.x() + 0.5)))
        return &index->kernel(spans[next]);
    return nullptr;
}

QCPRange KernelRows::getKeyRange(bool &found, QCP::SignDomain) const
{
    return wholeTime(index, found);
}

QCPRange KernelRows::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = index != nullptr;
    return found ? QCPRange(-0.5, static_cast<double>(index->rows()) - 0.5) : QCPRange();
}

bool KernelRows::isSelected(const KernelSpan &kernel) const
{
    if (selected.op)
        return std::ranges::find(kernel.operators, *selected.op) != kernel.operators.end();
    return selected.stage == kernel.stage;
}

void KernelRows::draw(QCPPainter *painter)
{
    if (!index || keyAxis()->axisRect()->rect().isEmpty())
        return;
    painter->setAntialiasing(false);
    for (std::size_t row = 0; row < index->rows(); ++row)
        drawRow(*painter, row);
    outlineSelected(*painter);
}

namespace {

// Kernels of no stage, which a profile has and no operator took, keep to the background.
// Of a kernel of streams, those of its stream.
std::uint32_t coloursOf(const KernelSpan &kernel)
{
    return kernel.stage == kOfNoStage && !kernel.operators.empty() ? kernel.group : kernel.stage;
}

QColor fillOf(const Theme &theme, std::size_t stage)
{
    return stage == kOfNoStage ? mixed(theme.canvas, theme.mutedText, 0.35) : theme.stageFill(stage);
}

QColor outlineOf(const Theme &theme, std::size_t stage)
{
    return stage == kOfNoStage ? mixed(theme.canvas, theme.mutedText, 0.6) : theme.stageOutline(stage);
}

// How busy each pixel of a row is, and with which stage.
class BusyPixels {
public:
    BusyPixels(int left, int width) : m_left(left), m_busy(static_cast<std::size_t>(width), 0), m_stages(m_busy.size())
    {
    }

    void add(int x, double share, std::size_t stage)
    {
        if (x < m_left || x >= m_left + static_cast<int>(m_busy.size()))
            return;
        const auto pixel = static_cast<std::size_t>(x - m_left);
        m_busy[pixel] += static_cast<float>(share);
        m_stages[pixel] = static_cast<std::uint32_t>(stage);
        m_isAny = true;
    }

    // Stretched over the height. A kernel is seen however short it is.
    void draw(QPainter &painter, double top, double height, const Theme &theme) const
    {
        if (!m_isAny)
            return;
        QImage line(static_cast<int>(m_busy.size()), 1, QImage::Format_ARGB32_Premultiplied);
        line.fill(Qt::transparent);
        auto *pixels = reinterpret_cast<QRgb *>(line.scanLine(0));
        for (std::size_t i = 0; i < m_busy.size(); ++i) {
            if (m_busy[i] > 0)
                pixels[i] = premultiplied(fillOf(theme, m_stages[i]), std::clamp<double>(m_busy[i], 0.25, 1));
        }
        painter.drawImage(QRectF(m_left, top, static_cast<double>(m_busy.size()), height), line);
    }

private:
    int m_left;
    std::vector<float> m_busy;
    std::vector<std::uint32_t> m_stages;
    bool m_isAny = false;
};

} // namespace

// Of kernels narrower than a pixel, all that begin in one are added at once.
void KernelRows::drawRow(QCPPainter &painter, std::size_t row) const
{
    const QRect area = keyAxis()->axisRect()->rect();
    const double nsPerPixel = (keyAxis()->pixelToCoord(1) - keyAxis()->pixelToCoord(0)) * 1e3;
    const double zeroNs = keyAxis()->pixelToCoord(0) * 1e3;
    const auto pixelOf = [&](std::int64_t ns) { return (static_cast<double>(ns) - zeroNs) / nsPerPixel; };
    const std::int64_t fromNs = nanoseconds(keyAxis()->pixelToCoord(area.left()));
    const std::int64_t toNs = nanoseconds(keyAxis()->pixelToCoord(area.right() + 1)) + 1;
    const auto spans = index->row(row);
    BusyPixels pixels(area.left(), area.width());
    std::vector<std::size_t> boxes;
    std::vector<std::size_t> gaps; // the spans after them
    std::size_t i = index->firstEndingAfter(row, fromNs);
    while (i < spans.size() && spans[i].startNs < toNs) {
        const double left = pixelOf(spans[i].startNs);
        const double right = pixelOf(index->endOf(spans[i]));
        if (left - (i > 0 ? pixelOf(index->endOf(spans[i - 1])) : pixelOf(0)) >= kGapWidth)
            gaps.push_back(i);
        if (right - left >= kBoxWidth) {
            boxes.push_back(i++);
            continue;
        }
        const int x = static_cast<int>(std::floor(left));
        if (right - left >= 1) {
            const std::size_t stage = coloursOf(index->kernel(spans[i]));
            for (int each = x; each < right; ++each)
                pixels.add(each, std::min<double>(right, each + 1) - std::max<double>(left, each), stage);
            ++i;
            continue;
        }
        std::size_t next = index->firstStartingAt(row, static_cast<std::int64_t>(zeroNs + (x + 1) * nsPerPixel), i + 1);
        while (next > i + 1 && pixelOf(index->endOf(spans[next - 1])) - pixelOf(spans[next - 1].startNs) >= 1)
            --next; // it is wider
        pixels.add(x, static_cast<double>(index->lengthNs(row, i, next)) / nsPerPixel,
                   coloursOf(index->kernel(spans[i + (next - i) / 2])));
        i = next;
    }
    gaps.push_back(i);
    const QRectF place = rectOn({fromNs, toNs}, row);
    pixels.draw(painter, place.top(), place.height(), theme);
    for (const std::size_t gap : gaps)
        drawGaps(painter, row, gap);
    for (const std::size_t box : boxes)
        drawBox(painter, index->kernel(spans[box]), rectOn({spans[box].startNs, index->endOf(spans[box])}, row));
}

void KernelRows::drawGaps(QCPPainter &painter, std::size_t row, std::size_t next) const
{
    const QRectF area(keyAxis()->axisRect()->rect());
    const auto shown = [&](TimeRange gap) { return gap.sizeNs() > 0 ? rectOn(gap, row).intersected(area) : QRectF(); };
    painter.setBrush(Qt::NoBrush);
    if (next > 0) {
        if (const QRectF wait = shown(index->waitAfter(row, next - 1)); wait.width() >= kGapWidth) {
            QColor hatch = theme.mutedText;
            hatch.setAlphaF(0.55F);
            painter.fillRect(wait, QBrush(hatch, Qt::BDiagPattern));
            painter.setPen(QPen(hatch, 1, Qt::DotLine));
            painter.drawRect(wait.adjusted(0, 0, -1, -1));
        }
    }
    if (next < index->row(row).size()) {
        if (const QRectF launch = shown(index->launchBefore(row, next)); launch.width() >= kGapWidth) {
            const double middle = launch.center().y();
            painter.setPen(QPen(theme.mutedText, 1, Qt::DotLine));
            painter.drawLine(QLineF(launch.left() + 1, middle, launch.right() - 1, middle));
            painter.setPen(QPen(theme.mutedText, 1));
            painter.drawLine(QLineF(launch.right() - 1, middle - 3, launch.right() - 1, middle + 3));
        }
    }
}

// The operators first; then what the kernel is, if it fits.
QString KernelRows::label(const KernelSpan &kernel, const QFontMetrics &metrics, double width) const
{
    const QString operators = operatorsText(kernel, graph.get());
    const QString name = kernelName(kernel);
    const QString both =
        operators.isEmpty() || operators == name ? name : QStringLiteral("%1 · %2").arg(operators, name);
    if (operators.isEmpty() || metrics.horizontalAdvance(both) <= width)
        return metrics.elidedText(both, Qt::ElideRight, static_cast<int>(width));
    return fittedName(operators, metrics, static_cast<int>(width));
}

void KernelRows::drawBox(QCPPainter &painter, const KernelSpan &kernel, const QRectF &rect) const
{
    const QRectF area(keyAxis()->axisRect()->rect());
    const QRectF seen = rect.intersected(area.adjusted(-2, 0, 2, 0)); // without what is far outside
    if (seen.isEmpty())
        return;
    const QColor fill = fillOf(theme, coloursOf(kernel));
    painter.fillRect(seen, fill);
    if (rect.width() > 3) {
        painter.setPen(outlineOf(theme, coloursOf(kernel)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(seen.adjusted(0, 0, -1, -1));
    }
    const auto model = kernel.operators.empty() ? std::nullopt : models.of(kernel.operators.front());
    if (model && seen.height() > kModelBar)
        paintModelMark(painter, QRectF(seen.left(), seen.bottom() - kModelBar, seen.width(), kModelBar), *model, theme);
    const QRectF inner = rect.intersected(area).adjusted(4, 0, -3, 0);
    if (inner.width() > kNamedWidth && inner.height() >= painter.fontMetrics().height() - 3) {
        painter.setPen(theme.onFill(fill));
        painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft, label(kernel, painter.fontMetrics(), inner.width()));
    }
}

void KernelRows::outlineSelected(QCPPainter &painter) const
{
    const auto range = selected.op      ? index->rangeOf(*selected.op)
                       : selected.stage ? index->rangeOfStage(*selected.stage)
                                        : std::nullopt;
    if (!range)
        return;
    const QRectF area(keyAxis()->axisRect()->rect());
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    for (std::size_t row = 0; row < index->rows(); ++row) {
        const auto spans = index->row(row);
        double drawnTo = area.left() - 1; // many kernels in one pixel have one outline
        for (std::size_t i = index->firstEndingAfter(row, range->fromNs);
             i < spans.size() && spans[i].startNs < range->toNs; ++i) {
            const QRectF rect = rectOn({spans[i].startNs, index->endOf(spans[i])}, row);
            if (rect.left() > area.right())
                break;
            if (rect.right() <= drawnTo || !isSelected(index->kernel(spans[i])))
                continue;
            painter.drawRect(rect.intersected(area.adjusted(-2, 0, 2, 0)).adjusted(0, 0, -1, -1));
            drawnTo = rect.right();
        }
    }
}

} // namespace stagecraft
