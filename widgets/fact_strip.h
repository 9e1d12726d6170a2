#pragma once

// A line of "label value" pairs that never wraps, elides or moves: what does not fit is left out from the end and is in
// the tool tip. Every fact keeps its place while its number grows.

#include <QColor>
#include <QString>
#include <QWidget>

#include <vector>

namespace stagecraft {

struct Fact {
    QString label;
    QString value;
    QString widest = {}; // the longest value to expect: what the place is reserved for
    QString after = {};  // a word behind the value: its provenance
    QColor afterColour = {};
};

class FactStrip : public QWidget {
public:
    using QWidget::QWidget;

    void setFacts(std::vector<Fact> facts);
    void setMessage(const QString &message); // in place of facts
    [[nodiscard]] QString plainText() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::vector<Fact> m_facts;
    QString m_message;
};

} // namespace stagecraft
