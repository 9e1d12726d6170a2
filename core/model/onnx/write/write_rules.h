#pragma once

// How operators become nodes, for the choice in node_writer.cpp. A rule writes the current operator of `nodes`, in the
// form of the file's opset. What depends on the opset (6 to 23), among all that the rules write:
//
//   Add, Mul, Gemm        a smaller second operand needs the attribute broadcast before 7
//   AveragePool           count_include_pad from 7
//   BatchNormalization    is_test before 7
//   PRelu                 one slope per channel, shaped as the channels alone before 7
//   Clip                  bounds are operands from 11, attributes before
//   Gemm                  without a bias from 11, a MatMul before
//   HardSwish             an operator from 14, HardSigmoid and Mul before
//   Mish                  an operator from 18, written out with Softplus and Tanh before
//   Gelu                  an operator from 20, written out with Erf before
//
// Everything else that changed with opsets (Resize, Pad, Reduce*, GroupNormalization, DequantizeLinear, ...) is only
// ever copied from a file of the same opset.

#include "model/onnx/read/node_steps.h"
#include "support/result.h"

#include <string>

namespace stagecraft::write_rules {

// write_activations.cpp
void writeActivationUnit(NodeSteps &nodes);
void writeActivation(NodeSteps &nodes, const Activation &activation, const std::string &from, const std::string &name,
                     const std::string &to);
// `from` if there is no activation, otherwise a new tensor.
[[nodiscard]] std::string activated(NodeSteps &nodes, const Activation &activation, const std::string &from,
                                    const std::string &suffix);

// write_copy.cpp: operators kept as in a file, in its opset.
[[nodiscard]] Result<void> writeCopy(NodeSteps &nodes, const SourceNode &source);
// Reserves the names in the node's subgraphs, so that new names differ from them.
void reserveInnerNames(const onnx::NodeProto &node, NodeSteps &nodes);

// write_kept.cpp: operators kept in the form of opset 13 to 17, for models without a file in that form.
[[nodiscard]] Result<void> writeAsIs(NodeSteps &nodes);

} // namespace stagecraft::write_rules
