#pragma once

#include <QHashFunctions>

namespace stagecraft {

// While it lives, new hashes of Qt keep an order that is the same in every run: that of axes in a plot, of fonts in a
// PDF.
class SameOrder {
public:
    SameOrder() { QHashSeed::setDeterministicGlobalSeed(); }
    ~SameOrder() { QHashSeed::resetRandomGlobalSeed(); }
    SameOrder(const SameOrder &) = delete;
    SameOrder &operator=(const SameOrder &) = delete;
};

} // namespace stagecraft
