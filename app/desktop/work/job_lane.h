#pragma once

// One background thread that does one piece of work at a time. Work is a function over values; it returns a function
// that is called on the lane's own thread (the UI thread). A new piece replaces the previous one, which is asked to
// stop; its later reports are dropped by run number.
//
// Threads: start, stop and cancel on the thread that made the lane; Work runs on the lane's background thread.

#include <QObject>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace stagecraft {

class JobLane : public QObject {
    Q_OBJECT

public:
    using Delivery = std::function<void()>;

    // What a piece of work gets: a stop token, and a way to report before it is done.
    struct Context {
        std::stop_token stop;
        std::function<void(Delivery)> report;
    };
    using Work = std::function<Delivery(const Context &)>;

    explicit JobLane(QObject *parent = nullptr);
    ~JobLane() override;

    void start(Work work);
    void stop();   // requests an early end; the result is still delivered
    void cancel(); // requests an early end and drops the result
    [[nodiscard]] bool isBusy() const { return m_busy; }

signals:
    void busyChanged(bool busy);
    void workFailed(const QString &reason); // an exception; earlier reports were delivered

protected:
    bool event(QEvent *event) override;

private:
    struct Message {
        std::uint64_t run = 0;
        bool last = false;
        Delivery deliver;
    };

    void work(const std::stop_token &threadStop);
    [[nodiscard]] Delivery result(const Work &work, const Context &context);
    void post(Message message);
    void setBusy(bool busy);

    std::mutex m_mutex; // protects m_next, m_nextRun, m_runStop and m_messages
    std::condition_variable_any m_wake;
    Work m_next;
    std::uint64_t m_nextRun = 0;
    std::stop_source m_runStop;
    std::vector<Message> m_messages;

    std::uint64_t m_run = 0; // UI thread only: the run whose messages are delivered
    bool m_busy = false;
    std::jthread m_thread; // last member: ends before what it uses
};

} // namespace stagecraft
