#pragma once

// Values of constants, shared by all that state them. Those of a large file beside the model are read when something
// first needs them.

#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

// A number of IEEE 754 binary16.
struct Half {
    std::uint16_t bits = 0;

    explicit operator float() const;
    friend bool operator==(const Half &, const Half &) = default;
};

struct Truth {
    bool isTrue = false;

    explicit operator float() const { return isTrue ? 1.0F : 0.0F; }
    explicit operator std::int64_t() const { return isTrue ? 1 : 0; }
    friend bool operator==(const Truth &, const Truth &) = default;
};

// Row-major. bfloat16 numbers are held as floats, integers of any width as int64.
using ConstantValues = std::variant<std::vector<float>, std::vector<std::int64_t>, std::vector<Truth>,
                                    std::vector<Half>, std::vector<double>>;

[[nodiscard]] std::size_t count(const ConstantValues &values);
[[nodiscard]] bool areReal(const ConstantValues &values); // floats, halves or doubles

// Values that lie somewhere else until they are needed. Safe to use from several threads.
class StoredValues {
public:
    StoredValues() = default;
    StoredValues(const StoredValues &) = delete;
    StoredValues &operator=(const StoredValues &) = delete;
    virtual ~StoredValues() = default;

    [[nodiscard]] virtual std::size_t count() const = 0;
    [[nodiscard]] virtual bool areReal() const = 0;
    // The first call reads them; never null. Where that fails they are zeros, and fault() says so.
    [[nodiscard]] virtual std::shared_ptr<const ConstantValues> read() const = 0;
    [[nodiscard]] virtual std::optional<Error> fault() const = 0;
};

class SharedValues {
public:
    SharedValues() = default;
    SharedValues(std::nullptr_t) {}
    SharedValues(std::shared_ptr<const ConstantValues> values) : m_values(std::move(values)) {}
    SharedValues(std::shared_ptr<const StoredValues> stored) : m_stored(std::move(stored)) {}

    [[nodiscard]] explicit operator bool() const { return m_values || m_stored; }
    // Reads values that are stored. Null if there are none.
    [[nodiscard]] std::shared_ptr<const ConstantValues> read() const { return m_stored ? m_stored->read() : m_values; }
    // Of values that there are; valid as long as they are shared.
    [[nodiscard]] const ConstantValues &operator*() const { return *read(); }
    [[nodiscard]] const ConstantValues *operator->() const { return read().get(); }

    // These do not read them.
    [[nodiscard]] std::size_t count() const { return m_stored ? m_stored->count() : stagecraft::count(*m_values); }
    [[nodiscard]] bool areReal() const { return m_stored ? m_stored->areReal() : stagecraft::areReal(*m_values); }
    // The same for all that share them.
    [[nodiscard]] const void *identity() const
    {
        return m_stored ? static_cast<const void *>(m_stored.get()) : m_values.get();
    }
    [[nodiscard]] bool areStored() const { return m_stored != nullptr; }
    // Why they could not be read; empty before something needed them.
    [[nodiscard]] std::optional<Error> fault() const { return m_stored ? m_stored->fault() : std::nullopt; }

    void reset() { *this = {}; }

private:
    std::shared_ptr<const ConstantValues> m_values;
    std::shared_ptr<const StoredValues> m_stored;
};

template <typename Item>
[[nodiscard]] SharedValues shared(std::vector<Item> values)
{
    return std::make_shared<const ConstantValues>(std::move(values));
}

} // namespace stagecraft
