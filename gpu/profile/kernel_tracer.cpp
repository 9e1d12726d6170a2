#include "gpu/profile/kernel_tracer.h"

#include "gpu/cuda/failure.h"

#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace stagecraft::gpu {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;
constexpr std::size_t kBufferAlignment = 8; // required by CUPTI (ACTIVITY_RECORD_ALIGNMENT)

// CUPTI's buffer functions take no user pointer, and may be called on a thread of its own.
struct TraceBuffer {
    std::mutex mutex;
    const Cupti *cupti = nullptr; // guarded by mutex, as everything here
    std::vector<KernelRecord> kernels;
    std::size_t dropped = 0;
};

// Never destroyed: CUPTI's thread may return buffers until the process ends.
TraceBuffer &traceBuffer()
{
    static auto *const instance = new TraceBuffer;
    return *instance;
}

void CUPTIAPI bufferRequested(std::uint8_t **buffer, std::size_t *size, std::size_t *maxRecords)
{
    *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
    *size = *buffer ? kBufferBytes : 0;
    *maxRecords = 0; // as many as fit
}

void CUPTIAPI bufferCompleted(CUcontext context, std::uint32_t stream, std::uint8_t *buffer, std::size_t /*size*/,
                              std::size_t validSize)
{
    TraceBuffer &all = traceBuffer();
    const std::lock_guard lock(all.mutex);
    if (all.cupti && validSize > 0) {
        CUpti_Activity *record = nullptr;
        while (all.cupti->cuptiActivityGetNextRecord(buffer, validSize, &record) == CUPTI_SUCCESS) {
            if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
                all.kernels.push_back(recordFrom(*reinterpret_cast<const KernelActivity *>(record)));
        }
        std::size_t dropped = 0;
        if (all.cupti->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
            all.dropped += dropped;
    }
    std::free(buffer);
}

struct CallTracker {
    const Cupti *cupti = nullptr;
    TaskMap *tasks = nullptr;
    std::thread::id thread; // only calls of this thread count: libraries have threads of their own

    [[nodiscard]] std::uint64_t idOf(CUgraphNode node) const
    {
        std::uint64_t id = 0;
        return node && cupti->cuptiGetGraphNodeId(node, &id) == CUPTI_SUCCESS ? id : 0;
    }
};

// CUPTI allows one at a time.
CallTracker &callTracker()
{
    static CallTracker instance;
    return instance;
}

// Called on the thread that makes the call.
void CUPTIAPI called(void * /*user*/, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    const CallTracker &follow = callTracker();
    if (!follow.tasks || std::this_thread::get_id() != follow.thread)
        return;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
        const auto *resource = static_cast<const CUpti_ResourceData *>(data);
        const auto *graph = static_cast<const CUpti_GraphData *>(resource->resourceDescriptor);
        if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED)
            follow.tasks->nodeMade(follow.idOf(graph->node));
        else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)
            follow.tasks->nodeCloned(follow.idOf(graph->originalNode), follow.idOf(graph->node));
        return;
    }
    const auto *call = static_cast<const CUpti_CallbackData *>(data);
    if (call->callbackSite == CUPTI_API_ENTER)
        follow.tasks->launched(call->correlationId);
}

} // namespace

KernelRecord recordFrom(const KernelActivity &activity)
{
    KernelRecord record;
    record.name = activity.name ? activity.name : "";
    record.startNs = static_cast<std::int64_t>(activity.start);
    record.endNs = static_cast<std::int64_t>(activity.end);
    record.grid = {activity.gridX, activity.gridY, activity.gridZ};
    record.threadsPerBlock = activity.blockX * activity.blockY * activity.blockZ;
    record.registersPerThread = activity.registersPerThread;
    record.staticSharedBytes = activity.staticSharedMemory;
    record.dynamicSharedBytes = activity.dynamicSharedMemory;
    record.graphNode = activity.graphNodeId;
    record.correlation = activity.correlationId;
    return record;
}

KernelTracer::KernelTracer(const Cupti &cupti, TaskMap &tasks) : m_cupti(cupti)
{
    {
        TraceBuffer &all = traceBuffer();
        const std::lock_guard lock(all.mutex);
        all.cupti = &cupti;
        all.kernels.clear();
        all.dropped = 0;
    }
    requireCupti(cupti, cupti.cuptiSubscribe(&m_subscriber, called, nullptr), "tracing kernels");
    callTracker() = {&cupti, &tasks, std::this_thread::get_id()};
    try {
        for (const auto id : {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
            requireCupti(cupti, cupti.cuptiEnableCallback(1, m_subscriber, CUPTI_CB_DOMAIN_RESOURCE, id),
                         "following graph nodes");
        for (const auto domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
            requireCupti(cupti, cupti.cuptiEnableDomain(1, m_subscriber, domain), "following launches");
        requireCupti(cupti, cupti.cuptiActivityRegisterCallbacks(bufferRequested, bufferCompleted), "tracing kernels");
        requireCupti(cupti, cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "tracing kernels");
    } catch (const Failure &) {
        callTracker() = {};
        cupti.cuptiUnsubscribe(m_subscriber);
        throw;
    }
}

KernelTracer::~KernelTracer()
{
    m_cupti.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    m_cupti.cuptiUnsubscribe(m_subscriber);
    callTracker() = {};
}

void KernelTracer::start()
{
    requireCupti(m_cupti, m_cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "tracing kernels");
    TraceBuffer &all = traceBuffer();
    const std::lock_guard lock(all.mutex);
    all.kernels.clear();
    all.dropped = 0;
}

std::vector<KernelRecord> KernelTracer::finish()
{
    requireCupti(m_cupti, m_cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "reading traced kernels");
    TraceBuffer &all = traceBuffer();
    const std::lock_guard lock(all.mutex);
    if (all.dropped > 0)
        throw Failure{
            fail(ErrorCode::DeviceFailed, fmt::format("CUPTI dropped {} kernels of the timeline", all.dropped)).value(),
            false};
    return std::move(all.kernels);
}

} // namespace stagecraft::gpu
