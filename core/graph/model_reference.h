#pragma once

// Which model something belongs to: its file, and how that was read. Readings of one file have different graphs, so
// they are different models.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// What becomes one schedule unit.
enum class Units {
    Ios,  // as in the IOS paper (Ding et al., MLSys 2021): Conv-Relu, Relu-SepConv, sums and concats with their readers
    Tvm,  // by fusion class, as in TVM (Chen et al., OSDI 2018, section 3)
    None, // each operator of the file, as far as it is needed
};

[[nodiscard]] std::string_view toString(Units units);
[[nodiscard]] std::optional<Units> unitsFromString(std::string_view text);

// Sizes of inputs that a person chose, by name: all sizes of the input, where the file leaves some open.
using InputSizes = std::map<std::string, std::vector<std::int64_t>>;

// "1x3x224x224"; empty if it is something else.
[[nodiscard]] std::optional<std::vector<std::int64_t>> sizesFromText(std::string_view text);

// Operators that a person or a search splits, by name, and into how many parts (model/rewrite/split_operators.h).
using OperatorSplits = std::map<std::string, std::int64_t>;

// How a model is read. By itself: what the program does without being told.
struct Reading {
    Units units = Units::Ios;
    std::set<std::string> without = {}; // names of passes (model/rewrite/pass.h)
    InputSizes sizes = {};
    OperatorSplits splits = {};
    std::set<std::string> splitByRows = {}; // of these, those whose parts are rows instead of channels or columns
    std::set<std::string> apart = {};       // operators of the file that no pass makes part of another's unit
    std::set<std::string> joinedAfter = {}; // units whose block is one with the block after it
    std::set<std::string> cutAfter = {};    // units after which their block is cut (model/rewrite/chosen_blocks.h)

    [[nodiscard]] bool hasChosenBlocks() const { return !joinedAfter.empty() || !cutAfter.empty(); }
    [[nodiscard]] bool isUsual() const { return *this == Reading{}; }
    friend bool operator==(const Reading &, const Reading &) = default;
};

// "with units tvm, without fold-pads, x=1x3x64x64"; empty for the usual one. Session files have it, too.
[[nodiscard]] std::string toString(const Reading &reading);

struct ModelReference {
    std::string name;
    std::string sha256; // of the file, or of the built-in network's canonical text
    Reading reading = {};
    // This version makes another graph of the file than the one that the results belong to.
    bool isReadOtherwise = false;

    friend bool operator==(const ModelReference &, const ModelReference &) = default;
};

} // namespace stagecraft
