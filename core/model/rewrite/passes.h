#pragma once

// The passes of pass.h, one per file. Each changes the graph in place and keeps results the same up to rounding.

namespace stagecraft {

class GraphEdit;

void removeDead(GraphEdit &graph);
void simplifyConcats(GraphEdit &graph);
void fuseHardActivations(GraphEdit &graph);
void fuseGatedActivations(GraphEdit &graph);
void fuseGelu(GraphEdit &graph);
void foldPads(GraphEdit &graph);
void foldBatchNorms(GraphEdit &graph);
void formSepConvs(GraphEdit &graph);
void fuseActivations(GraphEdit &graph);
void formReluConvs(GraphEdit &graph);
void foldSums(GraphEdit &graph);
void fuseProducts(GraphEdit &graph);
void fuseByClass(GraphEdit &graph);

} // namespace stagecraft
