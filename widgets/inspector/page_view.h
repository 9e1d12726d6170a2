#pragma once

// Shows a page of the inspector: a header, then sections of keys, values, bars and links. Recreated for each page.

#include "widgets/base/inspector_page.h"
#include "widgets/base/theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace stagecraft {

class PageView : public QWidget {
    Q_OBJECT

public:
    // Values stand beside their keys, or below them where that leaves them too little room.
    static constexpr int kRoomy = 300; // pixels of width from which they stand beside them
    PageView(const InspectorPage &page, const Theme &theme, bool isRoomy, QWidget *parent);

signals:
    void chosen(const stagecraft::Selected &target);
    void tryPressed(const stagecraft::Stage &stage);
    void whyPressed();

private:
    void addHeader(const InspectorPage &page);
    void addSection(const InspectorSection &section);
    void addRow(QGridLayout *grid, const InspectorRow &row);
    [[nodiscard]] QWidget *linksOf(const InspectorRow &row);
    [[nodiscard]] QLabel *valueLabel(const InspectorRow &row) const;
    [[nodiscard]] QString provenanceSpan(Provenance provenance) const;
    void colour(QWidget *widget, const QColor &text) const;

    Theme m_theme;
    bool m_isRoomy;
    QVBoxLayout *m_layout;
};

} // namespace stagecraft
