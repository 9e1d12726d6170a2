#pragma once

// Gives entries of menus other keys: what an entry has is refused to another by name. Keys are written to a file and
// read from one. Changes hold at once, in all windows. Lives on the UI thread.

#include "desktop/frame/menu_entries.h"
#include "desktop/frame/own_keys.h"

#include <QDialog>

#include <vector>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace stagecraft {

class Actions;

class KeysDialog : public QDialog {
    Q_OBJECT

public:
    KeysDialog(const Actions &actions, const QMenuBar &bar, QWidget *parent);

    // All or nothing; what is wrong is said below the table.
    void readFile(const QString &path);
    void writeFile(const QString &path);

private:
    struct Row {
        MenuEntry entry;
        QString name;
        QKeySequence own; // that it was made with
    };

    [[nodiscard]] std::vector<Row> rowsOf(const Actions &actions, const QMenuBar &bar) const;
    void show(const KeysByName &changed);
    void showChosen();
    void showMatches(const QString &words);
    [[nodiscard]] int chosen() const; // row; -1: none
    void give(const QKeySequence &keys);
    void takeAll(const KeysByName &keys); // keeps those that are not the entry's own
    [[nodiscard]] const Row *holderOf(const QKeySequence &keys, const Row &other) const;
    void say(const QString &text);

    std::vector<Row> m_rows;
    QLineEdit *m_filter;
    QTreeWidget *m_table;
    QKeySequenceEdit *m_keys;
    QPushButton *m_reset;
    QLabel *m_trouble;
};

} // namespace stagecraft
