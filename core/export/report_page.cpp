#include "export/report_page.h"

#include "export/cpp_project/embedded_sources.h"
#include "schedule/stage_colours.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stagecraft {
namespace {

// In this order: classes before what is started.
constexpr std::array kScripts{"report:model.js",         "report:layout.js",        "report:viewport.js",
                              "report:state.js",         "report:dom.js",           "report:graph_view.js",
                              "report:schedule_view.js", "report:timeline_view.js", "report:table_view.js",
                              "report:details_view.js",  "report:explorer.js",      "report:page.js"};

std::string_view sourceAt(std::string_view path)
{
    return std::ranges::find(embeddedSources(), path, &EmbeddedSource::path)->text;
}

std::string stageColours()
{
    std::string rules = ":root {\n";
    for (std::size_t i = 0; i < kStageLight.size(); ++i)
        rules += fmt::format("    --stage-{}: var(--light, #{:06x}) var(--dark, #{:06x});\n", i, kStageLight[i],
                             kStageDark[i]);
    return rules + "}\n";
}

} // namespace

std::string pageBegin(const std::string &title, std::string_view style)
{
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<title>{}</title>\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                       "<style>\n{}{}{}</style>\n</head>\n<body>\n",
                       title, sourceAt("report:report.css"), stageColours(), style);
}

std::string pageEnd()
{
    std::string text = "<script>\n'use strict';\n";
    for (const char *path : kScripts)
        text += sourceAt(path);
    return text + "</script>\n</body>\n</html>\n";
}

} // namespace stagecraft
