#pragma once

// How the model file is read: sizes of inputs that it leaves open, what becomes a unit, which passes run, and what was
// changed by hand (operators split or kept apart, blocks cut or joined), to be taken back. Proposes what is the case.
// Not modal; what does not fit is said below the fields, and the dialog stays open. Lives on the UI thread.

#include "model/model.h"

#include <QDialog>
#include <QString>

#include <string>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;

namespace stagecraft {

class ReadingDialog : public QDialog {
    Q_OBJECT

public:
    // Shows at first how the model of this name is read. Without passes in the report, the file was not read.
    ReadingDialog(const QString &name, const Reading &reading, const ImportReport &report, QWidget *parent);

signals:
    void wanted(const stagecraft::Reading &reading);

private:
    void addSizes(const std::vector<OpenInput> &inputs);
    void addPasses(const Reading &reading, const std::vector<PassReport> &reports);
    void addByHand();
    void take();

    std::vector<std::pair<std::string, QLineEdit *>> m_sizes; // by input
    Reading m_reading;                                        // as it is
    QComboBox *m_units;
    QListWidget *m_passes;
    QListWidget *m_byHand = nullptr; // null: nothing was changed
    QLabel *m_trouble;
};

} // namespace stagecraft
