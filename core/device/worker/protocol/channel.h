#pragma once

// Length-delimited messages over file descriptors: a varint length, then that many bytes.

#include "support/result.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace stagecraft::worker {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;

// The bytes of a message. InvalidInput: it is larger than kMaxMessageBytes.
[[nodiscard]] Result<std::string> framed(const google::protobuf::MessageLite &message);

// Writes to a socket what it takes without waiting, and returns how much that was. DeviceFailed: it was closed.
[[nodiscard]] Result<std::size_t> sendSome(int socket, std::string_view bytes);

// Blocks until all is written. DeviceFailed: the connection was closed. Never raises SIGPIPE on sockets; on pipes the
// caller has to ignore it. InvalidInput: the message is larger than kMaxMessageBytes.
[[nodiscard]] Result<void> send(int descriptor, const google::protobuf::MessageLite &message);

// Splits a stream of bytes into messages.
class Receiver {
public:
    explicit Receiver(int descriptor) : m_descriptor(descriptor) {}

    // True: `message` was filled. False: no complete message within `wait` (negative: wait forever). DeviceFailed: the
    // stream ended. InvalidInput: it has other data.
    [[nodiscard]] Result<bool> receive(google::protobuf::MessageLite &message, std::chrono::milliseconds wait);

    // Drops everything up to and with `mark`; `before` gets what stood before it. False: it did not come within `wait`.
    // DeviceFailed: the stream ended. InvalidInput: it has something else for long.
    [[nodiscard]] Result<bool> skipBeyond(std::string_view mark, std::chrono::milliseconds wait, std::string &before);

private:
    // Adds what has come; false: nothing came until `end` (with `forever`: it waits on). DeviceFailed: the stream
    // ended.
    [[nodiscard]] Result<bool> readMore(std::chrono::steady_clock::time_point end, bool forever);
    // Length and begin of the first message; empty if more bytes are needed.
    struct Frame {
        std::size_t begin = 0;
        std::size_t size = 0;
    };
    [[nodiscard]] Result<std::optional<Frame>> frame() const;

    int m_descriptor;
    std::string m_buffer;
};

} // namespace stagecraft::worker
