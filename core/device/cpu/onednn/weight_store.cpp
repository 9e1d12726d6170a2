#include "device/cpu/onednn/weight_store.h"

#include <utility>

namespace stagecraft::cpu {

WeightStore::WeightStore(dnnl::engine engine) : m_engine(std::move(engine)) {}

std::shared_ptr<dnnl::memory> WeightStore::packed(const std::string &key, const Desc &wanted, bool keep,
                                                  const std::function<Values()> &values)
{
    std::vector<Entry> &entries = m_entries[key];
    std::erase_if(entries, [](const Entry &entry) { return entry.memory.expired(); });
    for (const Entry &entry : entries) {
        if (entry.desc == wanted)
            return entry.memory.lock();
    }
    const Values source = values();
    // oneDNN takes a pointer to mutable data and only reads it here.
    const dnnl::memory plain(plainDesc(wanted.dims()), m_engine, const_cast<float *>(source->data()));
    auto memory = std::make_shared<dnnl::memory>(wanted, m_engine);
    dnnl::stream stream(m_engine);
    dnnl::reorder(plain, *memory).execute(stream, const_cast<dnnl::memory &>(plain), *memory);
    stream.wait();
    entries.push_back({wanted, memory, keep ? memory : nullptr});
    return memory;
}

std::shared_ptr<const AlignedFloats> WeightStore::ordered(const std::string &key, bool keep,
                                                          const std::function<AlignedFloats()> &make)
{
    Ordered &entry = m_ordered[key];
    if (auto known = entry.values.lock())
        return known;
    auto made = std::make_shared<const AlignedFloats>(make());
    entry = {made, keep ? made : nullptr};
    return made;
}

} // namespace stagecraft::cpu
