#include "device/worker/protocol/channel.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <google/protobuf/message_lite.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace stagecraft::worker {
namespace {

constexpr std::size_t kReadBytes = 65'536;
constexpr std::size_t kMostSkipped = std::size_t{1} << 20U; // bytes

ssize_t writeSome(int descriptor, const char *bytes, std::size_t count)
{
    const ssize_t sent = ::send(descriptor, bytes, count, MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? ::write(descriptor, bytes, count) : sent;
}

tl::unexpected<Error> closed()
{
    return fail(ErrorCode::DeviceFailed, fmt::format("the connection was closed ({})", std::strerror(errno)));
}

} // namespace

Result<std::string> framed(const google::protobuf::MessageLite &message)
{
    const std::size_t size = message.ByteSizeLong();
    if (size > kMaxMessageBytes)
        return refused(fmt::format("the model is too large to hand to the worker ({} MiB)", size >> 20U));
    std::string bytes;
    std::size_t rest = size;
    for (; rest >= 0x80; rest >>= 7U)
        bytes += static_cast<char>((rest & 0x7FU) | 0x80U);
    bytes += static_cast<char>(rest);
    if (!message.AppendToString(&bytes))
        return fail(ErrorCode::InvalidInput, "the message could not be written");
    return bytes;
}

Result<std::size_t> sendSome(int socket, std::string_view bytes)
{
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (sent < 0)
        return closed();
    return static_cast<std::size_t>(sent);
}

Result<void> send(int descriptor, const google::protobuf::MessageLite &message)
{
    TRY_AS(const std::string bytes, framed(message));
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t sent = writeSome(descriptor, bytes.data() + done, bytes.size() - done);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return closed();
        done += static_cast<std::size_t>(sent);
    }
    return {};
}

Result<std::optional<Receiver::Frame>> Receiver::frame() const
{
    std::size_t size = 0;
    for (std::size_t i = 0; i < m_buffer.size(); ++i) {
        const auto byte = static_cast<unsigned char>(m_buffer[i]);
        size |= static_cast<std::size_t>(byte & 0x7FU) << (7 * i);
        if (size > kMaxMessageBytes || i > 5)
            return refused("the stream has data that is not a message");
        if ((byte & 0x80U) == 0) {
            if (m_buffer.size() - i - 1 < size)
                return std::nullopt;
            return Frame{i + 1, size};
        }
    }
    return std::nullopt;
}

Result<bool> Receiver::readMore(std::chrono::steady_clock::time_point end, bool forever)
{
    for (;;) {
        pollfd waiting{m_descriptor, POLLIN, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        const int ready = poll(&waiting, 1, forever ? -1 : static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            return false;
        const std::size_t before = m_buffer.size();
        m_buffer.resize(before + kReadBytes);
        const ssize_t got = ::read(m_descriptor, m_buffer.data() + before, kReadBytes);
        m_buffer.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            return fail(ErrorCode::DeviceFailed, "the stream ended");
        return true;
    }
}

Result<bool> Receiver::receive(google::protobuf::MessageLite &message, std::chrono::milliseconds wait)
{
    const auto end = std::chrono::steady_clock::now() + wait;
    for (;;) {
        TRY_AS(const auto whole, frame());
        if (whole) {
            const bool read = message.ParseFromArray(m_buffer.data() + whole->begin, static_cast<int>(whole->size));
            m_buffer.erase(0, whole->begin + whole->size);
            if (!read)
                return refused("the stream has data that is not a message");
            return true;
        }
        TRY_AS(const bool more, readMore(end, wait.count() < 0));
        if (!more)
            return false;
    }
}

Result<bool> Receiver::skipBeyond(std::string_view mark, std::chrono::milliseconds wait, std::string &before)
{
    const auto end = std::chrono::steady_clock::now() + wait;
    for (;;) {
        const std::size_t found = m_buffer.find(mark);
        if (found != std::string::npos) {
            before = m_buffer.substr(0, found);
            m_buffer.erase(0, found + mark.size());
            return true;
        }
        if (m_buffer.size() > kMostSkipped)
            return refused("the stream has data that is not a message");
        TRY_AS(const bool more, readMore(end, false));
        if (!more)
            return false;
    }
}

} // namespace stagecraft::worker
