#pragma once

// A row for every operator type that the program knows: a node to try it with, and what each device is expected to
// answer. sim: simulates every operator, by its bytes if it knows no more.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stagecraft::test {

using Dims = std::vector<std::int64_t>;

// A node. Its operands are float tensors, then constants; by default a single image.
struct Recipe {
    std::vector<Dims> tensors{{1, 4, 6, 6}};
    std::vector<Dims> floats{};               // constants by their shapes; their values are small and differ
    std::vector<std::vector<float>> reals{};  // constants with one axis by their values, after `floats`
    std::vector<Dims> integers{};             // constants with one axis by their values, after `reals`
    std::map<std::string, Dims> attributes{}; // lists
    std::map<std::string, std::int64_t> numbers{};
    std::map<std::string, std::string> texts{};
    int outputs = 1;
    bool constantsFirst = false;
    bool besideRelu = false;
    std::vector<std::size_t> order{}; // of the operands, tensors first; empty: as listed
    float least = 0.1F;               // of the inputs' values
};

// What a device says of the node: nothing if it executes it, otherwise a part of why it refuses.
struct OperatorRow {
    Recipe recipe = {};
    std::string cpu = {};
    std::string gpu = {};
};

[[nodiscard]] const std::map<std::string, OperatorRow> &operatorRows();

// As an ONNX file of opset 13 with this node, named "the operator", which makes y0, y1, ...
[[nodiscard]] std::string modelOf(const std::string &type, const Recipe &recipe);

} // namespace stagecraft::test
