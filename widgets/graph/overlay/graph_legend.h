#pragma once

// The key to the colours, with the choice of the colouring.

#include "widgets/graph/overlay/overlay_panel.h"
#include "widgets/graph/paint/colouring.h"
#include "widgets/graph/paint/graph_scene.h"

class QComboBox;

namespace stagecraft {

struct LegendState {
    Colouring colouring = Colouring::Stage;
    std::size_t stages = 0; // of the current schedule; 0: none
    bool hasMerge = false;
    HeatScale heat;
    std::vector<std::size_t> families; // operator families that occur
    StageChanges changes;
    ShownLayouts layouts;
    QString otherName;                                        // of the result compared with
    std::shared_ptr<const LayoutCosts> layoutCosts = nullptr; // null: what conversions take is not known
};

class GraphLegend : public OverlayPanel {
    Q_OBJECT

public:
    explicit GraphLegend(QWidget *parent);

    void setState(LegendState state);
    void setCompact(bool compact); // shows the choice only

signals:
    void colouringChosen(stagecraft::Colouring colouring);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void place();
    [[nodiscard]] int keyRows() const;
    void paintStages(QPainter &painter, const QRect &area, const Theme &theme) const;
    void paintHeat(QPainter &painter, const QRect &area, const Theme &theme) const;
    void paintFamilies(QPainter &painter, const QRect &area, const Theme &theme) const;
    void paintLayouts(QPainter &painter, const QRect &area, const Theme &theme) const;
    void paintChanges(QPainter &painter, const QRect &area, const Theme &theme) const;

    LegendState m_state;
    bool m_compact = false;
    QComboBox *m_choice;
};

} // namespace stagecraft
