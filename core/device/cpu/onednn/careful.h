#pragma once

// Kernels that keep what is no number. The library's functions take the larger or the smaller of two values by
// instructions that return the other one for it; they say so only in the processor's flags. Where a program's values
// are wanted, a stage that raises them runs again with these (Program). Written for every layout rather than for speed.

#include "device/cpu/onednn/emitter.h"

namespace stagecraft::cpu {

// Applies an activation that eltwise() knows to `from` and writes to `to`, which may be the same place.
void emitActivationCarefully(Emitter &emitter, const Activation &activation, const Place &from, const Place &to);
void emitLargestCarefully(Emitter &emitter, const PoolAttributes &pool, const Place &from, const Place &to);
// `from` is in the layout of `to`.
void emitSoftmaxCarefully(Emitter &emitter, const Place &from, const Place &to, std::size_t axis, bool logarithm);

} // namespace stagecraft::cpu
