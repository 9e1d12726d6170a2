#pragma once

// Two models that share a device: the plan both run by, each with the time until its result beside what it takes alone,
// where the time goes, and the latencies of both under every plan (front_plot.h). A form starts the search, with a
// deadline for one model if wanted. Lives on the UI thread.

#include "widgets/study/together_facts.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <optional>

class QImage;

namespace stagecraft {

class FrontPlot;

class TogetherView : public QWidget {
    Q_OBJECT

public:
    explicit TogetherView(QWidget *parent = nullptr);
    ~TogetherView() override;

    struct Deadline {
        std::size_t model = 0;
        double us = 0;
    };

    void setFacts(const TogetherFacts &facts);
    [[nodiscard]] const TogetherFacts &facts() const;
    void setWhyNot(const QString &why); // why nothing can be planned; empty: it can
    void setRunning(bool isRunning);
    [[nodiscard]] std::optional<Deadline> deadline() const;
    void setDeadline(const std::optional<Deadline> &deadline);

    [[nodiscard]] FrontPlot *plot() const;
    [[nodiscard]] QImage picture() const; // of all of it, at twice the resolution
    [[nodiscard]] QSize sizeHint() const override { return {520, 260}; }

signals:
    void startRequested();
    void stopRequested();
    void chosen(std::size_t plan);
    void deadlineChanged();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
