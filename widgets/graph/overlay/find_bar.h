#pragma once

// The bar for finding what the placeholder says: text, number of matches, next, previous, close.

#include "widgets/graph/overlay/overlay_panel.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace stagecraft {

class FindBar : public OverlayPanel {
    Q_OBJECT

public:
    FindBar(const QString &placeholder, QWidget *parent);

    void open(); // shows the bar, selects its text and gives it the focus
    void setText(const QString &text);
    void showMatches(int current, int count);
    void showTrouble(const QString &trouble); // with what was typed, instead of the number of matches

    [[nodiscard]] QString countText() const;

signals:
    void textChanged(const QString &text);
    void nextRequested();
    void previousRequested();
    void closed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QToolButton *button(const QString &text, const QString &name);

    QLineEdit *m_line;
    QLabel *m_count;
    QToolButton *m_previous;
    QToolButton *m_next;
};

} // namespace stagecraft
