#pragma once

// Length-delimited messages over file descriptors: a varint length, then that many bytes.

#include "support/result.h"

#include <chrono>
#include <optional>
#include <string>

namespace google::protobuf {
class MessageLite;
}

namespace stagecraft::worker {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;

// Blocks until all is written. DeviceFailed: the connection was closed. Never raises SIGPIPE on sockets; on pipes the
// caller has to ignore it. InvalidInput: the message is larger than kMaxMessageBytes.
[[nodiscard]] Result<void> send(int descriptor, const google::protobuf::MessageLite &message);

// Splits a stream of bytes into messages.
class Receiver {
public:
    explicit Receiver(int descriptor) : m_descriptor(descriptor) {}

    // True: `message` was filled. False: no complete message within `wait` (negative: wait forever). DeviceFailed: the
    // stream ended or has other data.
    [[nodiscard]] Result<bool> receive(google::protobuf::MessageLite &message, std::chrono::milliseconds wait);

private:
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
