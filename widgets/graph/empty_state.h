#pragma once

// What the canvas shows without a model: how to open one.

#include <QStringList>
#include <QWidget>

class QPushButton;

namespace stagecraft {

class EmptyState : public QWidget {
    Q_OBJECT

public:
    explicit EmptyState(QWidget *parent);

    void setSamples(const QStringList &names);

signals:
    void openRequested();
    void sampleRequested(const QString &name);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QPushButton *m_open;
    QWidget *m_samples;
};

} // namespace stagecraft
