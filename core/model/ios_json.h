#pragma once

// The JSON graph format of the public IOS project (github.com/mit-han-lab/inter-operator-scheduler, python/ios/ir.py):
// blocks of nodes whose inputs are concatenations of sums of channel ranges [name, begin, end]. The format carries no
// weights and no batch; sequences (relu, convolution) and (relu, depthwise, pointwise convolution) become units.
// A file NAME.parts.json next to NAME.json lists, for each block, the parts it is cut into, as lists of names.

#include "model/source_graph.h"
#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft {

// Its blocks are the parts, or the file's blocks (may be longer than kMaxBlockOperators). Every error names the node
// and the reason, within the file.
[[nodiscard]] Result<SourceGraph> readIosJson(const std::filesystem::path &path, std::int64_t batch = 1);

// Reads from text; `name` names the model if the text does not, `parts` is the text of the parts file or empty.
[[nodiscard]] Result<SourceGraph> parseIosJson(const std::string &text, const std::string &name, std::int64_t batch = 1,
                                               const std::string &parts = {});

// The stages of a file whose graph is known otherwise. InvalidInput: it is not in that format; a block, named, has no
// stages.
[[nodiscard]] Result<std::vector<IosStage>> iosStagesFrom(const std::string &text);

// The graph, and stages of a schedule if given, in that format. Refuses, naming the operator, what the format cannot
// express: several inputs of the graph, dilation, uneven padding, other operators and activations.
[[nodiscard]] Result<std::string> writeIosJson(const Graph &graph, const Blocks &blocks,
                                               const std::vector<IosStage> &stages = {});

} // namespace stagecraft
