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

// Blocks until all is written. DeviceFailed: the other side is gone. Never raises SIGPIPE on sockets; on pipes the
// caller has to ignore it. InvalidInput: the message is larger than kMaxMessageBytes.
[[nodiscard]] Result<void> send(int descriptor, const google::protobuf::MessageLite &message);

// Takes messages out of a stream of bytes.
class Receiver {
public:
    explicit Receiver(int descriptor) : m_descriptor(descriptor) {}

    // True: `message` was filled. False: nothing whole came within `wait` (negative: forever).
    // DeviceFailed: the stream ended or does not hold messages.
    [[nodiscard]] Result<bool> receive(google::protobuf::MessageLite &message, std::chrono::milliseconds wait);

private:
    // The length of the first message and where it begins; nothing yet: more bytes are needed.
    struct Frame {
        std::size_t begin = 0;
        std::size_t size = 0;
    };
    [[nodiscard]] Result<std::optional<Frame>> frame() const;

    int m_descriptor;
    std::string m_buffer;
};

} // namespace stagecraft::worker
