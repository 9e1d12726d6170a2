#pragma once

// The buttons on the canvas: zoom, fit, fold, find.

#include "widgets/base/overlay_panel.h"

class QToolButton;

namespace stagecraft {

class GraphToolbar : public OverlayPanel {
    Q_OBJECT

public:
    explicit GraphToolbar(QWidget *parent);

    void showZoom(double zoom);
    void showFolds(bool anyFolded, bool hasBlocks);

signals:
    void zoomInRequested();
    void zoomOutRequested();
    void actualSizeRequested();
    void fitRequested();
    void foldRequested(bool folded);
    void findRequested();

private:
    QToolButton *button(const QString &text, const QString &name, const QString &tip);

    QToolButton *m_zoom = nullptr;
    QToolButton *m_fold = nullptr;
    bool m_anyFolded = false;
};

} // namespace stagecraft
