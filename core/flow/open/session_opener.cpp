#include "flow/open/session_opener.h"

#include "device/recorded/profile_device.h"
#include "model/union/model_union.h"
#include "results/files/session_json.h"
#include "support/error_text.h"
#include "support/text_file.h"

#include <algorithm>
#include <filesystem>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

// Whether this version reads the model differently from the version that wrote the session: its results are then those
// of another model.
void setReadOtherwise(Session &session, std::size_t index, bool isReadOtherwise)
{
    SessionModel model = *session.models[index];
    for (ScheduleResult &result : session.results) {
        if (result.settings.model == model.reference && result.settings.batch == model.batch)
            result.settings.model.isReadOtherwise = isReadOtherwise;
    }
    model.reference.isReadOtherwise = isReadOtherwise;
    session.models[index] = std::make_shared<const SessionModel>(std::move(model));
}

// In its old place, else next to the session; each file of several models.
std::string placeOf(const SessionModel &model, const fs::path &session)
{
    std::vector<std::string> specs = specsOfUnion(model.source);
    if (specs.empty())
        specs.push_back(model.source);
    for (std::string &spec : specs) {
        const fs::path source = spec;
        std::error_code none;
        const fs::path beside = session.parent_path() / source.filename();
        if (source.has_parent_path() && !fs::exists(source, none) && fs::exists(beside, none))
            spec = beside.string();
    }
    return joinedSpecs(specs);
}

void attach(OpenedSession &opened, std::size_t index, const fs::path &path, const SessionSources &sources)
{
    Session &session = opened.session;
    if (session.models[index]->reference.isReadOtherwise)
        setReadOtherwise(session, index, false);
    SessionModel model = *session.models[index];
    model.source = placeOf(model, path);
    auto found = findModelIn(model.source, model, sources);
    if (!found) {
        opened.whyMissing[index] = errorText(found.error());
        return;
    }
    auto tied = attached(session.results, model, *(*found)->graph, (*found)->blocks);
    if (!tied) {
        opened.whyMissing[index] =
            errorText(within(model.source + " is read otherwise by this version", std::move(tied.error())).value());
        setReadOtherwise(session, index, true);
        return;
    }
    for (ScheduleResult &result : *tied) {
        const auto id = result.id;
        *std::ranges::find(session.results, id, &ScheduleResult::id) = std::move(result);
    }
    for (SessionStudy &study : session.studies) {
        auto points = attached(study.points, model, *(*found)->graph, (*found)->blocks);
        if (points && points->size() == study.points.size())
            study.points = std::move(*points);
    }
    model.operators.clear();
    for (const Operator &op : (*found)->graph->operators())
        model.operators.push_back(op.name);
    session.models[index] = std::make_shared<const SessionModel>(std::move(model));
    opened.models[index] = std::move(*found);
}

DeviceInfo deviceFor(const std::string &id, const SessionSources &sources)
{
    if (isProfileDevice(id))
        return profileDevice(id);
    DeviceInfo info;
    if (auto device = sources.findDevice(id)) {
        info = (*device)->info();
    } else {
        info.title = id;
        info.available = false;
        info.unavailableReason = errorText(device.error());
    }
    info.id = id;
    return info;
}

} // namespace

Result<std::shared_ptr<const Model>> findModelIn(const std::string &path, const SessionModel &model,
                                                 const SessionSources &sources)
{
    auto opened = sources.openModel({.spec = path, .batch = model.batch, .reading = model.reference.reading});
    std::error_code none;
    if (!opened && specsOfUnion(path).empty() && fs::path(path).has_parent_path() && !fs::exists(path, none))
        return within(path, Error{ErrorCode::InvalidInput, "is not there any more", {}, {}});
    if (!opened) {
        if (opened.error().context.empty())
            opened.error().context.push_back(path);
        return tl::unexpected(std::move(opened.error()));
    }
    opened->model.name = model.reference.name; // the file may have a new name
    if (opened->model.reference() != model.reference)
        return within(path, Error{ErrorCode::InvalidInput,
                                  path == model.source ? "has changed since the session was saved"
                                                       : "is another model than " + model.reference.name +
                                                             " of the session, or it was changed",
                                  {},
                                  {}});
    return std::make_shared<const Model>(std::move(opened->model));
}

Result<OpenedSession> openSession(const std::string &path, const SessionSources &sources)
{
    TRY_AS(auto text, readTextFile(path));
    auto session = sessionFromJson(text);
    if (!session)
        return within(path, std::move(session.error()));
    OpenedSession opened;
    opened.session = std::move(*session);
    opened.interrupted = endInterrupted(opened.session.results);
    opened.models.resize(opened.session.models.size());
    opened.whyMissing.resize(opened.session.models.size());
    for (std::size_t i = 0; i < opened.models.size(); ++i)
        attach(opened, i, path, sources);
    std::erase_if(opened.session.studies, [&](const SessionStudy &study) {
        const RunContext &settings = study.points.front().settings;
        for (std::size_t i = 0; i < opened.models.size(); ++i) {
            const SessionModel &model = *opened.session.models[i];
            if (opened.models[i] && model.reference == settings.model && model.batch == settings.batch)
                return false;
        }
        return true;
    });
    for (const ScheduleResult &result : opened.session.results) {
        const std::string &id = result.settings.device;
        if (!opened.devices.contains(id))
            opened.devices[id] = deviceFor(id, sources);
    }
    return opened;
}

} // namespace stagecraft
