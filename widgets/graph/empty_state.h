#pragma once

// What the canvas shows without a model: how to open one.

#include <QStringList>
#include <QWidget>

#include <vector>

class QPushButton;

namespace stagecraft {

// Something that was worked on before.
struct StartEntry {
    QString text;
    QString detail; // in smaller type beside it
    QString id;     // a path
};

class EmptyState : public QWidget {
    Q_OBJECT

public:
    explicit EmptyState(QWidget *parent);

    void setSamples(const QStringList &names);
    // Work that was left, and files that were opened last; as many of them as there is room for.
    void setEntries(const std::vector<StartEntry> &left, const std::vector<StartEntry> &recent);

signals:
    void continueRequested(const QString &id);
    void recentRequested(const QString &id);
    void openRequested();
    void sampleRequested(const QString &name);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void fit();

    QPushButton *m_open;
    QWidget *m_samples;
    QWidget *m_entries;
    std::vector<QWidget *> m_lines; // of the entries, with their titles
    bool m_hasPicture = true;       // there is room for it
};

} // namespace stagecraft
