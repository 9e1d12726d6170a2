#include "widgets/timeline/timeline_find.h"

#include "widgets/timeline/timeline_text.h"

#include <QStringList>

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft {
namespace {

// Kernels with the same name and operators match alike: each such pair is looked at once.
class KernelMatcher {
public:
    KernelMatcher(const Graph *graph, const QStringList &words) : m_graph(graph), m_words(words) {}

    [[nodiscard]] bool matches(const KernelSpan &kernel)
    {
        const OperatorId op = kernel.operators.empty() ? OperatorId{} : kernel.operators.front();
        const auto [known, isNew] = m_known.try_emplace({op.value, kernel.name}, false);
        if (isNew) {
            const QString text = operatorsText(kernel, m_graph) + QLatin1Char(' ') + kernelName(kernel);
            known->second = std::ranges::all_of(
                m_words, [&](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
        }
        return known->second;
    }

private:
    const Graph *m_graph;
    const QStringList &m_words;
    std::map<std::pair<std::uint32_t, std::string_view>, bool> m_known;
};

} // namespace

double TimelineFind::startUs(const TimelineStack &rows, const Match &match)
{
    const TimelineLane &lane = *rows.lanes()[match.lane];
    return microseconds(lane.what().timeline->kernels[match.kernel].startNs) - lane.shiftUs;
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
        const std::vector<KernelSpan> &kernels = lane.what().timeline->kernels;
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
