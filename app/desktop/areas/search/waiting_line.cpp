#include "desktop/areas/search/waiting_line.h"

#include "device/device_wait_words.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kTickMs = 1000;
constexpr double kMsPerSecond = 1000;
constexpr double kWorthTelling = 1; // seconds: programs that take turns wait for each other all the time

bool isWorthTelling(const std::optional<DeviceWait> &wait)
{
    return wait && wait->seconds >= kWorthTelling;
}

QString waitsFor(const QString &whom, double seconds)
{
    const QString text = QStringLiteral("waits for %1").arg(whom);
    return seconds < 1 ? text : QStringLiteral("%1, %2 so far").arg(text, QString::fromStdString(waitedText(seconds)));
}

QString waitsFor(const DeviceWait &wait)
{
    return waitsFor(QString::fromStdString(holderText(wait)), wait.seconds);
}

} // namespace

QString resultOfModel(const Document &document, ResultId id)
{
    const ScheduleResult *result = document.results()->shelf().find(id);
    return result ? QStringLiteral("%1 of %2")
                        .arg(QString::fromStdString(result->shownName()),
                             QString::fromStdString(result->settings.model.name))
                  : QString();
}

WaitingLine::WaitingLine(const Document *document, const ResultQueue *queue, QObject *parent)
    : QObject(parent), m_document(document), m_queue(queue)
{
    connect(queue, &ResultQueue::searchWaits, this, [this](const std::optional<DeviceWait> &wait) {
        m_searchWait = m_queue->isSearching() && isWorthTelling(wait) ? wait : std::nullopt;
        emit searchWaitChanged();
        emit changed();
    });
    connect(queue, &ResultQueue::measuringWaits, this, [this](const std::optional<DeviceWait> &wait) {
        m_measuringWait = isWorthTelling(wait) ? wait : std::nullopt;
        emit changed();
    });
    connect(queue, &ResultQueue::measuringStarted, this, [this] { m_measuringWait.reset(); });
    connect(queue, &ResultQueue::measuringQueued, this, &WaitingLine::changed);
    m_tick.setInterval(kTickMs);
    connect(&m_tick, &QTimer::timeout, this, &WaitingLine::changed);
}

void WaitingLine::setSearched(ResultId id)
{
    m_searched = id;
    m_searchWait.reset();
    m_timeLeft.clear();
}

void WaitingLine::setTimeLeft(const QString &text)
{
    m_timeLeft = text;
}

// With what tells it from the result that waits.
QString WaitingLine::nameBeside(ResultId ahead, ResultId waiting) const
{
    const ScheduleResult &first = *m_document->results()->shelf().find(ahead);
    const ScheduleResult &second = *m_document->results()->shelf().find(waiting);
    QString name = QString::fromStdString(first.shownName());
    if (first.settings.model != second.settings.model)
        name = resultOfModel(*m_document, ahead);
    if (first.settings.batch != second.settings.batch)
        name += QStringLiteral(", batch %1").arg(first.settings.batch);
    if (first.settings.device != second.settings.device)
        name += QStringLiteral(" on %1").arg(QString::fromStdString(first.settings.device));
    return name;
}

QString WaitingLine::behind(ResultId waiting, ResultId ahead)
{
    QElapsedTimer &since = m_since[waiting];
    if (!since.isValid())
        since.start();
    if (!m_document->results()->shelf().find(ahead))
        return QStringLiteral("waits");
    const QString name = nameBeside(ahead, waiting);
    if (ahead == m_searched && !m_timeLeft.isEmpty())
        return QStringLiteral("waits for %1, %2").arg(name, m_timeLeft);
    return waitsFor(name, static_cast<double>(since.elapsed()) / kMsPerSecond);
}

std::map<ResultId, QString> WaitingLine::texts()
{
    std::map<ResultId, QString> texts;
    const std::vector<ResultId> measuring = m_queue->inLine();
    for (const ScheduleResult &result : m_document->results()->shelf().results()) {
        const ResultId id = result.id;
        if (result.state == ResultState::Waiting) {
            const bool isMeasured = std::ranges::find(measuring, id) != measuring.end();
            texts[id] = behind(id, isMeasured ? m_queue->measured() : m_searched);
        } else if (result.isUnderWay() && id == m_searched && m_searchWait) {
            texts[id] = waitsFor(*m_searchWait);
        } else if (result.isUnderWay() && id == m_queue->measured() && m_measuringWait) {
            texts[id] = waitsFor(*m_measuringWait);
        }
    }
    std::erase_if(m_since, [&](const auto &each) { return !texts.contains(each.first); });
    if (texts.empty())
        m_tick.stop();
    else if (!m_tick.isActive())
        m_tick.start();
    return texts;
}

} // namespace stagecraft
