#pragma once

// The passes of form_units.h, one per file. Each changes the graph in place and keeps results the same up to rounding.

namespace stagecraft {

class GraphEdit;

void fuseHardActivations(GraphEdit &graph);  // relu6(x + 3) / 6, x * relu6(x + 3) / 6
void fuseGatedActivations(GraphEdit &graph); // x * sigmoid(x), x * hardsigmoid(x)
void foldPads(GraphEdit &graph);             // zeros around an image, into the next convolution
void foldBatchNorm(GraphEdit &graph);        // also scaling or shifting by constants
void formSepConvs(GraphEdit &graph);
void fuseActivations(GraphEdit &graph);
void formReluConvs(GraphEdit &graph);
void foldSums(GraphEdit &graph);

} // namespace stagecraft
