#pragma once

// The node types that the importer knows but the cpu device refuses, by name. All others run.

#include <set>
#include <string>

namespace stagecraft::test {

inline const std::set<std::string> kRefusedOnCpu{
    // Results or operands are not float32.
    "And", "ArgMax", "ArgMin", "BitShift", "ConvInteger", "DequantizeLinear", "DynamicQuantizeLinear", "Equal",
    "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "MatMulInteger", "Not", "Or", "QLinearConv",
    "QuantizeLinear", "TopK", "Xor",
    // Only their shapes are known.
    "CastLike", "CumSum", "EyeLike", "GRU", "GatherElements", "GlobalLpPool", "Hardmax", "LSTM", "LpPool", "RNN",
    "ReverseSequence", "ScatterElements", "ScatterND", "Trilu"};

} // namespace stagecraft::test
