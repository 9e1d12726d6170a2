#pragma once

// How the result in one pane stands against the one in another, in the words of a header.

#include "desktop/document.h"

#include <QString>

namespace stagecraft {

struct PaneChange {
    QString text;   // "+1.5 %, slower"; empty: one of them is not measured
    QString detail; // why there is no word, or what the numbers are of
    bool isPerImage = false;
};

// Latencies of other batches compare per image. A word needs exact latencies or rounds in which both were timed;
// another device or model: a number at most.
[[nodiscard]] PaneChange changeAgainst(const Document &document, ResultId id, ResultId first);

} // namespace stagecraft
