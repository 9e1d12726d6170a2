#include "device/worker/protocol/message_parts.h"

#include <cstring>

namespace stagecraft::worker {

tl::unexpected<Error> refuse(std::string message)
{
    return fail(ErrorCode::InvalidInput,
                "a message between the program and its worker is wrong: " + std::move(message));
}

std::string bytesOf(const std::vector<float> &values)
{
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

Result<std::vector<float>> floatsFrom(const std::string &bytes, const stagecraft::Shape &shape)
{
    std::vector<float> values(bytes.size() / sizeof(float));
    if (bytes.size() % sizeof(float) != 0 || static_cast<std::int64_t>(values.size()) != shape.elements())
        return refuse("values that do not match their shape");
    if (!values.empty()) // memcpy takes no null pointer, not even for zero bytes
        std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

void write(const stagecraft::Shape &shape, Shape &message)
{
    message.mutable_dims()->Add(shape.dims.begin(), shape.dims.end());
    message.set_unknown(!shape.known);
    message.set_at_most(shape.atMost);
}

stagecraft::Shape shapeFrom(const Shape &message)
{
    return {{message.dims().begin(), message.dims().end()}, !message.unknown(), message.at_most()};
}

} // namespace stagecraft::worker
