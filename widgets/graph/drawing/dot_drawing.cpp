#include "widgets/graph/drawing/dot_drawing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace stagecraft {
namespace {

using Json = nlohmann::json;

constexpr double kPointsPerInch = 72;
constexpr double kDotArrow = 10;        // points: an arrow of size 1
constexpr std::size_t kQuickPart = 100; // in larger parts, dot's search for short edges is bounded
constexpr double kFarthest = 1e7;       // points: no drawing is larger than this

std::string row(const std::vector<std::uint32_t> &ports, const char *rank, bool ordered)
{
    if (ports.empty())
        return {};
    std::string text = fmt::format("subgraph {0} {{ rank={0};", rank);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        text += fmt::format(" {};", ports[i]);
        if (ordered && i > 0)
            text += fmt::format(" {} -> {} [style=invis];", ports[i - 1], ports[i]);
    }
    return text + " }\n";
}

tl::unexpected<Error> damaged(const std::string &what)
{
    return fail(ErrorCode::InvalidInput, "the answer of Graphviz's dot is damaged: " + what);
}

const Json *member(const Json &object, const char *key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? &*found : nullptr;
}

std::string_view textOf(const Json &object, const char *key)
{
    const Json *value = member(object, key);
    return value && value->is_string() ? std::string_view(value->get_ref<const std::string &>()) : std::string_view();
}

const Json &listOf(const Json &object, const char *key)
{
    static const Json none = Json::array();
    const Json *value = member(object, key);
    return value && value->is_array() ? *value : none;
}

// "12" with the prefix "" and "e12" with the prefix "e" both give 12.
std::optional<std::size_t> indexIn(std::string_view text, std::string_view prefix, std::size_t size)
{
    if (!text.starts_with(prefix))
        return std::nullopt;
    text.remove_prefix(prefix.size());
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || index >= size)
        return std::nullopt;
    return index;
}

// Reads "12.5,30"; dot's y axis points up.
std::optional<QPointF> pointIn(std::string_view text)
{
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos)
        return std::nullopt;
    double x = 0;
    double y = 0;
    const auto read = [](std::string_view digits, double &value) {
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size() && std::abs(value) < kFarthest;
    };
    if (!read(text.substr(0, comma), x) || !read(text.substr(comma + 1), y))
        return std::nullopt;
    return QPointF(x, -y);
}

// Reads "e,55,37 55,71 ...": the tip of the arrow, if any, then 3n + 1 points. Further routes follow a semicolon.
std::optional<Curve> curveIn(std::string_view text)
{
    text = text.substr(0, text.find(';'));
    Curve curve;
    while (!text.empty()) {
        const std::size_t space = std::min(text.find(' '), text.size());
        std::string_view word = text.substr(0, space);
        text.remove_prefix(std::min(space + 1, text.size()));
        const bool tip = word.starts_with("e,");
        const auto point = pointIn(tip ? word.substr(2) : word);
        if (!point || (tip && curve.arrowTip))
            return std::nullopt;
        if (tip)
            curve.arrowTip = *point;
        else
            curve.points.push_back(*point);
    }
    if (curve.points.size() < 4 || curve.points.size() % 3 != 1)
        return std::nullopt;
    return curve;
}

} // namespace

std::string dotText(const Part &part, const Spacing &spacing)
{
    // {:f} always has a decimal point, whatever the locale.
    std::string text = fmt::format("digraph part {{\ngraph [nodesep={:f}, ranksep={:f}", spacing.node / kPointsPerInch,
                                   spacing.rank / kPointsPerInch);
    if (part.nodes.size() > kQuickPart) // network simplex takes most of the time; a bound on its steps hardly shows
        text += ", nslimit=0.5, nslimit1=0.5, mclimit=0.5";
    text += fmt::format("];\nnode [shape=box, fixedsize=true, label=\"\"];\nedge [arrowsize={:f}];\n",
                        spacing.arrow / kDotArrow);
    for (std::size_t i = 0; i < part.nodes.size(); ++i) {
        // dot divides by sizes, so zero is not allowed.
        text += fmt::format("{} [width={:f}, height={:f}];\n", i, std::max(part.nodes[i].width(), 1.0) / kPointsPerInch,
                            std::max(part.nodes[i].height(), 1.0) / kPointsPerInch);
    }
    for (std::size_t i = 0; i < part.edges.size(); ++i) {
        const auto [from, to] = part.edges[i];
        text += fmt::format("{} -> {} [id=e{}{}];\n", from, to, i, part.nodes[to].isEmpty() ? ", arrowhead=none" : "");
    }
    return text + row(part.topPorts, "source", true) + row(part.bottomPorts, "sink", false) + "}\n";
}

Result<PartDrawing> readDotAnswer(const Part &part, const std::string &answer)
{
    const Json json = Json::parse(answer, nullptr, false);
    if (json.is_discarded())
        return damaged("it is not JSON");
    std::vector<std::optional<QPointF>> centres(part.nodes.size());
    for (const Json &object : listOf(json, "objects")) {
        if (const auto node = indexIn(textOf(object, "name"), "", centres.size()))
            centres[*node] = pointIn(textOf(object, "pos"));
    }
    std::vector<std::optional<Curve>> curves(part.edges.size());
    for (const Json &edge : listOf(json, "edges")) {
        if (const auto index = indexIn(textOf(edge, "id"), "e", curves.size()))
            curves[*index] = curveIn(textOf(edge, "pos"));
    }
    PartDrawing drawing;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        if (!centres[i])
            return damaged(fmt::format("no place for node {}", i));
        drawing.centres.push_back(*centres[i]);
    }
    for (std::size_t i = 0; i < curves.size(); ++i) {
        if (!curves[i])
            return damaged(fmt::format("no route for edge {}", i));
        drawing.curves.push_back(std::move(*curves[i]));
    }
    return drawing;
}

Result<PartDrawing> dotDrawing(const Part &part, const Spacing &spacing, DotRunner &dot, const std::stop_token &stop)
{
    TRY_AS(const auto answer, dot.layOut(dotText(part, spacing), stop));
    return readDotAnswer(part, answer);
}

} // namespace stagecraft
