#include "desktop/kept/autosave.h"

#include "results/files/session_json.h"

#include <chrono>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::chrono::milliseconds kQuiet(1000);
constexpr qint64 kLongMs = 50; // time for one write

} // namespace

Autosave::Autosave(std::unique_ptr<AutosaveFile> file, std::function<Session()> session, QObject *parent)
    : QObject(parent), m_file(std::move(file)), m_session(std::move(session)), m_lane(std::make_unique<JobLane>())
{
    m_next.setSingleShot(true);
    m_quiet.setSingleShot(true);
    m_quiet.setInterval(kQuiet);
    connect(&m_next, &QTimer::timeout, this, [this] { write(Flush::Later); });
    connect(&m_quiet, &QTimer::timeout, this, [this] { write(Flush::Now); });
}

void Autosave::touch()
{
    m_isChanged = true;
    m_quiet.stop();
    if (m_lane && !m_isWriting && !m_next.isActive())
        m_next.start(0); // one write for all changes of this turn
}

void Autosave::write(Flush when)
{
    if (!m_lane)
        return;
    m_isChanged = false;
    Session session = m_session();
    if (session.models.empty() && session.results.empty()) {
        m_file->remove();
        return;
    }
    m_isWriting = true;
    m_began.start();
    m_lane->start([this, when, path = m_file->path(),
                   session = std::move(session)](const JobLane::Context &) -> JobLane::Delivery {
        const std::string text = toJson(session);
        const auto done = writeFile(path, text, when);
        return [this, done, when, digest = digestOf(text)] {
            if (done)
                emit written(digest);
            else
                emit failed(done.error());
            ended();
            if (when == Flush::Later && !m_isChanged)
                m_quiet.start();
        };
    });
}

void Autosave::ended()
{
    m_isWriting = false;
    if (m_lane && m_isChanged)
        m_next.start(m_began.elapsed() > kLongMs ? static_cast<int>(m_began.elapsed()) : 0);
}

void Autosave::finish(const Session &last)
{
    if (!m_lane)
        return;
    m_lane.reset(); // waits for the write in progress
    m_isChanged = false;
    m_isWriting = false;
    if (const auto done = writeFile(m_file->path(), toJson(last)); !done)
        emit failed(done.error());
}

void Autosave::discard()
{
    m_lane.reset();
    m_isChanged = false;
    m_isWriting = false;
    m_file->remove();
}

} // namespace stagecraft
