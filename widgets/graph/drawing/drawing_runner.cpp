#include "widgets/graph/drawing/drawing_runner.h"

#include <exception>

namespace stagecraft {

DrawingRunner::DrawingRunner(QObject *parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
}

DrawingRunner::~DrawingRunner()
{
    cancel();
    m_pool.waitForDone();
}

void DrawingRunner::start(std::shared_ptr<const Graph> graph, Blocks blocks, std::vector<bool> folded,
                          const QFont &font, const TerminalWords &words)
{
    cancel();
    m_stop = std::stop_source();
    m_running = true;
    const std::uint64_t run = m_run;
    m_pool.start([this, run, stop = m_stop.get_token(), graph = std::move(graph), blocks = std::move(blocks),
                  folded = std::move(folded), font, words, dotRunnerFactory = m_dotRunnerFactory] {
        if (stop.stop_requested())
            return;
        std::shared_ptr<const PreparedGraph> result;
        std::exception_ptr failure;
        try {
            GraphLabels labels = graphLabels(*graph, blocks, font, words);
            labels.sizes.folded = folded;
            const auto dot = dotRunnerFactory ? dotRunnerFactory() : nullptr;
            auto drawing = drawGraph(*graph, blocks, labels.sizes, dot.get(), stop);
            if (!drawing)
                return;
            result = prepared(std::move(labels), std::move(*drawing));
        } catch (...) {
            failure = std::current_exception();
        }
        // The pool is drained before this object is destroyed, so `this` is valid here; pending events are dropped with
        // it.
        QMetaObject::invokeMethod(
            this,
            [this, run, failure, result = std::move(result)] {
                if (run != m_run)
                    return;
                m_running = false;
                if (failure)
                    std::rethrow_exception(failure); // reported by the application
                emit finished(result);
            },
            Qt::QueuedConnection);
    });
}

void DrawingRunner::cancel()
{
    m_stop.request_stop();
    m_pool.clear();
    ++m_run;
    m_running = false;
}

} // namespace stagecraft
