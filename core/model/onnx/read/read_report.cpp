#include "model/onnx/read/read_report.h"

#include "graph/cost_basis.h"

#include <fmt/format.h>
#include <utility>

namespace stagecraft {

void ReadReport::begin(std::string_view type)
{
    if (m_types.empty() || m_types[m_current].type != type) {
        const auto [place, isNew] = m_places.try_emplace(std::string(type), static_cast<std::uint32_t>(m_types.size()));
        if (isNew)
            m_types.push_back({.type = std::string(type)});
        m_current = place->second;
    }
    ++m_types[m_current].nodes;
}

void ReadReport::folded(std::string name)
{
    ++m_types[m_current].folded;
    if (!name.empty())
        m_folded.push_back({std::move(name), m_types[m_current].type, {}, {}});
}

void ReadReport::leftOut(std::string name)
{
    ++m_types[m_current].leftOut;
    m_leftOut.push_back({std::move(name), m_types[m_current].type, {}, {}});
}

void ReadReport::added()
{
    ++m_types[m_current].operators;
    m_typeOf.push_back(m_current);
}

void ReadReport::remarkKept(std::string name, const std::string &text)
{
    ++m_kept.try_emplace(text, Remark{std::move(name)}).first->second.count;
}

void ReadReport::remarkAll(std::string name, const std::string &text)
{
    ++m_others.try_emplace(text, Remark{std::move(name)}).first->second.count;
}

void ReadReport::addNotes(SourceGraph &source) const
{
    const auto add = [&](const std::string &operatorName, std::string text) {
        source.report.notes.push_back({ImportNote::Severity::Warning, operatorName, std::move(text)});
    };
    const auto addRemark = [&](const std::string &text, const Remark &remark) {
        const int others = remark.count - 1;
        const char *form = others == 0 ? "{}" : others == 1 ? "{}, as is 1 other" : "{}, as are {} others";
        add(remark.operatorName, fmt::format(fmt::runtime(form), text, others));
    };
    for (const UncostedWork &work : uncostedWork(source.graph))
        add(work.operatorName, fmt::format("{}; {} {} no cost", work.reason, work.count,
                                           work.count == 1 ? "operator has" : "operators have"));
    for (const auto &[text, remark] : m_kept) {
        const auto op = source.graph.find(remark.operatorName);
        if (op && isCosted(source.graph, *op))
            addRemark(text, remark);
    }
    for (const auto &[text, remark] : m_others)
        addRemark(text, remark);
}

void ReadReport::finish(SourceGraph &source, const Reading &reading)
{
    const auto add = [&](std::string_view pass, std::vector<PassChange> &changes) {
        if (findPass(pass)->runsIn(reading))
            source.report.passes.push_back({pass, std::move(changes)});
    };
    add(pass::kFoldConstants, m_folded);
    add(pass::kRemoveIdentities, m_leftOut);
    source.report.types = std::move(m_types);
    source.typeOf = std::move(m_typeOf);
    addNotes(source);
}

} // namespace stagecraft
