#pragma once

// The panel of gains by size: which parameter and sizes, Start and Stop, where the gain crosses 1, and the plot. Lives
// on the UI thread and knows no device: points come in as values.

#include "results/size_point.h"

#include <QStringList>
#include <QWidget>

#include <memory>
#include <vector>

namespace stagecraft {

class SizePlot;

class SizeView : public QWidget {
    Q_OBJECT

public:
    explicit SizeView(QWidget *parent = nullptr);
    ~SizeView() override;

    void offerParameters(const QStringList &parameters); // the one chosen last, if it is among them
    [[nodiscard]] QString parameter() const;             // empty: none is offered
    [[nodiscard]] QString over() const;                  // "tokens=1..4096", as typed
    void setOver(const QString &parameter, const QString &sizes);

    void setReady(const QString &whyNot); // empty: there is something to study
    void setRunning(bool running);
    void setPoints(const std::vector<SizePoint> &points); // of the parameter, ascending by size
    void showProgress(const QString &text);               // of the size that is studied; empty: none

    [[nodiscard]] SizePlot *plot() const;
    [[nodiscard]] QString plainSummary() const; // the lines above the plot
    [[nodiscard]] QString hint() const;         // instead of the plot; empty: the plot is shown
    void copyPicture() const;

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void startRequested();
    void stopRequested();
    void rangeChanged();
    void chosen(qint64 size);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
