#pragma once

// Pictures in the export dialog: what a view of the window shows at this moment, and a preview.

#include "pictures/picture.h"

#include <QScrollArea>

namespace stagecraft {

// The widget as it is, with the part that is in sight; plots as lines, not as pixels. Valid while the widget lives, and
// empty afterwards.
[[nodiscard]] Picture pictureOfWidget(QWidget *widget, const QString &title);

// As wide as the area, with its height in a scroll bar.
class PicturePreview : public QScrollArea {
public:
    explicit PicturePreview(QWidget *parent);

    void showPicture(const Picture &picture);
    void clear();
};

} // namespace stagecraft
