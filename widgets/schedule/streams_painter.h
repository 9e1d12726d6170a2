#pragma once

// Paints the visible part of a laid-out stream schedule. Only paints: no state, no hit tests. The names of the lanes
// stay at the top of what is visible.

#include "graph/graph.h"
#include "schedule/streams/streams.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/theme.h"
#include "widgets/schedule/streams_page.h"

#include <QRectF>

#include <cstddef>
#include <optional>

class QPainter;

namespace stagecraft {

struct StreamsPicture {
    const Graph &graph;
    const Streams &streams;
    const StreamsPage &layout;
    Theme theme;
    std::optional<OperatorId> selected;
    std::optional<std::size_t> hovered; // launch
    ModelMarks models = {};

    // Of the selected operator.
    [[nodiscard]] std::optional<std::size_t> selectedLaunch() const;
};

// `visible` is in page coordinates; the painter's origin is the page's.
void paintStreams(QPainter &painter, const StreamsPicture &picture, const QRectF &visible);

} // namespace stagecraft
