#pragma once

// The weights of the network: one file, mapped while the network is loaded. All numbers are little-endian:
//
//   bytes 0 to 15    "network weights", ended by a zero
//   bytes 16 to 23   size of the file in bytes
//   bytes 24 to 87   SHA-256 of everything behind the header, as hexadecimal digits
//   bytes 88 to 127  zero
//   from byte 128    float32 or int64 values, row-major, each constant at a multiple of 64 bytes

#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class WeightsFile {
public:
    // `sha256` and `bytes` are those the network was exported with: a file of another network is refused. The values
    // are not hashed again.
    [[nodiscard]] static Result<WeightsFile> open(const std::string &path, std::string_view sha256,
                                                  std::uint64_t bytes);

    // `count` values from byte `offset` of the file, which holds them.
    template <typename Value>
    [[nodiscard]] std::vector<Value> values(std::uint64_t offset, std::size_t count) const
    {
        std::vector<Value> values(count);
        if (count > 0)
            std::memcpy(values.data(), m_mapped.get() + offset, count * sizeof(Value));
        return values;
    }

private:
    struct Unmap {
        std::size_t bytes = 0;
        void operator()(const std::byte *mapped) const;
    };

    explicit WeightsFile(std::unique_ptr<const std::byte, Unmap> mapped) : m_mapped(std::move(mapped)) {}

    std::unique_ptr<const std::byte, Unmap> m_mapped;
};

} // namespace stagecraft
