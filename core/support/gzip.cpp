#include "support/gzip.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <zlib.h>

namespace stagecraft {
namespace {

constexpr int kGzipWindow = 15 + 16; // the largest window, with the header of gzip

struct Inflation {
    z_stream stream{};

    Inflation() { inflateInit2(&stream, kGzipWindow); }
    Inflation(const Inflation &) = delete;
    Inflation &operator=(const Inflation &) = delete;
    ~Inflation() { inflateEnd(&stream); }
};

uInt part(std::size_t bytes)
{
    return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

} // namespace

bool isGzip(std::string_view bytes)
{
    return bytes.starts_with("\x1f\x8b");
}

Result<std::string> unzipped(std::string_view bytes, std::size_t limitBytes)
{
    constexpr std::size_t kFirst = 1U << 16U;
    Inflation inflation;
    z_stream &stream = inflation.stream;
    std::string text;
    std::size_t read = 0;
    std::size_t written = 0;
    while (true) {
        if (written == text.size()) {
            if (written == limitBytes)
                return refused(fmt::format("unzipped it is larger than {} MiB", limitBytes >> 20U));
            text.resize(std::min(std::max(kFirst, 2 * text.size()), limitBytes));
        }
        const uInt in = part(bytes.size() - read);
        const uInt out = part(text.size() - written);
        stream.next_in = const_cast<Bytef *>(reinterpret_cast<const Bytef *>(bytes.data() + read)); // it only reads
        stream.avail_in = in;
        stream.next_out = reinterpret_cast<Bytef *>(text.data() + written);
        stream.avail_out = out;
        const int status = inflate(&stream, Z_NO_FLUSH);
        read += in - stream.avail_in;
        written += out - stream.avail_out;
        if (status == Z_STREAM_END) {
            if (!isGzip(bytes.substr(read)))
                break; // the end, or padding
            inflateReset(&stream);
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            return refused(fmt::format("it is not gzip, or damaged at byte {}", read));
        } else if (read == bytes.size() && written < text.size()) {
            return refused("it is cut short: the end of the gzip data is missing");
        }
    }
    text.resize(written);
    return text;
}

} // namespace stagecraft
