#pragma once

// The latency of one model against that of the other, a mark for each plan that both can run by: those that no other
// beats in both are joined by steps, the one that is shown has a ring, and dotted lines are what each takes alone.
// Hovering tells about a plan, a click or Enter chooses it; arrows, Home and End go from plan to plan, Escape leaves
// them. Lives on the UI thread.

#include "widgets/study/together_facts.h"

#include <QWidget>

#include <memory>
#include <optional>

class QImage;

namespace stagecraft {

class FrontPlot : public QWidget {
    Q_OBJECT

public:
    explicit FrontPlot(QWidget *parent = nullptr);
    ~FrontPlot() override;

    void setFacts(const TogetherFacts &facts);
    [[nodiscard]] std::optional<std::size_t> current() const;
    [[nodiscard]] QPoint placeOf(std::size_t plan) const; // for tests
    [[nodiscard]] QImage picture() const;                 // at twice the resolution
    [[nodiscard]] QSize sizeHint() const override { return {340, 220}; }

signals:
    void chosen(std::size_t plan);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
