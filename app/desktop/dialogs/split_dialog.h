#pragma once

// Asks into how many parts an operator is split. Lives on the UI thread.

#include <QDialog>
#include <QString>

namespace stagecraft {

class SplitDialog : public QDialog {
    Q_OBJECT

public:
    // `parts`: as it is now; 1: whole.
    SplitDialog(const QString &op, int parts, int most, QWidget *parent);

signals:
    void chosen(int parts); // 1: whole; never what it is now
};

} // namespace stagecraft
