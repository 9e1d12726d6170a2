#include "desktop/document/places.h"

#include "flow/find/measured.h"
#include "model/union/model_union.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

SessionModelPtr sessionModel(const Model &model)
{
    SessionModel made;
    made.reference = model.reference();
    made.batch = model.graph->batch();
    made.source = absoluteSpec(model.source);
    made.operators.reserve(model.graph->size());
    for (const Operator &op : model.graph->operators())
        made.operators.push_back(op.name);
    return std::make_shared<const SessionModel>(std::move(made));
}

} // namespace

bool isOf(const RunContext &settings, const SessionModel &model)
{
    return settings.model == model.reference && settings.batch == model.batch;
}

RunContext Places::add(const ModelPtr &model, const DeviceInfo &device)
{
    RunContext settings{model->reference(), device.contextDevice(), device.contextVersion(), model->graph->batch(),
                        latencyBasis(*model, device).precision};
    if (std::ranges::find(m_places, settings, &Place::settings) == m_places.end())
        m_places.push_back({settings, model, device});
    return settings;
}

ModelPtr Places::known(const ModelPtr &model) const
{
    const auto place = std::ranges::find_if(m_places, [&](const Place &each) {
        return each.model && each.settings.model == model->reference() && each.settings.batch == model->graph->batch();
    });
    return place != m_places.end() ? place->model : model;
}

const Place *Places::of(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result)
        return nullptr;
    const auto place = std::ranges::find(m_places, result->settings, &Place::settings);
    return place != m_places.end() ? &*place : nullptr;
}

Target Places::targetOf(ResultId id) const
{
    const Place *place = of(id);
    return place ? Target{place->model, place->device.id} : Target{};
}

OperatorNames Places::operatorNames(ResultId id) const
{
    const Place *place = of(id);
    if (place && place->model)
        return OperatorNames(*place->model->graph);
    const ScheduleResult *result = m_shelf.find(id);
    const SessionModelPtr model = result ? sessionModelOf(result->settings) : nullptr;
    return OperatorNames(model ? model->operators : std::vector<std::string>());
}

bool Places::isMissing(ResultId id) const
{
    const Place *place = of(id);
    return place && !place->model;
}

Result<void> Places::setFound(const ModelPtr &model)
{
    const auto missing = std::ranges::find_if(m_missing, [&](const MissingModel &each) {
        return each.model->reference == model->reference() && each.model->batch == model->graph->batch();
    });
    if (missing == m_missing.end())
        return {};
    const SessionModelPtr before = missing->model;
    TRY_AS(const auto tied, attached(m_shelf.results(), *before, *model->graph, model->blocks));
    m_shelf.tie(tied);
    m_missing.erase(missing);
    for (Place &place : m_places) {
        if (isOf(place.settings, *before))
            place.model = model;
    }
    for (SessionModelPtr &known : m_sessionModels) {
        if (known == before)
            known = sessionModel(*model);
    }
    return {};
}

// Cached: a large model has many names.
SessionModelPtr Places::sessionModelOf(const RunContext &settings) const
{
    for (const SessionModelPtr &known : m_sessionModels) {
        if (isOf(settings, *known))
            return known;
    }
    const auto place = std::ranges::find_if(m_places, [&](const Place &each) {
        return each.model && each.settings.model == settings.model && each.settings.batch == settings.batch;
    });
    if (place == m_places.end())
        return nullptr;
    m_sessionModels.push_back(sessionModel(*place->model));
    return m_sessionModels.back();
}

OpenedSession Places::opened(Session session) const
{
    OpenedSession opened;
    for (const SessionModelPtr &model : session.models) {
        const auto place = std::ranges::find_if(
            m_places, [&](const Place &each) { return each.model && isOf(each.settings, *model); });
        opened.models.push_back(place != m_places.end() ? place->model : nullptr);
        opened.whyMissing.emplace_back(place != m_places.end() ? "" : "is not open");
    }
    opened.session = std::move(session);
    return opened;
}

void Places::restore(const OpenedSession &opened)
{
    const Session &session = opened.session;
    m_sessionModels = session.models;
    m_places.clear();
    m_missing.clear();
    for (std::size_t i = 0; i < session.models.size(); ++i) {
        if (!opened.models[i])
            m_missing.push_back({session.models[i], QString::fromStdString(opened.whyMissing[i])});
    }
    for (const ScheduleResult &result : session.results) {
        if (std::ranges::find(m_places, result.settings, &Place::settings) != m_places.end())
            continue;
        const auto model = std::ranges::find_if(
            session.models, [&](const SessionModelPtr &each) { return isOf(result.settings, *each); });
        m_places.push_back({result.settings, opened.models[static_cast<std::size_t>(model - session.models.begin())],
                            opened.devices.at(result.settings.device)});
    }
}

} // namespace stagecraft
