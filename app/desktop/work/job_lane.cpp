#include "desktop/work/job_lane.h"

#include "desktop/work/unexpected_reason.h"
#include "support/stop_here.h"

#include <QCoreApplication>
#include <QEvent>

#include <memory>
#include <utility>

namespace stagecraft {
namespace {

const QEvent::Type kMessages = static_cast<QEvent::Type>(QEvent::registerEventType());

}

JobLane::JobLane(QObject *parent) : QObject(parent)
{
    m_thread = std::jthread([this](const std::stop_token &stop) { work(stop); });
}

// Whoever has it as a member hears nothing more.
JobLane::~JobLane()
{
    blockSignals(true);
    cancel();
    m_thread.request_stop();
    m_wake.notify_all();
    m_thread.join();
}

void JobLane::start(Work work)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_runStop.request_stop();
        m_runStop = std::stop_source();
        m_next = std::move(work);
        m_nextRun = ++m_run;
    }
    m_wake.notify_all();
    setBusy(true);
}

void JobLane::stop()
{
    const std::scoped_lock lock(m_mutex);
    m_runStop.request_stop();
}

void JobLane::cancel()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_runStop.request_stop();
        m_next = nullptr;
        ++m_run;
    }
    setBusy(false);
}

void JobLane::work(const std::stop_token &threadStop)
{
    while (true) {
        Work work;
        std::uint64_t run = 0;
        std::stop_token stop;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, threadStop, [this] { return m_next != nullptr; }))
                return;
            work = std::exchange(m_next, nullptr);
            run = m_nextRun;
            stop = m_runStop.get_token();
        }
        const Context context{stop, [this, run](Delivery deliver) { post({run, false, std::move(deliver)}); }};
        Delivery deliver = result(work, context);
        work = nullptr; // frees captured values before the result is delivered
        post({run, true, std::move(deliver)});
    }
}

JobLane::Delivery JobLane::result(const Work &work, const Context &context)
{
    const StopHere whileOpening(context.stop);
    try {
        return work(context);
    } catch (...) {
        return [this, reason = unexpectedReason()] { emit workFailed(reason); };
    }
}

void JobLane::post(Message message)
{
    auto event = std::make_unique<QEvent>(kMessages);
    {
        const std::scoped_lock lock(m_mutex);
        m_messages.push_back(std::move(message));
    }
    QCoreApplication::postEvent(this, event.release());
}

bool JobLane::event(QEvent *event)
{
    if (event->type() != kMessages)
        return QObject::event(event);
    std::vector<Message> messages;
    {
        const std::scoped_lock lock(m_mutex);
        messages.swap(m_messages);
    }
    for (Message &message : messages) {
        if (message.run != m_run)
            continue;
        // Not busy from here on: the result may start the next piece.
        if (message.last)
            setBusy(false);
        if (message.deliver)
            message.deliver();
    }
    return true;
}

void JobLane::setBusy(bool busy)
{
    if (std::exchange(m_busy, busy) != busy)
        emit busyChanged(busy);
}

} // namespace stagecraft
