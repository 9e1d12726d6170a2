#pragma once

// A small window for choosing one of many results, by mouse or by typing part of it and Enter. Escape closes it. Lives
// on the UI thread.

#include "results/schedule_result.h"

#include <QFrame>

#include <vector>

class QLineEdit;
class QListWidget;

namespace stagecraft {

struct ResultChoice {
    ResultId id;
    QString text; // "IOS-Both · r 3, s 8 · 3.92 ms"
};

class ResultChooser : public QFrame {
    Q_OBJECT

public:
    ResultChooser(const QString &title, const std::vector<ResultChoice> &choices, QWidget *parent);

    void showAt(const QPoint &globalPosition); // deletes itself when closed
    [[nodiscard]] QListWidget *list() const { return m_list; }
    [[nodiscard]] QLineEdit *filter() const { return m_filter; }

signals:
    void chosen(stagecraft::ResultId id);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fitRows(const QRect &screen);
    void filterBy(const QString &words);
    void take();

    std::vector<ResultChoice> m_choices;
    QLineEdit *m_filter;
    QListWidget *m_list;
};

} // namespace stagecraft
