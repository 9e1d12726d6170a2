#include "support/memory_pages.h"

#ifdef __linux__
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace stagecraft {

void takePages([[maybe_unused]] void *memory, [[maybe_unused]] std::size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    constexpr std::size_t kLeast = std::size_t{1} << 20U;
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(memory) % page;
    if (bytes >= kLeast)
        madvise(static_cast<char *>(memory) + before, (bytes - before) / page * page, MADV_POPULATE_WRITE);
#endif
}

} // namespace stagecraft
