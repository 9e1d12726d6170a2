#pragma once

// A small window for choosing one of many things, by mouse or by typing parts of it and Enter. What begins with the
// first word typed stands before what only has it. Escape closes it. Lives on the UI thread.

#include <QFrame>
#include <QString>

#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace stagecraft {

struct Choice {
    QString text;        // "IOS-Both · r 3, s 8 · 3.92 ms"
    QString beside = {}; // at the right: "F5", "operator"
    bool isEnabled = true;
    std::function<void()> take = {};
};

class Chooser : public QFrame {
    Q_OBJECT

public:
    Chooser(const QString &title, std::vector<Choice> choices, QWidget *parent);

    void showAt(const QPoint &globalPosition); // deletes itself when closed
    [[nodiscard]] QListWidget *list() const { return m_list; }
    [[nodiscard]] QLineEdit *filter() const { return m_filter; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fitRows(const QRect &screen);
    void showMatches();
    void take();

    std::vector<Choice> m_choices;
    std::vector<std::size_t> m_rows; // choices shown
    QLineEdit *m_filter;
    QListWidget *m_list;
    QLabel *m_more; // that are not shown
};

} // namespace stagecraft
