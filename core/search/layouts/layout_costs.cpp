#include "search/layouts/layout_costs.h"

#include "graph/graph.h"
#include "support/json_depth.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace stagecraft {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "stagecraft-layout-costs";
constexpr int kVersion = 1;
constexpr const char *kEveryTensor = "*";

tl::unexpected<Error> refusedAt(const std::string &where, std::string reason)
{
    return within(where, Error{ErrorCode::InvalidInput, std::move(reason), {}, {}});
}

class CostsReader {
public:
    explicit CostsReader(const Graph &graph) : m_graph(graph) {}

    Result<LayoutCosts> read(const Json &file)
    {
        TRY(readHeader(file));
        TRY(readLayouts(file));
        TRY(readOperators(file));
        TRY(readConversions(file));
        return std::move(m_costs);
    }

private:
    LayoutProblem &problem() { return m_costs.problem; }

    Result<void> readHeader(const Json &file)
    {
        if (!file.is_object() || file.value("format", Json()) != Json(kFormat))
            return refused("the file does not say \"format\": \"stagecraft-layout-costs\"",
                           "give a file as stagecraft-cli layout -o writes it");
        const Json version = file.value("version", Json());
        if (version != Json(kVersion))
            return refused(fmt::format("version {} of the format is not known, only version 1", version.dump()));
        LayoutCostsSource &source = m_costs.source;
        for (const auto &[key, text] : {std::pair{"model", &source.model}, std::pair{"device", &source.device},
                                        std::pair{"provenance", &source.provenance}}) {
            const Json value = file.value(key, Json());
            if (!value.is_null() && !value.is_string())
                return refused(fmt::format("\"{}\" is not text", key));
            if (value.is_string())
                *text = value.get<std::string>();
        }
        const Json batch = file.value("batch", Json());
        if (!batch.is_null() && (!batch.is_number_integer() || batch < Json(1)))
            return refused("\"batch\" is not a positive whole number");
        if (!batch.is_null())
            source.batch = batch.get<std::int64_t>();
        return {};
    }

    Result<void> readLayouts(const Json &file)
    {
        const Json list = file.value("layouts", Json());
        if (!list.is_array() || list.empty())
            return refused("\"layouts\" is not a list of names");
        std::vector<std::string> names;
        for (const Json &name : list) {
            if (!name.is_string() || name.get<std::string>().empty())
                return refused("a layout under \"layouts\" is not a name");
            const auto text = name.get<std::string>();
            if (std::ranges::any_of(names, [&](const std::string &other) { return isSameLayout(other, text); }))
                return refused(fmt::format("layout {} is listed twice", text));
            names.push_back(text);
        }
        if (names.size() > kMaxLayouts)
            return refused(fmt::format("the file has {} layouts; at most {} are searched", names.size(), kMaxLayouts));
        const auto fixed =
            std::ranges::find_if(names, [](const std::string &name) { return isSameLayout(name, kFixedLayout); });
        if (fixed == names.end())
            return refused("\"layouts\" lacks NCHW, in which the inputs and outputs of the model are");
        const auto index = static_cast<LayoutIndex>(fixed - names.begin());
        problem() = layoutProblemOf(m_graph, std::move(names), index);
        return {};
    }

    Result<LayoutIndex> layoutOf(const Json &entry, const char *key)
    {
        const Json value = entry.value(key, Json());
        if (!value.is_string())
            return refused(fmt::format("an entry lacks \"{}\"", key));
        const auto &names = problem().layouts;
        const auto found = std::ranges::find_if(
            names, [text = value.get<std::string>()](const std::string &name) { return isSameLayout(name, text); });
        if (found == names.end())
            return refused(fmt::format("layout {} is not listed under \"layouts\"", value.get<std::string>()));
        return static_cast<LayoutIndex>(found - names.begin());
    }

    static Result<double> latencyOf(const Json &entry)
    {
        const Json value = entry.value("latency_us", Json());
        if (!value.is_number() || !(value.get<double>() >= 0) || !std::isfinite(value.get<double>()))
            return refused("an entry's latency_us is not a number of at least 0");
        return value.get<double>();
    }

    struct Entry {
        LayoutIndex first = 0;
        LayoutIndex second = 0;
        double us = 0;
    };

    // The entries of one list, each pair of layouts once.
    Result<std::vector<Entry>> entriesOf(const Json &list, const char *firstKey, const char *secondKey)
    {
        if (!list.is_array())
            return refused("its entries are not a list");
        std::vector<Entry> entries;
        for (const Json &json : list) {
            if (!json.is_object())
                return refused("an entry is not an object");
            TRY_AS(const auto first, layoutOf(json, firstKey));
            TRY_AS(const auto second, layoutOf(json, secondKey));
            TRY_AS(const auto us, latencyOf(json));
            if (std::ranges::any_of(entries,
                                    [&](const Entry &other) { return other.first == first && other.second == second; }))
                return refused(fmt::format("the entry from {} to {} is given twice", problem().layouts[first],
                                           problem().layouts[second]));
            entries.push_back({first, second, us});
        }
        return entries;
    }

