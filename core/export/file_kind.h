#pragma once

// What a file that is there already is, told by how its content begins: whether an output may take its place. The only
// place that knows this. What people write by hand as well (tables, graphs for Graphviz, pages) is recognised only as
// this program writes it.

#include "support/result.h"

#include <string>
#include <string_view>

namespace stagecraft {

enum class FileKind {
    Other,
    Schedule,
    IosJson,
    ChromeTrace,
    PerfettoTrace,
    NodeData,
    Latencies,
    LayoutCosts,
    DeviceDescription,
    Session,
    Onnx,
    Npy,
    Csv,
    Markdown,
    Dot,
    Svg,
    Pdf,
    Png,
    Report,
    JUnit,
};

[[nodiscard]] std::string_view nameOf(FileKind kind); // "a schedule file"

// Other: nothing is there, it cannot be read, it is cut short.
[[nodiscard]] FileKind fileKindOf(const std::string &path);

// Of content that is at hand.
[[nodiscard]] FileKind fileKindOfText(const std::string &text);

// WrongUse, naming the file and what it is: writing a file of this kind would take other content away
// (replacesContent).
[[nodiscard]] Result<void> refuseReplacing(const std::string &path, FileKind by);

// The same for the file that takes the weights of the ONNX file `path`: it may replace weights of the ONNX file that is
// there.
[[nodiscard]] Result<void> refuseReplacingWeights(const std::string &path);

} // namespace stagecraft
