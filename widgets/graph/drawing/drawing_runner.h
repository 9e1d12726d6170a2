#pragma once

// Lays out graphs on a background thread, one at a time, and passes the newest result to the UI thread. Results of
// replaced or cancelled runs are dropped. Lives on the UI thread.

#include "graph/block.h"
#include "graph/graph.h"
#include "widgets/graph/drawing/dot_runner.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QFont>
#include <QObject>
#include <QThreadPool>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace stagecraft {

class DrawingRunner : public QObject {
    Q_OBJECT

public:
    explicit DrawingRunner(QObject *parent = nullptr);
    ~DrawingRunner() override;

    // Used by drawings started from now on; without it, blocks are laid out by rows.
    void setDot(DotRunnerFactory dotRunnerFactory) { m_dotRunnerFactory = std::move(dotRunnerFactory); }

    void start(std::shared_ptr<const Graph> graph, Blocks blocks, std::vector<bool> folded, const QFont &font,
               const TerminalWords &words = {});
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_running; }

signals:
    void finished(std::shared_ptr<const stagecraft::PreparedGraph> graph);

private:
    QThreadPool m_pool;
    DotRunnerFactory m_dotRunnerFactory;
    std::stop_source m_stop;
    std::uint64_t m_run = 0;
    bool m_running = false;
};

} // namespace stagecraft
