#include "cli/terminal.h"

#include "support/shown_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <streambuf>
#include <string_view>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";
constexpr std::size_t kFullBytes = 4096;

// Splits the text at line ends and at our own line restarts.
std::string harmless(std::string_view text)
{
    std::string shown;
    while (!text.empty()) {
        if (text.starts_with(kClearLine)) {
            shown += kClearLine;
            text.remove_prefix(kClearLine.size());
            continue;
        }
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t end = std::min(line.find(kClearLine), line.size());
        shown += shownText(text.substr(0, end));
        text.remove_prefix(end);
        if (text.starts_with('\n')) {
            shown += '\n';
            text.remove_prefix(1);
        }
    }
    return shown;
}

// If the program is started without standard output, the next file it opens would take that descriptor. A read-only
// file takes it here: printing then fails with an error.
void occupyDescriptor(int descriptor)
{
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
        (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

class Terminal::Buffer : public std::streambuf {
public:
    explicit Buffer(std::ostream &stream) : m_stream(stream), m_original(stream.rdbuf(this)), m_inner(m_original) {}
    ~Buffer() override
    {
        sync();
        m_stream.rdbuf(m_original);
    }

    void redirect(Buffer &other) { m_inner = &other; }

protected:
    int_type overflow(int_type character) override
    {
        if (!traits_type::eq_int_type(character, traits_type::eof())) {
            const char one = traits_type::to_char_type(character);
            xsputn(&one, 1);
        }
        return m_failed ? traits_type::eof() : traits_type::not_eof(character);
    }
    std::streamsize xsputn(const char *text, std::streamsize length) override
    {
        m_text.append(text, static_cast<std::size_t>(length));
        if (const std::size_t lines = m_text.rfind('\n') + 1; m_text.size() > kFullBytes && lines > 0)
            send(lines);
        return m_failed ? 0 : length;
    }
    int sync() override
    {
        send();
        m_failed = m_inner->pubsync() != 0 || m_failed;
        return m_failed ? -1 : 0;
    }

private:
    void send(std::size_t length = std::string::npos)
    {
        const std::string shown = harmless(std::string_view(m_text).substr(0, length));
        m_text.erase(0, length);
        const auto size = static_cast<std::streamsize>(shown.size());
        m_failed = m_inner->sputn(shown.data(), size) != size || m_failed;
    }

    std::ostream &m_stream;
    std::streambuf *m_original;
    std::streambuf *m_inner; // where text is sent
    std::string m_text;      // not sent yet
    bool m_failed = false;
};

Terminal::Terminal()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        occupyDescriptor(descriptor);
    m_output = std::make_unique<Buffer>(std::cout);
    m_errors = std::make_unique<Buffer>(std::cerr);
}

Terminal::~Terminal()
{
    m_output.reset(); // may still send to the other stream
}

void Terminal::releaseOutput()
{
    m_output->redirect(*m_errors);
}

Result<void> Terminal::finish()
{
    errno = 0;
    std::cout.flush();
    if (std::cout)
        return {};
    return fail(ErrorCode::InvalidInput,
                std::string("the answer could not be written to standard output") +
                    (errno != 0 ? std::string(": ") + std::strerror(errno) : std::string()),
                "Check where it is redirected to, and the free space there");
}

} // namespace stagecraft