    Result<void> readOperators(const Json &file)
    {
        const Json operators = file.value("operators", Json());
        if (!operators.is_object())
            return refused("\"operators\" is not an object");
        for (const auto &[name, list] : operators.items()) {
            const std::string where = "operator " + name;
            const auto id = m_graph.find(name);
            if (!id)
                return refusedAt(where, "the model has no operator of this name");
            const auto entries = entriesOf(list, "in", "out");
            if (!entries)
                return within(where, entries.error());
            for (const Entry &entry : *entries)
                problem().operators[id->index()].choices.push_back({{entry.first, entry.second}, entry.us});
        }
        return {};
    }

    Result<void> readConversions(const Json &file)
    {
        const Json conversions = file.value("conversions", Json::object());
        if (!conversions.is_object())
            return refused("\"conversions\" is not an object");
        std::unordered_map<std::string, std::uint32_t> tensors;
        for (std::uint32_t i = 0; i < problem().tensors.size(); ++i)
            tensors.emplace(problem().tensors[i].name, i);
        const std::size_t layouts = problem().layouts.size();
        for (const auto &[name, list] : conversions.items()) {
            const std::string where = name == kEveryTensor ? "conversions of every tensor" : "tensor " + name;
            const auto found = tensors.find(name);
            if (found == tensors.end() && name != kEveryTensor)
                return refusedAt(where, "the model has no tensor of this name");
            const auto entries = entriesOf(list, "from", "to");
            if (!entries)
                return within(where, entries.error());
            ConversionTable table(layouts * layouts, kImpossible);
            for (const Entry &entry : *entries) {
                if (entry.first == entry.second)
                    return refusedAt(where, "an entry converts " + problem().layouts[entry.first] + " to itself");
                table[entry.first * layouts + entry.second] = entry.us;
            }
            if (found == tensors.end()) { // table 0 is that of all without a list
                problem().conversionTables.front() = std::move(table);
                continue;
            }
            problem().tensors[found->second].conversions =
                static_cast<std::uint32_t>(problem().conversionTables.size());
            problem().conversionTables.push_back(std::move(table));
        }
        return {};
    }

    const Graph &m_graph;
    LayoutCosts m_costs;
};

Json conversionsJson(const LayoutProblem &problem, const ConversionTable &table)
{
    const std::size_t layouts = problem.layouts.size();
    Json list = Json::array();
    for (std::size_t from = 0; from < layouts; ++from) {
        for (std::size_t to = 0; to < layouts; ++to) {
            const double us = table[from * layouts + to];
            if (us != kImpossible)
                list.push_back({{"from", problem.layouts[from]}, {"to", problem.layouts[to]}, {"latency_us", us}});
        }
    }
    return list;
}

} // namespace

bool isSameLayout(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b,
                              [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

Result<LayoutCosts> layoutCostsFrom(std::string_view text, const Graph &graph)
{
    if (nestsTooDeeply(text))
        return refused("its lists are within each other too deeply", "Write the file again");
    const Json file = Json::parse(text, nullptr, false);
    if (file.is_discarded())
        return refused("the file is not JSON", "Write the file again");
    return CostsReader(graph).read(file);
}

std::string toJson(const LayoutCosts &costs)
{
    const LayoutProblem &problem = costs.problem;
    Json file{{"format", kFormat}, {"version", kVersion}};
    for (const auto &[key, text] : {std::pair{"model", &costs.source.model}, std::pair{"device", &costs.source.device},
                                    std::pair{"provenance", &costs.source.provenance}}) {
        if (!text->empty())
            file[key] = *text;
    }
    if (costs.source.batch > 0)
        file["batch"] = costs.source.batch;
    file["layouts"] = problem.layouts;
    Json &operators = file["operators"] = Json::object();
    for (const LayoutProblem::Operator &op : problem.operators) {
        Json &list = operators[op.name] = Json::array();
        for (const LayoutProblem::Choice &choice : op.choices)
            list.push_back({{"in", problem.layouts[choice.layouts.in]},
                            {"out", problem.layouts[choice.layouts.out]},
                            {"latency_us", choice.latencyUs}});
    }
    Json &conversions = file["conversions"] = Json::object();
    conversions[kEveryTensor] = conversionsJson(problem, problem.conversionTables.front());
    for (const LayoutProblem::Tensor &tensor : problem.tensors) {
        if (tensor.conversions != 0)
            conversions[tensor.name] = conversionsJson(problem, problem.conversionTables[tensor.conversions]);
    }
    return file.dump(1) + '\n';
}

} // namespace stagecraft
