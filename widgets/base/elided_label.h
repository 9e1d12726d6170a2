#pragma once

// One line of text, shortened if it does not fit, in the middle by default. The tool tip has the full text.

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
    void setShorter(const QStringList &texts); // alternatives if the text does not fit, from long to short
    [[nodiscard]] QString shownText() const;   // the text that fits
    void setDetail(const QString &detail);     // additional text for the tool tip, always shown there

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
