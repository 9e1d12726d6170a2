#pragma once

// One line of text that shortens in the middle where it does not fit, with all of it in the tooltip.

#include <QString>
#include <QWidget>

namespace stagecraft {

class ElidedLabel : public QWidget {
    Q_OBJECT

public:
    explicit ElidedLabel(const QString &text, QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QString m_text;
};

} // namespace stagecraft
