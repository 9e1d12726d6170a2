#include "widgets/timeline/timeline_find.h"

#include "widgets/base/shown_name.h"

#include <QStringList>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace stagecraft {
namespace {

// Which words each name has, as bits: every operator and every kernel name is looked at once.
class KernelMatcher {
public:
    KernelMatcher(const Graph *graph, const QStringList &words)
        : m_graph(graph), m_words(words.first(std::min<qsizetype>(words.size(), 64)))
    {
        for (qsizetype i = 0; i < m_words.size(); ++i)
            m_all |= bit(i);
        m_ofOperators.resize(graph ? graph->size() : 0);
    }

    [[nodiscard]] bool matches(const KernelSpan &kernel)
    {
        const auto [known, isNew] = m_ofNames.try_emplace(kernel.name, 0);
        if (isNew)
            known->second = wordsIn(shownName(kernel.name));
        std::uint64_t words = known->second;
        for (const OperatorId op : kernel.operators) {
            if (op.index() >= m_ofOperators.size())
                continue;
            auto &ofOperator = m_ofOperators[op.index()];
            if (!ofOperator)
                ofOperator = wordsIn(shownName(m_graph->op(op).name));
            words |= *ofOperator;
        }
        return words == m_all;
    }

private:
    [[nodiscard]] static std::uint64_t bit(qsizetype word) { return std::uint64_t{1} << static_cast<unsigned>(word); }
    [[nodiscard]] std::uint64_t wordsIn(const QString &name) const
    {
        std::uint64_t words = 0;
        for (qsizetype i = 0; i < m_words.size(); ++i)
            words |= name.contains(m_words[i], Qt::CaseInsensitive) ? bit(i) : 0;
        return words;
    }

    const Graph *m_graph;
    QStringList m_words;
    std::uint64_t m_all = 0;
    std::vector<std::optional<std::uint64_t>> m_ofOperators;
    std::unordered_map<std::string_view, std::uint64_t> m_ofNames;
};

} // namespace

double TimelineFind::startUs(const TimelineStack &rows, const Match &match)
{
    const TimelineLane &lane = *rows.lanes()[match.lane];
    return microseconds(lane.timeline().kernels[match.kernel].startNs) - lane.shiftUs;
}

void TimelineFind::search(const TimelineStack &rows, const QString &text, double fromUs)
{
    m_text = text;
    m_matches.clear();
    m_current = -1;
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (std::size_t i = 0; i < rows.lanes().size() && !words.isEmpty(); ++i) {
        const TimelineLane &lane = *rows.lanes()[i];
        if (!lane.isMade())
            continue;
        KernelMatcher matcher(lane.what().graph.get(), words);
        const std::vector<KernelSpan> &kernels = lane.timeline().kernels;
        for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
            if (matcher.matches(kernels[kernel]))
                m_matches.push_back({i, static_cast<std::uint32_t>(kernel)});
        }
    }
    if (m_matches.empty())
        return;
    const auto start = [&](const Match &match) { return startUs(rows, match); };
    if (rows.lanes().size() > 1)
        std::ranges::stable_sort(m_matches, {}, start);
    const auto first = std::ranges::lower_bound(m_matches, fromUs, {}, start);
    m_current = first == m_matches.end() ? 0 : static_cast<int>(first - m_matches.begin());
}

void TimelineFind::step(int by)
{
    if (m_matches.empty())
        return;
    const int count = static_cast<int>(m_matches.size());
    m_current = ((m_current + by) % count + count) % count;
}

} // namespace stagecraft
