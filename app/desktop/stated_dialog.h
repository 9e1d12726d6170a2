#pragma once

// Asks for a latency without a schedule, what a person runs today: a name and a number with its unit, typed or from a
// file. What is no latency is said below the field, and the dialog stays. Lives on the UI thread.

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
};

} // namespace stagecraft
