#pragma once

// What steps say while a program runs: the sizes of tensors that values decide, and the first error. Shared by all
// lanes; groups of a stage never write the same tensor.

#include "support/ids.h"
#include "support/result.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft::cpu {

class RunState {
public:
    using Dims = std::vector<std::int64_t>;

    void begin()
    {
        const std::scoped_lock lock(m_mutex);
        m_error.reset();
    }
    void fail(Error error)
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_error)
            m_error = std::move(error);
    }
    [[nodiscard]] std::optional<Error> error() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_error;
    }

    void setDims(TensorId tensor, Dims dims)
    {
        const std::scoped_lock lock(m_mutex);
        m_dims[tensor] = std::move(dims);
    }
    // Empty for tensors whose sizes were known beforehand.
    [[nodiscard]] std::optional<Dims> dims(TensorId tensor) const
    {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_dims.find(tensor);
        return found == m_dims.end() ? std::nullopt : std::optional(found->second);
    }

private:
    mutable std::mutex m_mutex;
    std::optional<Error> m_error;
    std::map<TensorId, Dims> m_dims;
};

} // namespace stagecraft::cpu
