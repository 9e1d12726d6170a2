#include "desktop/areas/layouts/layout_choices.h"

#include "flow/layouts/layouts_of_schedule.h"
#include "support/error_text.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace stagecraft {

LayoutChoices::LayoutChoices(Document *document, Selection *selection, QObject *parent)
    : QObject(parent), m_document(document), m_selection(selection)
{
    connect(&m_explaining, &JobLane::busyChanged, this, &LayoutChoices::busyChanged);
    connect(document->results(), &Results::frontChanged, this, &LayoutChoices::show);
    connect(selection, &Selection::changed, this, &LayoutChoices::explain);
}

QString LayoutChoices::whyNotChoose() const
{
    const ScheduleResult *result = m_document->results()->shelf().find(m_document->results()->current());
    if (!result)
        return QStringLiteral("no result is shown");
    if (!result->schedule)
        return QStringLiteral("the result shown has no schedule");
    if (!m_document->results()->targetOf(result->id).model)
        return QStringLiteral("the model of the result is missing");
    if (!result->schedule->layouts.empty())
        return QStringLiteral("the result shown states layouts");
    if (const auto can = canChooseLayouts(result->settings.device); !can)
        return QString::fromStdString(can.error().message);
    return {};
}

// The choice that the current result states, else what the newest one says of the same model on the same device.
const LayoutChoices::Kept *LayoutChoices::ofCurrent(bool &isOwn) const
{
    isOwn = false;
    const ScheduleResult *result = m_document->results()->shelf().find(m_document->results()->current());
    if (!result)
        return nullptr;
    const Kept *known = nullptr;
    for (const Kept &kept : m_kept | std::views::reverse) {
        if (kept.settings != result->settings)
            continue;
        isOwn = result->schedule && result->schedule->stages == kept.schedule->stages &&
                result->schedule->layouts == kept.schedule->layouts;
        if (isOwn)
            return &kept;
        known = known ? known : &kept;
    }
    return known;
}

void LayoutChoices::keep(ResultId id, const SchedulePtr &schedule, const std::shared_ptr<const LayoutChoice> &choice)
{
    const ScheduleResult *result = m_document->results()->shelf().find(id);
    if (!result)
        return;
    m_kept.push_back({result->settings, schedule, choice, {}});
    show();
}

void LayoutChoices::addReason(const std::shared_ptr<const LayoutChoice> &choice, OperatorId op,
                              const LayoutReason &reason)
{
    const auto kept = std::ranges::find(m_kept, choice, &Kept::choice);
    if (kept == m_kept.end())
        return;
    kept->reasons.emplace_back(op, reason);
    show();
}

void LayoutChoices::show()
{
    bool isOwn = false;
    const Kept *kept = ofCurrent(isOwn);
    emit changed(kept ? std::shared_ptr<const LayoutCosts>(kept->choice, &kept->choice->costs) : nullptr,
                 kept ? LayoutFacts{kept->choice, isOwn, kept->reasons} : LayoutFacts{});
    explain();
}

void LayoutChoices::explain()
{
    bool isOwn = false;
    const Kept *kept = ofCurrent(isOwn);
    const auto &op = m_selection->current().op;
    if (!kept || !isOwn || !op || op->index() >= kept->choice->found.best.operators.size())
        return;
    const bool isKnown = std::ranges::any_of(kept->reasons, [&](const auto &known) { return known.first == *op; });
    if (isKnown || runsFastest(*kept->choice, *op))
        return;
    m_explaining.start([this, choice = kept->choice, op = *op](const JobLane::Context &context) -> JobLane::Delivery {
        LayoutSearchOptions options;
        options.stop = context.stop;
        const auto reason = whyNotFastest(*choice, op, options);
        if (!reason) // stopped
            return {};
        return [this, choice, op, reason = *reason] { addReason(choice, op, reason); };
    });
}

} // namespace stagecraft
