#pragma once

// A card over the window with one step of a tour: what to do, a button that does it, and one that goes on without it.
// It stays in the lower right corner of the window's centre, and can be dragged elsewhere. Lives on the UI thread.

#include "widgets/base/overlay_panel.h"

#include <QPoint>
#include <QString>

#include <optional>

class QLabel;
class QMainWindow;
class QPushButton;

namespace stagecraft {

struct TourStep {
    QString title;
    QString text; // rich text
    QString doIt; // of the button; empty: only a person can do it
};

class TourCard : public OverlayPanel {
    Q_OBJECT

public:
    explicit TourCard(QMainWindow *window);

    void showStep(const TourStep &step, int number, int count); // from 1

signals:
    void doItWanted();
    void nextWanted(); // after the last step: the end
    void endWanted();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override; // of the window and its centre
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] QPoint corner() const; // that it stays in
    void place();

    QMainWindow *m_window;
    QLabel *m_title;
    QLabel *m_text;
    QPushButton *m_doIt;
    QPushButton *m_next;
    QPushButton *m_end;
    QPoint m_fromCorner;             // of its own lower right
    std::optional<QPoint> m_grabbed; // where on the card, while it is dragged
};

} // namespace stagecraft
