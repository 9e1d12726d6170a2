#include "device/npy.h"

#include "operators/values/narrow_floats.h"
#include "support/input_file.h"
#include "support/output_file.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace stagecraft {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kMaxElements = std::int64_t{1} << 32;
constexpr std::size_t kHeaderAlignment = 64;
constexpr const char *kWriteAgain = "Write it with numpy.save(path, array)";

// The text after `'key':` in the header, which is a Python dictionary.
Result<std::string_view> valueOf(std::string_view header, std::string_view key)
{
    std::size_t at = header.find('\'' + std::string(key) + '\'');
    if (at == std::string_view::npos)
        return refused("the header lacks '" + std::string(key) + "'", kWriteAgain);
    at = header.find_first_not_of(" :", at + key.size() + 2);
    return at == std::string_view::npos ? std::string_view() : header.substr(at);
}

Result<Shape> shapeFrom(std::string_view text)
{
    const std::size_t close = text.find(')');
    if (!text.starts_with('(') || close == std::string_view::npos)
        return refused("the shape in the header is not a tuple", kWriteAgain);
    Shape shape;
    std::int64_t elements = 1;
    std::int64_t number = -1;
    for (const char c : text.substr(1, close)) {
        if (c >= '0' && c <= '9') {
            number = std::max<std::int64_t>(number, 0) * 10 + (c - '0');
            if (number > kMaxElements)
                return refused("the shape is absurdly large", kWriteAgain);
        } else if (c == ',' || c == ')') {
            if (number < 0)
                continue; // "()", or the comma after the last number
            shape.dims.push_back(number);
            if (number > 0 && elements > kMaxElements / number)
                return refused("the shape is absurdly large", kWriteAgain);
            elements *= number;
            number = -1;
        } else if (c != ' ' && c != 'L') {
            return refused("the shape in the header is not a tuple of numbers", kWriteAgain);
        }
    }
    return shape;
}

struct NumberType {
    std::string_view name;
    DataType type = DataType::Float32;
    std::vector<float> (*asFloats)(std::string_view, std::size_t) = nullptr;
};

template <typename T>
std::vector<float> converted(std::string_view data, std::size_t count)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
        values[i] = static_cast<float>(value);
    }
    return values;
}

std::vector<float> halves(std::string_view data, std::size_t count)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, data.data() + i * sizeof bits, sizeof bits);
        values[i] = halfToFloat(bits);
    }
    return values;
}

constexpr std::array kNumberTypes{
    NumberType{"'<f4'", DataType::Float32, converted<float>},
    NumberType{"'<f8'", DataType::Float64, converted<double>},
    NumberType{"'<f2'", DataType::Float16, halves},
    NumberType{"'<i8'", DataType::Int64, converted<std::int64_t>},
    NumberType{"'<i4'", DataType::Int32, converted<std::int32_t>},
    NumberType{"'<i2'", DataType::Int16, converted<std::int16_t>},
    NumberType{"'|i1'", DataType::Int8, converted<std::int8_t>},
    NumberType{"'<u8'", DataType::UInt64, converted<std::uint64_t>},
    NumberType{"'<u4'", DataType::UInt32, converted<std::uint32_t>},
    NumberType{"'<u2'", DataType::UInt16, converted<std::uint16_t>},
    NumberType{"'|u1'", DataType::UInt8, converted<std::uint8_t>},
    NumberType{"'|b1'", DataType::Bool, converted<std::uint8_t>},
};

struct NpyHeader {
    const NumberType *type = nullptr;
    Shape shape;
    std::size_t end = 0; // where the numbers begin

    [[nodiscard]] std::size_t dataBytes() const
    {
        return static_cast<std::size_t>(shape.elements() * sizeBytes(type->type));
    }
};

struct NpyFile {
    NpyHeader header;
    std::string_view data;
};

tl::unexpected<Error> cutShort()
{
    return refused("the file is cut short", "Save it again");
}

// Where the header ends, by the first bytes of a file.
constexpr std::size_t kFirstBytes = 12;
Result<std::size_t> headerEnd(std::string_view bytes)
{
    if (!bytes.starts_with(kMagic) || bytes.size() < 10)
        return refused("this is not a .npy file", kWriteAgain);
    const int version = static_cast<unsigned char>(bytes[6]);
    if (version < 1 || version > 3)
        return refused("version " + std::to_string(version) + " of the .npy format is not known", kWriteAgain);
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    std::uint32_t length = 0;
    if (bytes.size() < 8 + lengthBytes)
        return cutShort();
    std::memcpy(&length, bytes.data() + 8, lengthBytes);
    return 8 + lengthBytes + length;
}

// `bytes`: up to the end of the header, or more.
Result<NpyHeader> parsedHeader(std::string_view bytes)
{
    TRY_AS(const auto end, headerEnd(bytes));
    if (end > bytes.size())
        return cutShort();
    const std::string_view header = bytes.substr(0, end);
    const auto type = valueOf(header, "descr");
    const auto order = valueOf(header, "fortran_order");
    const auto shapeText = valueOf(header, "shape");
    for (const auto *value : {&type, &order, &shapeText}) {
        if (!*value)
            return tl::unexpected(value->error());
    }
    if (!order->starts_with("False"))
        return refused("the array is stored column by column", "Save numpy.ascontiguousarray(array)");
    TRY_AS(auto shape, shapeFrom(*shapeText));
    for (const NumberType &known : kNumberTypes) {
        if (type->starts_with(known.name))
            return NpyHeader{&known, std::move(shape), end};
    }
    return refused("its numbers are of type " + std::string(type->substr(0, type->find(','))),
                   "Save it as float32: numpy.save(path, array.astype(numpy.float32))");
}

