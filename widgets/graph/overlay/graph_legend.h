#pragma once

// The key to the colours, with the choice of the colouring: a strip below the canvas, with as many lines as the key
// needs in its width.

#include "widgets/base/model_marks.h"
#include "widgets/base/overlay_panel.h"
#include "widgets/base/theme.h"
#include "widgets/graph/paint/colouring.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QStringList>

#include <vector>

class QComboBox;

namespace stagecraft {

struct LegendState {
    Colouring colouring = Colouring::Stage;
    std::size_t stages = 0;  // of the current schedule; 0: none
    std::size_t streams = 0; // of one that has streams
    bool hasMerge = false;
    HeatScale heat;
    std::vector<std::size_t> families; // operator families that occur
    StageChanges changes;
    ShownLayouts layouts;
    QString otherName;                                        // of the result compared with
    std::shared_ptr<const LayoutCosts> layoutCosts = nullptr; // null: what conversions take is not known
    ModelMarks models;                                        // named whatever the colouring
};

class GraphLegend : public OverlayPanel {
    Q_OBJECT

public:
    explicit GraphLegend(QWidget *parent);

    void setState(LegendState state);
    [[nodiscard]] int heightFor(int width) const;
    [[nodiscard]] QStringList texts() const; // of the key

signals:
    void colouringChosen(stagecraft::Colouring colouring);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Entry {
        enum class Mark { None, Swatch, Stages, Merge, Scale, Model };
        Mark mark = Mark::None;
        QString text;
        QColor fill = {};
        QColor ink = {}; // of the text
        std::size_t model = 0;
    };
    struct PlacedEntry {
        Entry entry;
        QRect place;
    };
    [[nodiscard]] std::vector<Entry> entries() const;
    void addStages(std::vector<Entry> &entries, const Theme &theme) const;
    void addHeat(std::vector<Entry> &entries, const Theme &theme) const;
    void addChanges(std::vector<Entry> &entries, const Theme &theme) const;
    void addLayouts(std::vector<Entry> &entries, const Theme &theme) const;
    void addModels(std::vector<Entry> &entries, const Theme &theme) const;
    [[nodiscard]] static int markWidth(Entry::Mark mark);
    [[nodiscard]] std::vector<PlacedEntry> placed(int width) const;
    void paintEntry(QPainter &painter, const PlacedEntry &entry, const Theme &theme) const;

    LegendState m_state;
    QComboBox *m_choice;
};

} // namespace stagecraft
