#pragma once

// Steps the keyboard focus through the areas of a window, panes and panels, with a frame around the one that has it.
// The frame goes with the focus. Lives on the UI thread.

#include <QObject>
#include <QPointer>
#include <QWidget>

#include <functional>
#include <vector>

namespace stagecraft {

class AreaCycle : public QObject {
    Q_OBJECT

public:
    // `areas`: those there are now, in their order; one that shares a tab with others is brought to the front.
    AreaCycle(QWidget *window, std::function<std::vector<QWidget *>()> areas);

    void step(int by);
    [[nodiscard]] QWidget *framed() const; // null: the focus did not come this way

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void frame(QWidget *area);
    void placeFrame();

    std::function<std::vector<QWidget *>()> m_areas;
    QPointer<QWidget> m_framed;
    QPointer<QWidget> m_frame;
};

} // namespace stagecraft