Result<void> checkSize(const NpyHeader &header, std::uintmax_t bytes)
{
    if (bytes != header.dataBytes())
        return refused("the file has " + std::to_string(bytes) + " bytes of numbers, but its shape needs " +
                           std::to_string(header.dataBytes()),
                       "Save it again");
    return {};
}

Result<NpyFile> parsed(std::string_view bytes)
{
    TRY_AS(auto header, parsedHeader(bytes));
    const std::string_view data = bytes.substr(header.end);
    TRY(checkSize(header, data.size()));
    return NpyFile{std::move(header), data};
}

// Appends what the file has next; fewer at its end.
Result<void> readMore(OpenedFile &file, std::size_t bytes, std::string &to)
{
    for (std::size_t left = bytes; left > 0;) {
        const std::size_t have = to.size();
        to.resize(have + left);
        const auto got = file.read(to.data() + have, left);
        to.resize(have + (got ? *got : 0));
        TRY(got);
        if (*got == 0)
            break;
        left -= *got;
    }
    return {};
}

Result<std::string> read(const std::string &path, const AcceptShape &accepts)
{
    constexpr std::uintmax_t kMaxHeader = std::uintmax_t{1} << 20U;
    constexpr std::uintmax_t kMaxBytes = kMaxElements * sizeof(double) + kMaxHeader;
    TRY_AS(auto file, OpenedFile::open(path, kMaxBytes));
    std::string bytes;
    TRY(readMore(file, kFirstBytes, bytes));
    TRY_AS(const auto end, headerEnd(bytes));
    if (end > kMaxHeader)
        return refused("its header is absurdly long", kWriteAgain);
    if (end > file.sizeBytes())
        return cutShort();
    TRY(readMore(file, end - std::min(end, bytes.size()), bytes));
    TRY_AS(const auto header, parsedHeader(bytes));
    TRY(checkSize(header, file.sizeBytes() - end));
    TRY(accepts ? accepts(header.shape) : Result<void>());
    bytes.reserve(end + header.dataBytes());
    TRY(readMore(file, end + header.dataBytes() - bytes.size(), bytes));
    return bytes;
}

Result<std::string> readAll(const std::string &path, const AcceptShape &accepts)
{
    auto bytes = read(path, accepts);
    if (!bytes)
        return within(path, std::move(bytes.error()));
    return bytes;
}

std::string_view nameOf(DataType type)
{
    for (const NumberType &known : kNumberTypes) {
        if (known.type == type)
            return known.name;
    }
    return "'<f4'";
}

} // namespace

Result<HostTensor> tensorFromNpy(std::string_view bytes)
{
    TRY_AS(auto file, parsed(bytes));
    const NpyHeader &header = file.header;
    const auto count = static_cast<std::size_t>(header.shape.elements());
    return HostTensor{{}, header.shape, header.type->asFloats(file.data, count)};
}

Result<HostTensor> typedTensorFromNpy(std::string_view bytes)
{
    TRY_AS(auto file, parsed(bytes));
    HostTensor tensor{{}, file.header.shape, {}, file.header.type->type};
    if (tensor.type == DataType::Float32) {
        tensor.values = file.header.type->asFloats(file.data, static_cast<std::size_t>(tensor.shape.elements()));
        return tensor;
    }
    tensor.bytes.resize(file.data.size());
    if (!file.data.empty())
        std::memcpy(tensor.bytes.data(), file.data.data(), file.data.size());
    return tensor;
}

std::string toNpy(const HostTensor &tensor)
{
    std::string shape;
    for (const std::int64_t dim : tensor.shape.dims)
        shape += std::to_string(dim) + ", ";
    if (tensor.shape.dims.size() > 1)
        shape.resize(shape.size() - 2);
    std::string header =
        "{'descr': " + std::string(nameOf(tensor.type)) + ", 'fortran_order': False, 'shape': (" + shape + "), }";
    const std::size_t prefix = kMagic.size() + 4;
    header.append(kHeaderAlignment - (prefix + header.size() + 1) % kHeaderAlignment, ' ');
    header += '\n';
    std::string bytes(kMagic);
    bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xFFU), static_cast<char>(header.size() >> 8U)};
    bytes += header;
    if (tensor.type == DataType::Float32)
        bytes.append(reinterpret_cast<const char *>(tensor.values.data()), tensor.values.size() * sizeof(float));
    else
        bytes.append(reinterpret_cast<const char *>(tensor.bytes.data()), tensor.bytes.size());
    return bytes;
}

Result<HostTensor> readNpy(const std::string &path, const AcceptShape &accepts)
{
    const auto bytes = readAll(path, accepts);
    auto tensor = bytes ? tensorFromNpy(*bytes) : tl::unexpected(bytes.error());
    return tensor || !bytes ? tensor : within(path, tensor.error());
}

Result<HostTensor> readTypedNpy(const std::string &path, const AcceptShape &accepts)
{
    const auto bytes = readAll(path, accepts);
    auto tensor = bytes ? typedTensorFromNpy(*bytes) : tl::unexpected(bytes.error());
    return tensor || !bytes ? tensor : within(path, tensor.error());
}

Result<void> writeNpy(const std::string &path, const HostTensor &tensor)
{
    return writeFile(path, toNpy(tensor));
}

} // namespace stagecraft
