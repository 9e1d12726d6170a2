#include "gpu/profile/kernel_record.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace stagecraft::gpu {
namespace {

constexpr std::size_t kLongestName = 80;

template <typename Key>
std::optional<std::size_t> found(const std::map<Key, std::size_t> &tasks, Key key)
{
    const auto entry = tasks.find(key);
    return entry == tasks.end() ? std::nullopt : std::optional(entry->second);
}

struct Free {
    void operator()(char *text) const { std::free(text); }
};

} // namespace

void TaskMap::nodeMade(std::uint64_t node)
{
    if (m_current)
        m_nodes[node] = *m_current;
}

void TaskMap::nodeCloned(std::uint64_t original, std::uint64_t clone)
{
    if (const auto task = found(m_nodes, original))
        m_nodes[clone] = *task;
}

void TaskMap::launched(std::uint32_t correlation)
{
    if (m_current)
        m_launches[correlation] = *m_current;
}

std::optional<std::size_t> TaskMap::taskOf(const KernelRecord &record) const
{
    return record.graphNode != 0 ? found(m_nodes, record.graphNode) : found(m_launches, record.correlation);
}

std::string shortKernelName(const std::string &name)
{
    int status = 0;
    const std::unique_ptr<char, Free> readable(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
    std::string text = readable ? readable.get() : name;
    // The parenthesis of "(anonymous namespace)" does not start the parameters.
    std::size_t parameters = text.find('(');
    while (parameters != std::string::npos && text.compare(parameters, 11, "(anonymous ") == 0)
        parameters = text.find('(', parameters + 1);
    text = text.substr(0, parameters);
    if (text.starts_with("void "))
        text.erase(0, 5);
    if (const std::size_t arguments = text.find('<'); text.size() > kLongestName && arguments != std::string::npos)
        text.erase(arguments);
    return text.size() > kLongestName ? text.substr(0, kLongestName) : text;
}

} // namespace stagecraft::gpu
