#pragma once

// A line under the tool bar for errors and notices. Never modal; stays until dismissed or replaced by the next message.

#include <QColor>
#include <QFrame>
#include <QString>

#include <functional>

class QLabel;
class QPushButton;
class QToolButton;

namespace stagecraft {

class MessageBar : public QFrame {
    Q_OBJECT

public:
    enum class Kind { Info, Warning, Error };

    explicit MessageBar(QWidget *parent = nullptr);

    void show(Kind kind, const QString &text);
    // With a button for a remedy.
    void show(Kind kind, const QString &text, const QString &action, std::function<void()> act);
    void dismiss();
    [[nodiscard]] QString text() const;
    [[nodiscard]] QPushButton *actionButton() const { return m_action; } // hidden if there is none

signals:
    void shown();
    void dismissed();

protected:
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void applyTheme();
    void fitHeight();

    Kind m_kind = Kind::Info;
    QColor m_background;
    QColor m_mark;
    QLabel *m_icon;
    QLabel *m_text;
    QPushButton *m_action;
    std::function<void()> m_act;
    QToolButton *m_close;
};

} // namespace stagecraft
