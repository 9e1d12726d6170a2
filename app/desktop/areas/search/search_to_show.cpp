#include "desktop/areas/search/search_to_show.h"

#include "desktop/document/document.h"
#include "widgets/base/format.h"

namespace stagecraft {
namespace {

bool isSearched(const ScheduleResult *result)
{
    return result && result->schedule && result->isFound();
}

} // namespace

const ScheduleResult *searchToShow(const Document &document)
{
    const Results &results = *document.results();
    const ScheduleResult *current = results.shelf().find(results.current());
    if (isSearched(current))
        return current;
    const ScheduleResult *newest = nullptr;
    for (const ResultId id : results.fitting()) {
        const ScheduleResult *result = results.shelf().find(id);
        if (isSearched(result) && result->origin == Origin::Searched)
            newest = result;
    }
    return newest;
}

QString fasterBaseline(const Document &document, ResultId id)
{
    const Shelf &shelf = document.results()->shelf();
    auto least = shelf.latency(id);
    QString text;
    for (const ResultId other : document.results()->fitting()) {
        const ScheduleResult &result = *shelf.find(other);
        const auto latency = shelf.latency(other);
        if (result.origin != Origin::Baseline || !result.schedule || !latency || !least || latency->us >= least->us ||
            latency->how != least->how)
            continue;
        least = latency;
        text = QStringLiteral("%1, %2").arg(QString::fromStdString(result.shownName()), latencyText(latency->us));
    }
    return text;
}

} // namespace stagecraft
