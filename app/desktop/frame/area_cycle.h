#pragma once

// Steps the keyboard focus through the areas of a window (panes and panels) and frames the current one. The frame
// disappears with the focus. Lives on the UI thread.

#include <QObject>
#include <QPointer>
#include <QWidget>

#include <functional>
#include <vector>

namespace stagecraft {

class AreaCycle : public QObject {
    Q_OBJECT

public:
    // `areas`: the current areas in order; an area that shares a tab is raised.
    AreaCycle(QWidget *window, std::function<std::vector<QWidget *>()> areas);

    void step(int by);
    [[nodiscard]] QWidget *framed() const; // null: the focus was set in another way

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
