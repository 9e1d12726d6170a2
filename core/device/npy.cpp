#include "device/npy.h"

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

// The text after `'key':` in the header, which is a Python dictionary.
Result<std::string_view> valueOf(std::string_view header, std::string_view key)
{
    std::size_t at = header.find('\'' + std::string(key) + '\'');
    if (at == std::string_view::npos)
        return refused("the header lacks '" + std::string(key) + "'");
    at = header.find_first_not_of(" :", at + key.size() + 2);
    return at == std::string_view::npos ? std::string_view() : header.substr(at);
}

Result<Shape> shapeFrom(std::string_view text)
{
    const std::size_t close = text.find(')');
    if (!text.starts_with('(') || close == std::string_view::npos)
        return refused("the shape in the header is not a tuple");
    Shape shape;
    std::int64_t elements = 1;
    std::int64_t number = -1;
    for (const char c : text.substr(1, close)) {
        if (c >= '0' && c <= '9') {
            number = std::max<std::int64_t>(number, 0) * 10 + (c - '0');
            if (number > kMaxElements)
                return refused("the shape is absurdly large");
        } else if (c == ',' || c == ')') {
            if (number < 0)
                continue; // "()", or the comma after the last number
            shape.dims.push_back(number);
            if (number > 0 && elements > kMaxElements / number)
                return refused("the shape is absurdly large");
            elements *= number;
            number = -1;
        } else if (c != ' ' && c != 'L') {
            return refused("the shape in the header is not a tuple of numbers");
        }
    }
    return shape;
}

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

Result<std::vector<float>> numbers(std::string_view type, std::string_view data, std::size_t count)
{
    struct Reader {
        std::string_view name;
        std::size_t bytes;
        std::vector<float> (*read)(std::string_view, std::size_t);
    };
    static constexpr std::array kReaders{
        Reader{"'<f4'", 4, converted<float>},        Reader{"'<f8'", 8, converted<double>},
        Reader{"'<i8'", 8, converted<std::int64_t>}, Reader{"'<i4'", 4, converted<std::int32_t>},
        Reader{"'|u1'", 1, converted<std::uint8_t>},
    };
    for (const Reader &reader : kReaders) {
        if (!type.starts_with(reader.name))
            continue;
        if (data.size() != count * reader.bytes)
            return refused("the file has " + std::to_string(data.size()) + " bytes of numbers, but its shape needs " +
                           std::to_string(count * reader.bytes));
        return reader.read(data, count);
    }
    return refused("its numbers are of type " + std::string(type.substr(0, type.find(','))),
                   "Save it as float32: numpy.save(path, array.astype(numpy.float32))");
}

} // namespace

Result<HostTensor> tensorFromNpy(std::string_view bytes)
{
    if (!bytes.starts_with(kMagic) || bytes.size() < 10)
        return refused("this is not a .npy file", "Write it with numpy.save(path, array)");
    const int version = static_cast<unsigned char>(bytes[6]);
    if (version < 1 || version > 3)
        return refused("version " + std::to_string(version) + " of the .npy format is not known");
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    std::uint32_t length = 0;
    if (bytes.size() < 8 + lengthBytes)
        return refused("the file is cut short", "Save it again");
    std::memcpy(&length, bytes.data() + 8, lengthBytes);
    const std::size_t begin = 8 + lengthBytes;
    if (length > bytes.size() - begin)
        return refused("the file is cut short", "Save it again");
    const std::string_view header = bytes.substr(begin, length);

    const auto type = valueOf(header, "descr");
    const auto order = valueOf(header, "fortran_order");
    const auto shapeText = valueOf(header, "shape");
    for (const auto *value : {&type, &order, &shapeText}) {
        if (!*value)
            return tl::unexpected(value->error());
    }
    if (!order->starts_with("False"))
        return refused("the array is stored column by column", "Save numpy.ascontiguousarray(array)");
    auto shape = shapeFrom(*shapeText);
    if (!shape)
        return tl::unexpected(shape.error());
    const auto count = static_cast<std::size_t>(shape->elements());
    auto values = numbers(*type, bytes.substr(begin + length), count);
    if (!values)
        return tl::unexpected(values.error());
    return HostTensor{{}, std::move(*shape), std::move(*values)};
}

std::string toNpy(const HostTensor &tensor)
{
    std::string shape;
    for (const std::int64_t dim : tensor.shape.dims)
        shape += std::to_string(dim) + ", ";
    if (tensor.shape.dims.size() > 1)
        shape.resize(shape.size() - 2);
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
    const std::size_t prefix = kMagic.size() + 4;
    header.append(kHeaderAlignment - (prefix + header.size() + 1) % kHeaderAlignment, ' ');
    header += '\n';
    std::string bytes(kMagic);
    bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xFFU), static_cast<char>(header.size() >> 8U)};
    bytes += header;
    bytes.append(reinterpret_cast<const char *>(tensor.values.data()), tensor.values.size() * sizeof(float));
    return bytes;
}

Result<HostTensor> readNpy(const std::string &path)
{
    constexpr std::uintmax_t kMaxBytes = kMaxElements * sizeof(double) + (std::uintmax_t{1} << 20U); // and the header
    const auto bytes = readInputFile(path, kMaxBytes);
    if (!bytes)
        return within(path, bytes.error());
    auto tensor = tensorFromNpy(*bytes);
    return tensor ? tensor : within(path, tensor.error());
}

Result<void> writeNpy(const std::string &path, const HostTensor &tensor)
{
    return writeFile(path, toNpy(tensor));
}

} // namespace stagecraft
