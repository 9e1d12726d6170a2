#pragma once

// How the result in one pane compares with that in another, in the words of a header.

#include "desktop/document/document.h"

#include <QString>

namespace stagecraft {

struct PaneChange {
    QString text;   // "+1.5 %, slower"; empty: one of them is not measured
    QString detail; // why there is no word, or what the numbers refer to
    bool isPerImage = false;
};

// Latencies of different batches are compared per image. A word needs exact latencies, or rounds in which both were
// timed; for another device or model there is at most a number.
[[nodiscard]] PaneChange changeAgainst(const Document &document, ResultId id, ResultId first);

} // namespace stagecraft
