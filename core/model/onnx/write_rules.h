#pragma once

// How operators become nodes, for the choice in node_writer.cpp. A rule writes the operator that `nodes` is at, in the
// form of the opset that the file gets. What depends on the opset, of all that the rules write (6 to 23):
//
//   Add, Mul, Gemm        a smaller second operand is announced (broadcast) before 7
//   AveragePool           count_include_pad from 7
//   BatchNormalization    is_test before 7
//   PRelu                 one slope per channel, shaped as the channels alone before 7
//   Clip                  bounds are operands from 11, attributes before
//   Gemm                  without a bias from 11, a MatMul before
//   HardSwish             an operator from 14, HardSigmoid and Mul before
//   Gelu                  an operator from 20, written out with Erf before
//
// Everything else that changed with opsets (Resize, Pad, Reduce*, GroupNormalization, DequantizeLinear, ...) is only
// ever copied from a file of the same opset.

#include "model/onnx/node_steps.h"
#include "support/result.h"

#include <string>

namespace stagecraft::write_rules {

// write_activations.cpp
void writeActivationUnit(NodeSteps &nodes);
void writeActivation(NodeSteps &nodes, const Activation &activation, const std::string &from, const std::string &name,
                     const std::string &to);
// `from` where there is no activation, otherwise a new tensor.
[[nodiscard]] std::string activated(NodeSteps &nodes, const Activation &activation, const std::string &from,
                                    const std::string &suffix);

// write_copy.cpp: operators that are as a file has them, in its own opset.
[[nodiscard]] Result<void> writeCopy(NodeSteps &nodes, const OriginNode &origin);
// New names must not be those of the node's bodies.
void reserveInnerNames(const onnx::NodeProto &node, NodeSteps &nodes);

// write_kept.cpp: operators kept in the form of opset 13 to 17, of models without a file of that form.
[[nodiscard]] Result<void> writeAsIs(NodeSteps &nodes);

} // namespace stagecraft::write_rules
