#include "desktop/work/result_queue.h"

#include "flow/open_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stagecraft {

ResultQueue::ResultQueue(std::shared_ptr<Measurers> measurers, QObject *parent)
    : QObject(parent), m_measurers(std::move(measurers))
{
    for (const JobLane *lane : {&m_measuring, &m_searching})
        connect(lane, &JobLane::busyChanged, this, &ResultQueue::busyChanged);
    connect(&m_measuring, &JobLane::busyChanged, this, &ResultQueue::startNext);
    connect(&m_measuring, &JobLane::workFailed, this, [this](const QString &reason) {
        m_inLine.clear();
        emit measuringBroke({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
    });
    connect(&m_searching, &JobLane::workFailed, this, [this](const QString &reason) {
        emit searchFailed({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
        emit searchFinished();
    });
}

ResultQueue::Open ResultQueue::opener(const Target &target, Urgency urgency, WaitSignal signal)
{
    const Device::Waiting told = [this, signal](const std::optional<DeviceWait> &wait) { // on the lane's thread
        QMetaObject::invokeMethod(
            this, [this, signal, wait] { emit(this->*signal)(wait); }, Qt::QueuedConnection);
    };
    return [measurers = m_measurers, target, urgency, told] {
        return measurers->open(target.model->graph, target.deviceId, urgency, told, onnxFileOf(*target.model));
    };
}

ResultQueue::Measuring ResultQueue::measuring(ResultId id, Turn turn, const Target &target, const Work &work)
{
    return {id, turn,
            [this, id, work, open = opener(target, Urgency::User, &ResultQueue::measuringWaits)](
                const JobLane::Context &context) -> JobLane::Delivery {
                auto made = work(open, context);
                if (!made)
                    return [this, id, error = made.error()] { emit measuringFailed(id, error); };
                return std::move(*made);
            }};
}

void ResultQueue::measure(ResultId id, Turn turn, const Target &target, const Work &work)
{
    lineUp(measuring(id, turn, target, work));
}

void ResultQueue::measureEdit(ResultId id, const Target &target, const Work &work)
{
    std::erase_if(m_inLine, [id](const Measuring &each) { return each.id == id; });
    Measuring next = measuring(id, Turn::OfEdit, target, work);
    if (measured() == id)
        start(std::move(next));
    else
        lineUp(std::move(next));
}

void ResultQueue::lineUp(Measuring next)
{
    if (!m_measuring.isBusy()) {
        start(std::move(next));
        return;
    }
    const ResultId id = next.id;
    m_inLine.insert(std::ranges::upper_bound(m_inLine, next.turn, {}, &Measuring::turn), std::move(next));
    emit measuringQueued(id);
}

void ResultQueue::start(Measuring next)
{
    m_measured = next.id;
    m_measuredTurn = next.turn;
    m_measuring.start(std::move(next.work));
    emit measuringStarted(m_measured);
}

void ResultQueue::startNext()
{
    if (m_measuring.isBusy() || m_inLine.empty())
        return;
    Measuring next = std::move(m_inLine.front());
    m_inLine.pop_front();
    start(std::move(next));
}

void ResultQueue::dropEdit(ResultId id)
{
    std::erase_if(m_inLine, [id](const Measuring &each) { return each.id == id && each.turn == Turn::OfEdit; });
    if (measured() == id && m_measuredTurn == Turn::OfEdit)
        m_measuring.cancel();
}

bool ResultQueue::drop(ResultId id)
{
    const bool waits = std::erase_if(m_inLine, [id](const Measuring &each) { return each.id == id; }) > 0;
    const bool isUnderWay = measured() == id;
    if (isUnderWay)
        m_measuring.cancel(); // starts the next
    return waits || isUnderWay;
}

std::vector<ResultId> ResultQueue::dropBaselinesInLine()
{
    std::vector<ResultId> dropped;
    for (const Measuring &each : m_inLine) {
        if (each.turn == Turn::OfBaseline)
            dropped.push_back(each.id);
    }
    std::erase_if(m_inLine, [](const Measuring &each) { return each.turn == Turn::OfBaseline; });
    return dropped;
}

void ResultQueue::cancelMeasuring()
{
    m_inLine.clear();
    m_measuring.cancel();
}

ResultId ResultQueue::measured() const
{
    return m_measuring.isBusy() ? m_measured : ResultId();
}

std::vector<ResultId> ResultQueue::inLine() const
{
    std::vector<ResultId> ids;
    std::ranges::transform(m_inLine, std::back_inserter(ids), &Measuring::id);
    return ids;
}

void ResultQueue::search(const Target &target, const Work &work)
{
    m_searching.start([this, work, open = opener(target, Urgency::Search, &ResultQueue::searchWaits)](
                          const JobLane::Context &context) -> JobLane::Delivery {
        auto made = work(open, context);
        return [this, made = std::move(made)] {
            if (made && *made) {
                (*made)();
            } else if (!made && made.error().code == ErrorCode::Cancelled) {
                emit searchStopped();
            } else if (!made) {
                emit searchFailed(made.error());
            }
            emit searchFinished();
        };
    });
}

void ResultQueue::stopSearch()
{
    m_searching.stop();
}

void ResultQueue::cancelSearch()
{
    m_searching.cancel();
}

} // namespace stagecraft
