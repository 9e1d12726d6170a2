#include "device/worker/error_output.h"

#include <array>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace stagecraft::worker {
namespace {

constexpr std::size_t kKept = 8192; // bytes
constexpr std::chrono::milliseconds kMoment{300};

} // namespace

ErrorOutput::~ErrorOutput()
{
    close();
}

int ErrorOutput::open()
{
    close();
    m_last.clear();
    m_untold.clear();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    m_descriptor = ends[0];
    (void)fcntl(m_descriptor, F_SETFL, O_NONBLOCK);
    return ends[1];
}

void ErrorOutput::close()
{
    if (m_descriptor >= 0)
        ::close(std::exchange(m_descriptor, -1));
}

void ErrorOutput::read()
{
    std::array<char, 4096> bytes{};
    for (ssize_t got = 1; m_descriptor >= 0 && got > 0;) {
        got = ::read(m_descriptor, bytes.data(), bytes.size());
        if (got <= 0)
            return;
        m_last.append(bytes.data(), static_cast<std::size_t>(got));
        m_untold.append(bytes.data(), static_cast<std::size_t>(got));
        m_came = std::chrono::steady_clock::now();
        if (m_last.size() > kKept)
            m_last.erase(0, m_last.size() - kKept);
        if (m_untold.size() > kKept)
            m_untold.erase(0, m_untold.size() - kKept);
    }
}

std::vector<std::string> ErrorOutput::takeLines()
{
    std::vector<std::string> lines;
    if (m_untold.empty() || std::chrono::steady_clock::now() - m_came < kMoment)
        return lines;
    for (std::size_t end = m_untold.find('\n'); end != std::string::npos; end = m_untold.find('\n')) {
        std::string line = m_untold.substr(0, end);
        m_untold.erase(0, end + 1);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
            line.pop_back();
        if (!line.empty())
            lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace stagecraft::worker
