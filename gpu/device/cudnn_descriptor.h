#pragma once

// A descriptor of cuDNN's backend API. Private to the cuDNN files of this folder.

#include "gpu/plan/task.h"

#include <cudnn.h>

#include <memory>

namespace stagecraft::gpu {

// Devices that are described instead of present: names from cuDNN 9.8 on; older libraries refuse them.
namespace cudnn_device {
inline constexpr auto kDescriptor =
    static_cast<cudnnBackendDescriptorType_t>(38);                            // CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR
inline constexpr auto kJson = static_cast<cudnnBackendAttributeName_t>(2702); // ..._DEVICEPROP_JSON_REPRESENTATION
inline constexpr auto kOfHeuristics = static_cast<cudnnBackendAttributeName_t>(204);
inline constexpr auto kOfPlan = static_cast<cudnnBackendAttributeName_t>(407);
inline constexpr auto kOfEngine = static_cast<cudnnBackendAttributeName_t>(1307);
} // namespace cudnn_device

// A backend descriptor, filled attribute by attribute. It remembers an error status: when asking what cuDNN can do, a
// refusal is an answer.
class Descriptor {
public:
    explicit Descriptor(cudnnBackendDescriptorType_t type)
    {
        cudnnBackendDescriptor_t made = nullptr;
        m_status = cudnnBackendCreateDescriptor(type, &made);
        m_descriptor.reset(made);
    }

    [[nodiscard]] cudnnBackendDescriptor_t get() const { return m_descriptor.get(); }
    [[nodiscard]] bool isGood() const { return m_status == CUDNN_STATUS_SUCCESS; }

    template <typename T>
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T *values, std::size_t count)
    {
        if (isGood())
            m_status = cudnnBackendSetAttribute(get(), name, type, static_cast<std::int64_t>(count), values);
    }
    template <typename T>
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T &value)
    {
        set(name, type, &value, 1);
    }
    void set(cudnnBackendAttributeName_t name, const Extent &values)
    {
        set(name, CUDNN_TYPE_INT64, values.data(), values.size());
    }
    void set(cudnnBackendAttributeName_t name, const Descriptor &other)
    {
        if (!other.isGood())
            m_status = other.m_status;
        set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, other.get());
    }
    bool finalize()
    {
        if (isGood())
            m_status = cudnnBackendFinalize(get());
        return isGood();
    }

private:
    struct Destroy {
        void operator()(void *descriptor) const { cudnnBackendDestroyDescriptor(descriptor); }
    };

    std::unique_ptr<void, Destroy> m_descriptor;
    cudnnStatus_t m_status = CUDNN_STATUS_NOT_INITIALIZED;
};

} // namespace stagecraft::gpu
