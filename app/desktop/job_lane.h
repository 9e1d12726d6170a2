#pragma once

// One background thread that does one piece of work at a time. Work goes out as a function over values and comes back
// as a function to call on the lane's own thread (the UI thread). A new piece replaces the one before: that one is
// asked to stop and whatever it still reports is dropped, by its run number.
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

    // What a piece of work is given: when to stop, and a way to report before it is done.
    struct Context {
        std::stop_token stop;
        std::function<void(Delivery)> report;
    };
    using Work = std::function<Delivery(const Context &)>;

    explicit JobLane(QObject *parent = nullptr);
    ~JobLane() override;

    void start(Work work);
    void stop();   // asks for an early end; what the work returns is still delivered
    void cancel(); // asks for an early end and drops everything
    [[nodiscard]] bool isBusy() const { return m_busy; }

signals:
    void busyChanged(bool busy);
    void workFailed(const QString &reason); // an exception; what the work reported before was delivered

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

    std::uint64_t m_run = 0; // of the UI thread: the only run whose messages are delivered
    bool m_busy = false;
    std::jthread m_thread; // last: ends before what it uses
};

} // namespace stagecraft
