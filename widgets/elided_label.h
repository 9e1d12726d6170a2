#pragma once

// One line of text that shortens where it does not fit, in the middle unless set otherwise, with all of it in the
// tooltip.

#include <QString>
#include <QStringList>
#include <QWidget>

namespace stagecraft {

class ElidedLabel : public QWidget {
    Q_OBJECT

public:
    explicit ElidedLabel(const QString &text = {}, QWidget *parent = nullptr);

    [[nodiscard]] const QString &text() const { return m_text; }
    void setText(const QString &text);
    void setElideMode(Qt::TextElideMode mode);
    void setShorter(const QStringList &texts); // say enough where there is no room for all of it, from long to short
    [[nodiscard]] QString shownText() const;   // as there is room for it
    void setDetail(const QString &detail);     // more for the tooltip, whether the text fits or not

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    [[nodiscard]] QSize withMargins(int textWidth) const;
    void refreshToolTip();

    QString m_text;
    QStringList m_shorter;
    QString m_detail;
    Qt::TextElideMode m_mode = Qt::ElideMiddle;
};

} // namespace stagecraft
