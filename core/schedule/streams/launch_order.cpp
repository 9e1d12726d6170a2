#include "schedule/streams/launch_order.h"

namespace stagecraft {
namespace {

constexpr std::size_t kBits = 64;

} // namespace

LaunchOrder::LaunchOrder(std::size_t launches)
    : m_words((launches + kBits - 1) / kBits), m_before(m_words * launches, 0)
{
}

LaunchOrder::LaunchOrder(const Streams &streams) : LaunchOrder(streams.launches.size())
{
    std::vector<std::size_t> last(streams.count, kFirst);
    for (const StreamLaunch &launch : streams.launches) {
        append(last[launch.stream], launch.waits);
        last[launch.stream] = m_size - 1;
    }
}

void LaunchOrder::append(std::size_t last, const std::vector<std::uint32_t> &waits)
{
    if (last != kFirst)
        addAllBefore(last);
    for (const std::uint32_t before : waits)
        addAllBefore(before);
    ++m_size;
}

void LaunchOrder::addAllBefore(std::size_t launch)
{
    const std::uint64_t *from = &m_before[launch * m_words];
    std::uint64_t *into = &m_before[m_size * m_words];
    for (std::size_t word = 0; word < m_words; ++word)
        into[word] |= from[word];
    into[launch / kBits] |= std::uint64_t{1} << (launch % kBits);
}

bool LaunchOrder::isBefore(std::size_t a, std::size_t b) const
{
    return (m_before[b * m_words + a / kBits] >> (a % kBits) & 1) != 0;
}

} // namespace stagecraft
