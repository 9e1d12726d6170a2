#pragma once

// The canvas without a model: how to open one.

#include <QStringList>
#include <QWidget>

#include <vector>

class QPushButton;

namespace stagecraft {

// An entry for recent work.
struct StartEntry {
    QString text;
    QString detail; // shown next to the title in smaller type
    QString id;     // a path
};

class EmptyState : public QWidget {
    Q_OBJECT

public:
    explicit EmptyState(QWidget *parent);

    void setSamples(const QStringList &names);
    // Unfinished work and recently opened files, as many as fit.
    void setEntries(const std::vector<StartEntry> &left, const std::vector<StartEntry> &recent);

signals:
    void continueRequested(const QString &id);
    void recentRequested(const QString &id);
    void openRequested();
    void sampleRequested(const QString &name);
    void tourRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void fit();

    QPushButton *m_open;
    QPushButton *m_tour;
    QWidget *m_samples;
    QWidget *m_entries;
    std::vector<QWidget *> m_lines; // entries and their headings
    bool m_hasPicture = true;       // whether the picture fits
};

} // namespace stagecraft
