#include "pictures/picture.h"

#include "pictures/same_order.h"
#include "support/number_text.h"

#include <QBuffer>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr int kUnitsPerInch = 96;
constexpr double kPointsPerUnit = 72.0 / kUnitsPerInch;
constexpr double kMostPixels = 32'000; // on a side; and in all, 300 million, which take 1.2 GB
constexpr double kMostPixelsInAll = 300e6;

std::string text(const QByteArray &bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

void paintOn(QPaintDevice &device, const Picture &picture, double scale, QCPPainter::PainterModes modes)
{
    QCPPainter painter(&device);
    painter.setModes(modes | QCPPainter::pmNoCaching);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.scale(scale, scale);
    picture.paint(painter);
}

// Qt writes when and as which of all documents a PDF was made. Replaced by zeros of the same length: offsets stay.
void removeMomentOfMaking(QByteArray &pdf)
{
    static const QRegularExpression moment(QStringLiteral("D:([0-9]{14}[+-][0-9]{2}'[0-9]{2}'|[0-9]{14}Z?)"));
    const QString latin = QString::fromLatin1(pdf);
    for (auto found = moment.globalMatch(latin); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        constexpr QByteArrayView kMoment("D:20000101000000");
        pdf.replace(match.capturedStart(), kMoment.size(), kMoment);
    }
}

} // namespace

QImage imageOf(const Picture &picture, double scale)
{
    QImage image((picture.size * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return image;
    const auto perMetre = static_cast<int>(std::lround(kUnitsPerInch / 0.0254));
    image.setDotsPerMeterX(perMetre); // fonts are sized by it; the painter scales them
    image.setDotsPerMeterY(perMetre);
    image.fill(Qt::transparent);
    paintOn(image, picture, scale, QCPPainter::pmDefault);
    return image;
}

std::string svgOf(const Picture &picture)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setResolution(kUnitsPerInch);
    svg.setSize(picture.size.toSize());
    svg.setViewBox(QRectF(QPointF(), picture.size));
    svg.setTitle(picture.title);
    svg.setDescription(QStringLiteral("Made by Stagecraft"));
    paintOn(svg, picture, 1, QCPPainter::pmVectorized);
    // Qt rounds the size to millimetres that do not have the shape of the picture.
    static const QRegularExpression millimetres(QStringLiteral("width=\"[0-9.]+mm\" height=\"[0-9.]+mm\""));
    const QString size =
        QStringLiteral("width=\"%1\" height=\"%2\"").arg(picture.size.width()).arg(picture.size.height());
    const auto found = millimetres.match(QString::fromLatin1(bytes.left(1000)));
    bytes.replace(found.capturedStart(), found.capturedLength(), size.toLatin1());
    return text(bytes);
}

double fittingPdfScale(const Picture &picture, double scale)
{
    const double longest = std::max({picture.size.width(), picture.size.height(), 1.0});
    return std::min(scale, kMostPdfPoints / kPointsPerUnit / longest);
}

std::string pdfOf(const Picture &picture, double scale)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        const SameOrder order;
        QPdfWriter pdf(&buffer);
        pdf.setResolution(kUnitsPerInch);
        pdf.setPageMargins(QMarginsF());
        pdf.setPageSize(
            QPageSize(picture.size * scale * kPointsPerUnit, QPageSize::Point, QString(), QPageSize::ExactMatch));
        pdf.setTitle(picture.title);
        pdf.setCreator(QStringLiteral("Stagecraft"));
        paintOn(pdf, picture, scale, QCPPainter::pmVectorized);
    }
    removeMomentOfMaking(bytes);
    return text(bytes);
}

Result<std::string> pngOf(const Picture &picture, double scale)
{
    const double width = std::ceil(picture.size.width() * scale);
    const double height = std::ceil(picture.size.height() * scale);
    if (width > kMostPixels || height > kMostPixels || width * height > kMostPixelsInAll)
        return refused("the picture would have " + grouped(static_cast<std::int64_t>(width)) + " x " +
                           grouped(static_cast<std::int64_t>(height)) + " pixels",
                       "Choose a smaller --scale, or svg or pdf, which have no pixels");
    const QImage image = imageOf(picture, scale);
    if (image.isNull())
        return refused("there is not enough memory for the picture", "Choose a smaller --scale, or svg or pdf");
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "png");
    return text(bytes);
}

} // namespace stagecraft
