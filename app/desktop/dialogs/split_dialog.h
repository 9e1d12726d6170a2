#pragma once

// Asks into how many parts an operator is split, and whether by rows. Lives on the UI thread.

#include <QDialog>
#include <QString>

namespace stagecraft {

struct SplitChoices {
    int parts = 1; // as it is now; 1: whole
    bool byRows = false;
    int most = 1;     // by channels or columns; 1: not at all
    int mostRows = 1; // by rows
};

class SplitDialog : public QDialog {
    Q_OBJECT

public:
    SplitDialog(const QString &op, const SplitChoices &choices, QWidget *parent);

signals:
    void chosen(int parts, bool byRows); // 1: whole; never what it is now
};

} // namespace stagecraft
