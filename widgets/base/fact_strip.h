#pragma once

// A line of "label value" pairs that never wraps, elides or moves: pairs that do not fit are dropped from the end,
// where an ellipsis stands for them, and listed in the tool tip. Each pair keeps its place while its value grows.

#include "timing/provenance.h"

#include <QString>
#include <QWidget>

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct Fact {
    QString label;
    QString value;
    QString widest = {};                       // the longest value expected; its width is reserved
    QString after = {};                        // a word after the value
    std::optional<Provenance> provenance = {}; // gives the word its colour
    std::optional<std::size_t> line = {};      // of a plot: gives the word its colour
    bool isAfterExtra = false;                 // left out if the strip is too narrow for all
    QString tip = {};                          // a line of the tool tip alone
};

class FactStrip : public QWidget {
public:
    using QWidget::QWidget;

    void setFacts(std::vector<Fact> facts);
    void setMessage(const QString &message); // shown instead of facts
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] int widthOfFirst() const; // what the first fact needs; 0: none

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Widths {
        int label = 0, value = 0, after = 0;
        int reserved = 0; // of the value, as it may grow
    };
    [[nodiscard]] std::vector<Widths> widths(const QFontMetrics &bold) const;

    std::vector<Fact> m_facts;
    QString m_message;
};

} // namespace stagecraft
