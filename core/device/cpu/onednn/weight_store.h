#pragma once

// Weights in the layouts the primitives want, packed once per layout and shared by every program of a session.

#include "device/cpu/onednn/layout.h"
#include "device/cpu/tuned/tiled_convolution.h"
#include "operators/operator.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft::cpu {

using Values = std::shared_ptr<const std::vector<float>>;

// Of a convolution or a product.
struct LayerWeights {
    std::string key; // see WeightStore::packed
    bool keep = true;
    std::function<Values()> weight;
    std::function<Values()> bias; // empty: no bias
};

class WeightStore {
public:
    explicit WeightStore(dnnl::engine engine);

    // `key` names the values; `values` returns them, row-major in wanted.dims(), if they are not packed yet. `keep`:
    // for the whole session; otherwise as long as the result is held (weights of merged convolutions, of which a search
    // tries many).
    [[nodiscard]] std::shared_ptr<dnnl::memory> packed(const std::string &key, const Desc &wanted, bool keep,
                                                       const std::function<Values()> &values);

    // Values in an order of our own, made if they are not there yet. `key` names that order, too.
    [[nodiscard]] std::shared_ptr<const AlignedFloats> ordered(const std::string &key, bool keep,
                                                               const std::function<AlignedFloats()> &make);

private:
    struct Ordered {
        std::weak_ptr<const AlignedFloats> values;
        std::shared_ptr<const AlignedFloats> kept;
    };
    struct Entry {
        Desc desc;
        std::weak_ptr<dnnl::memory> memory;
        std::shared_ptr<dnnl::memory> kept;
    };

    dnnl::engine m_engine;
    std::map<std::string, std::vector<Entry>> m_entries;
    std::map<std::string, Ordered> m_ordered;
};

} // namespace stagecraft::cpu
