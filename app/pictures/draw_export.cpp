#include "pictures/draw_export.h"

#include "pictures/picture_page.h"
#include "pictures/same_order.h"
#include "pictures/view_pictures.h"
#include "support/number_text.h"

#include <cmath>

namespace stagecraft {

Picture pictureOf(const ExportRequest &request)
{
    const SameOrder order;
    const Theme theme = themeFor(picturePalette(request.style.dark));
    switch (request.view) {
    case ExportView::Graph: return graphPicture(request, theme);
    case ExportView::Timeline: return timelinePicture(request, theme);
    case ExportView::Comparison: return comparisonPicture(request, theme);
    case ExportView::Tradeoff: return tradeoffPicture(request, theme);
    case ExportView::Specialisation: return specialisationPicture(request, theme);
    default: return schedulePicture(request);
    }
}

Result<DrawnFile> pictureFile(const Picture &picture, const ExportFormat &format, double scale)
{
    if (format.name == "png")
        return pngOf(picture, scale).map([](std::string bytes) { return DrawnFile{std::move(bytes)}; });
    if (format.name == "svg")
        return DrawnFile{svgOf(picture)};
    const double fitting = fittingPdfScale(picture, scale);
    DrawnFile file{pdfOf(picture, fitting)};
    if (fitting < scale)
        file.remarks.push_back("drawn at " + percent(fitting / scale) + " of its size: a PDF page has at most " +
                               grouped(std::lround(kMostPdfPoints)) + " points on a side");
    return file;
}

Result<DrawnFile> drawExport(const ExportRequest &request)
{
    return pictureFile(pictureOf(request), *request.format, request.style.scale);
}

} // namespace stagecraft
