#pragma once

// How the model file is read: sizes of inputs that it leaves open, what becomes a unit, and which passes run. Proposes
// what is the case. Not modal; what does not fit is said below the fields, and the dialog stays open. Lives on the UI
// thread.

#include "model/model.h"
#include "results/files/session.h"

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

// What the dialog shows at first.
struct ReadingProposal {
    QString name; // of the model
    std::vector<OpenInput> openInputs;
    RewriteOptions rewrite = {};
    std::vector<PassReport> passes = {}; // that ran; empty: the file was not read

    [[nodiscard]] static ReadingProposal of(const Model &model);
};

class ReadingDialog : public QDialog {
    Q_OBJECT

public:
    ReadingDialog(const ReadingProposal &proposal, QWidget *parent);

signals:
    void wanted(const stagecraft::SessionReading &reading);

private:
    void addSizes(const std::vector<OpenInput> &inputs);
    void addPasses(const ReadingProposal &proposal);
    void take();

    std::vector<std::pair<std::string, QLineEdit *>> m_sizes; // by input
    QComboBox *m_units;
    QListWidget *m_passes;
    QLabel *m_trouble;
};

} // namespace stagecraft
