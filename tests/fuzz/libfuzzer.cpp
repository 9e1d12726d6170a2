// A target for libFuzzer: STAGECRAFT_FUZZ_TARGET is its name. Half of the inputs are changed by form, half as libFuzzer
// does.

#include "fuzz/changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t maxSize);

namespace {

const stagecraft::fuzz::Target &target()
{
    static const auto *found = stagecraft::fuzz::findTarget(STAGECRAFT_FUZZ_TARGET);
    return *found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    target().read({reinterpret_cast<const char *>(data), size});
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t maxSize, unsigned seed)
{
    if (seed % 2 == 0 || size == 0)
        return LLVMFuzzerMutate(data, size, maxSize);
    const std::string input(reinterpret_cast<const char *>(data), size);
    const std::string changed = stagecraft::fuzz::Changes(target().form, seed).changed(input, input);
    const std::size_t length = std::min(changed.size(), maxSize);
    std::copy_n(changed.data(), length, reinterpret_cast<char *>(data));
    return length;
}
