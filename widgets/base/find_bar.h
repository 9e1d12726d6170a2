#pragma once

// The bar for finding what the placeholder says: text, number of matches, next, previous, close; below them what is
// wrong with the text, or the matches as a list.

#include "widgets/base/overlay_panel.h"

#include <functional>

class QLabel;
class QLineEdit;
class QListView;
class QToolButton;

namespace stagecraft {

class FindHits;

class FindBar : public OverlayPanel {
    Q_OBJECT

public:
    FindBar(const QString &placeholder, QWidget *parent);

    void open(); // shows the bar, selects its text and gives it the focus
    void setText(const QString &text);
    void showMatches(int current, int count);
    void showTrouble(const QString &trouble); // with what was typed, instead of the number of matches
    // The matches, from which one can be chosen; a text is made when it comes into sight. None: no list.
    void showHits(int count, std::function<QString(int)> textOf);
    void fit(int width, int height); // the most that there is

    [[nodiscard]] QString countText() const;
    [[nodiscard]] QString troubleText() const; // empty: none
    [[nodiscard]] QListView *hits() const { return m_hits; }

signals:
    void textChanged(const QString &text);
    void nextRequested();
    void previousRequested();
    void hitChosen(int match);
    void closed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QToolButton *button(const QString &text, const QString &name);

    QLineEdit *m_line;
    QLabel *m_count;
    QToolButton *m_previous;
    QToolButton *m_next;
    QLabel *m_trouble;
    FindHits *m_found;
    QListView *m_hits;
};

} // namespace stagecraft
