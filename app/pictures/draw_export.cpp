#include "pictures/draw_export.h"

#include "pictures/picture_page.h"
#include "pictures/same_order.h"
#include "pictures/view_pictures.h"
#include "support/number_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

Result<DrawnFile> svgFile(const Picture &picture, double /*scale*/)
{
    return DrawnFile{svgOf(picture)};
}

Result<DrawnFile> pngFile(const Picture &picture, double scale)
{
    return pngOf(picture, scale).map([scale](std::string bytes) { return DrawnFile{std::move(bytes), scale}; });
}

Result<DrawnFile> pdfFile(const Picture &picture, double scale)
{
    const double fitting = fittingPdfScale(picture, scale);
    DrawnFile file{pdfOf(picture, fitting), fitting};
    if (fitting < scale)
        file.remarks.push_back("drawn at " + percent(fitting / scale) + " of its size: a PDF page has at most " +
                               grouped(std::lround(kMostPdfPoints)) + " points on a side");
    return file;
}

// A row for each format of pictures.
using Write = Result<DrawnFile> (*)(const Picture &picture, double scale);
constexpr std::pair<FileKind, Write> kWriters[]{
    {FileKind::Svg, svgFile}, {FileKind::Png, pngFile}, {FileKind::Pdf, pdfFile}};

} // namespace

Picture pictureOf(const ExportRequest &request)
{
    const SameOrder order;
    const Theme theme = themeFor(picturePalette(request.style.dark));
    switch (request.view) {
    case ExportView::Graph: return graphPicture(request, theme);
    case ExportView::Timeline: return timelinePicture(request, theme);
    case ExportView::TimeParts: return timePartsPicture(request, theme);
    case ExportView::Comparison: return comparisonPicture(request, theme);
    case ExportView::Tradeoff: return tradeoffPicture(request, theme);
    case ExportView::Specialisation: return specialisationPicture(request, theme);
    default: return schedulePicture(request);
    }
}

Result<DrawnFile> pictureFile(const Picture &picture, const ExportFormat &format, double scale)
{
    return std::ranges::find(kWriters, format.kind, &std::pair<FileKind, Write>::first)->second(picture, scale);
}

Result<DrawnFile> drawExport(const ExportRequest &request)
{
    return pictureFile(pictureOf(request), *request.format, request.style.scale);
}

} // namespace stagecraft
