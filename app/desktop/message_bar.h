#pragma once

// A line under the tool bar for what went wrong or needs to be known. Never modal; stays until it is dismissed or the
// next message takes its place.

#include <QColor>
#include <QFrame>
#include <QString>

class QLabel;
class QToolButton;

namespace stagecraft {

class MessageBar : public QFrame {
    Q_OBJECT

public:
    enum class Kind { Info, Warning, Error };

    explicit MessageBar(QWidget *parent = nullptr);

    void show(Kind kind, const QString &text);
    void dismiss();
    [[nodiscard]] QString text() const;

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
    QToolButton *m_close;
};

} // namespace stagecraft
