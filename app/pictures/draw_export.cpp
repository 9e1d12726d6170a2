#include "pictures/draw_export.h"

#include "pictures/picture_page.h"
#include "pictures/same_order.h"
#include "pictures/view_pictures.h"

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

Result<std::string> pictureFile(const Picture &picture, const ExportFormat &format, double scale)
{
    if (format.name == "png")
        return pngOf(picture, scale);
    return format.name == "pdf" ? pdfOf(picture, scale) : svgOf(picture);
}

Result<std::string> drawExport(const ExportRequest &request)
{
    return pictureFile(pictureOf(request), *request.format, request.style.scale);
}

} // namespace stagecraft
