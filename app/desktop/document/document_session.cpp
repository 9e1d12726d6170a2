// Converts the document to a session and back.

#include "desktop/document/document.h"
#include "flow/open/model_reading.h"
#include "model/built_in.h"

#include <algorithm>
#include <filesystem>

namespace stagecraft {
namespace {

bool isOf(const MeasurementSettings &settings, const SessionModel &model)
{
    return settings.model == model.reference && settings.batch == model.batch;
}

SessionModelPtr sessionModel(const Model &model)
{
    SessionModel made;
    made.reference = referenceOf(model);
    made.reading = readingOf(model);
    made.batch = model.graph->batch();
    std::error_code none;
    const auto absolute = std::filesystem::absolute(model.source, none);
    made.source = isBuiltIn(model.source) || none ? model.source : absolute.lexically_normal().string();
    made.operators.reserve(model.graph->size());
    for (const Operator &op : model.graph->operators())
        made.operators.push_back(op.name);
    return std::make_shared<const SessionModel>(std::move(made));
}

} // namespace

// Cached: a large model has many names.
SessionModelPtr Document::sessionModelOf(const MeasurementSettings &settings) const
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

Session Document::session(const std::vector<SessionStudy> &studies) const
{
    Session session;
    const auto numberOf = [&](const MeasurementSettings &settings) -> std::optional<std::size_t> {
        for (std::size_t i = 0; i < session.models.size(); ++i) {
            if (isOf(settings, *session.models[i]))
                return i;
        }
        SessionModelPtr model = sessionModelOf(settings);
        if (!model)
            return std::nullopt;
        session.models.push_back(std::move(model));
        return session.models.size() - 1;
    };
    for (const ScheduleResult &result : m_shelf.results()) {
        if (numberOf(result.settings))
            session.results.push_back(result);
    }
    for (const SessionStudy &study : studies) {
        if (numberOf(study.points.front().settings))
            session.studies.push_back(study);
    }
    session.baselines = m_shelf.chosenBaselines();
    if (m_model)
        session.view.model = numberOf(m_settings);
    session.view.device = m_device.id;
    return session;
}

OpenedSession Document::opened(Session session) const
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

void Document::restore(const OpenedSession &opened)
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
        for (const ResultMeasurement &measurement : result.measurements)
            m_rounds = std::max(m_rounds, measurement.roundGroup);
        if (std::ranges::find(m_places, result.settings, &Place::settings) != m_places.end())
            continue;
        const auto model = std::ranges::find_if(
            session.models, [&](const SessionModelPtr &each) { return isOf(result.settings, *each); });
        m_places.push_back({result.settings, opened.models[static_cast<std::size_t>(model - session.models.begin())],
                            opened.devices.at(result.settings.device)});
    }
    m_shelf.restore(session.results, session.baselines);
    if (session.view.model && opened.models[*session.view.model]) {
        m_model = opened.models[*session.view.model];
        takeSettings();
    }
    emit modelChanged();
    const auto &panes = session.view.panes;
    m_front = {};
    if (session.view.focused < panes.size() && m_shelf.find(panes[session.view.focused])) {
        m_front.id = panes[session.view.focused];
        refresh();
    } else {
        showFitting();
        if (!m_front.id.isValid() && !m_shelf.results().empty())
            setCurrent(m_shelf.results().front().id);
    }
}

bool Document::isModelMissing(ResultId id) const
{
    const Place *place = placeOf(id);
    return place && !place->model;
}

Result<void> Document::setFound(const ModelPtr &model)
{
    const auto missing = std::ranges::find_if(m_missing, [&](const MissingModel &each) {
        return each.model->reference == referenceOf(*model) && each.model->batch == model->graph->batch();
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
    refresh();
    return {};
}

OperatorNames Document::operatorNames(ResultId id) const
{
    const Place *place = placeOf(id);
    if (place && place->model)
        return OperatorNames(*place->model->graph);
    const ScheduleResult *result = m_shelf.find(id);
    const SessionModelPtr model = result ? sessionModelOf(result->settings) : nullptr;
    return OperatorNames(model ? model->operators : std::vector<std::string>());
}

} // namespace stagecraft
