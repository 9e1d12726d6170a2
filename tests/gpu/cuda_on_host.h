#pragma once

// The part of CUDA that gpu/kernels uses, for the host's compiler: a block's threads are fibers that take turns at
// __syncthreads(), so the very code of the GPU is tested without one. Include it before the kernels.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <ucontext.h>

#define STAGECRAFT_HOST
#define __global__ inline
#define __device__ inline
#define __forceinline__
#define __noinline__
#define __shared__ static
#define STAGECRAFT_DYNAMIC_SHARED(name) float *name = dynamicShared.data()

struct Dim3 {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
};

inline Dim3 threadIdx; // of the running fiber
inline Dim3 blockIdx;
inline Dim3 blockDim;
inline Dim3 gridDim;
inline std::vector<float> dynamicShared;

namespace stagecraft::test {

// One block at a time, its threads as fibers.
class Block {
public:
    // Runs the body once per thread of every block in the grid. Without barriers no fibers are needed.
    static void runGrid(Dim3 grid, Dim3 block, bool barriers, const std::function<void()> &body)
    {
        gridDim = grid;
        blockDim = block;
        for (unsigned z = 0; z < grid.z; ++z) {
            for (unsigned y = 0; y < grid.y; ++y) {
                for (unsigned x = 0; x < grid.x; ++x) {
                    blockIdx = {x, y, z};
                    if (barriers)
                        Block(body).run();
                    else
                        runThreads(body);
                }
            }
        }
    }

    static void wait()
    {
        Block &block = *s_current;
        const std::size_t self = block.m_running;
        swapcontext(&block.m_fibers[self].context, &block.m_main);
    }

private:
    explicit Block(const std::function<void()> &body) : m_body(body) {}

    static void runThreads(const std::function<void()> &body)
    {
        for (threadIdx.z = 0; threadIdx.z < blockDim.z; ++threadIdx.z) {
            for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y) {
                for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)
                    body();
            }
        }
    }

    struct Fiber {
        ucontext_t context{};
        bool done = false;
    };

    static void enter()
    {
        s_current->m_body();
        s_current->m_fibers[s_current->m_running].done = true;
        swapcontext(&s_current->m_fibers[s_current->m_running].context, &s_current->m_main);
    }

    void run()
    {
        constexpr std::size_t kStack = 32768;
        static std::vector<char> stacks;
        const std::size_t threads = std::size_t{blockDim.x} * blockDim.y * blockDim.z;
        stacks.resize(std::max(stacks.size(), threads * kStack));
        m_fibers.resize(threads);
        s_current = this;
        for (std::size_t i = 0; i < threads; ++i) {
            getcontext(&m_fibers[i].context);
            m_fibers[i].context.uc_stack.ss_sp = stacks.data() + i * kStack;
            m_fibers[i].context.uc_stack.ss_size = kStack;
            m_fibers[i].context.uc_link = nullptr;
            makecontext(&m_fibers[i].context, &Block::enter, 0);
        }
        for (bool any = true; any;) {
            any = false;
            for (m_running = 0; m_running < threads; ++m_running) {
                if (m_fibers[m_running].done)
                    continue;
                any = true;
                const auto i = static_cast<unsigned>(m_running);
                threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
                swapcontext(&m_main, &m_fibers[m_running].context);
            }
        }
    }

    inline static Block *s_current = nullptr;
    const std::function<void()> &m_body;
    std::vector<Fiber> m_fibers;
    std::size_t m_running = 0;
    ucontext_t m_main{};
};

} // namespace stagecraft::test

inline void __syncthreads()
{
    stagecraft::test::Block::wait();
}
