#pragma once

// Asks for a latency without a schedule, such as today's: a name and a number with a unit, typed or from a file.
// Invalid input is reported below the field, and the dialog stays open. Lives on the UI thread.

#include "desktop/work/job_lane.h"

#include <QDialog>
#include <QString>

class QCheckBox;
class QLabel;
class QLineEdit;

namespace stagecraft {

struct StatedLatency {
    QString name;
    double us = 0;
    QString file; // empty: typed
    bool isBaseline = true;
};

class StatedDialog : public QDialog {
    Q_OBJECT

public:
    explicit StatedDialog(QWidget *parent);

    void readFile(const QString &path);
    [[nodiscard]] bool isReading() const { return m_reading.isBusy(); }

signals:
    void stated(const stagecraft::StatedLatency &latency);

private:
    void take();
    void chooseFile();

    QLineEdit *m_name;
    QLineEdit *m_latency;
    QCheckBox *m_isBaseline;
    QLabel *m_trouble;
    QString m_file;
    JobLane m_reading;
};

} // namespace stagecraft
