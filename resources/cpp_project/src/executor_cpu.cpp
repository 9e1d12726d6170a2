// Runs the schedule on the processor, with oneDNN and a team of threads.

#include "executor.h"

#include "device/cpu/onednn/program.h"
#include "device/cpu/thread_affinity.h"

#include <algorithm>
#include <new>
#include <omp.h>

namespace stagecraft_model {
namespace {

using engine::TensorId;

// The number of OpenMP threads of the calling thread, until the end of the scope.
class ThreadCount {
public:
    explicit ThreadCount(int threads) : m_before(omp_get_max_threads()) { omp_set_num_threads(threads); }
    ~ThreadCount() { omp_set_num_threads(m_before); }
    ThreadCount(const ThreadCount &) = delete;
    ThreadCount &operator=(const ThreadCount &) = delete;

private:
    int m_before;
};

// One for each thread; empty: the threads are not pinned.
std::vector<int> processorsFor(const Options &options, int threads)
{
    std::vector<int> processors = engine::cpu::usableProcessors();
    const auto count = static_cast<std::size_t>(threads);
    processors.resize(options.pin && count <= processors.size() ? count : 0);
    return processors;
}

class CpuExecutor : public Executor {
public:
    CpuExecutor(const Options &options, int threads)
        : m_threads(threads), m_processors(processorsFor(options, threads)), m_team(m_processors)
    {
    }

    std::optional<Error> use(const std::function<std::optional<Error>()> &body) override
    {
        const ThreadCount count(m_threads);
        const engine::cpu::TeamAffinity placed(m_processors);
        try {
            return body();
        } catch (const dnnl::error &error) {
            return Error{std::string("oneDNN: ") + error.what()};
        } catch (const std::bad_alloc &) {
            return Error{"there is not enough memory"};
        }
    }

    std::optional<Error> load(const engine::NetworkBuilder &network) override
    {
        const dnnl::engine onednn(dnnl::engine::kind::cpu, 0);
        const engine::cpu::Preparing silent = [](const std::string &) {};
        auto tensors = engine::cpu::planTensors(*network.graph(), onednn, silent);
        if (!tensors)
            return errorFrom(tensors.error());
        engine::cpu::EmitContext context{network.graph(), onednn, std::move(*tensors), engine::cpu::WeightStore(onednn),
                                         silent};
        context.isForValues = true;
        auto program = engine::cpu::Program::compile(context, network.schedule(), m_threads);
        if (!program)
            return errorFrom(program.error());
        m_program = std::move(*program);
        return {};
    }

    void write(TensorId input, std::span<const float> values) override
    {
        if (std::ranges::find(m_program->outside(), input) != m_program->outside().end()) // else nobody reads it
            m_program->write(input, values);
    }

    std::optional<Error> run() override
    {
        const auto done = m_program->run(m_team);
        return done ? std::nullopt : std::optional(errorFrom(done.error()));
    }

    std::vector<float> read(TensorId output) override { return m_program->read(output); }

private:
    int m_threads;
    std::vector<int> m_processors;
    engine::cpu::LaneTeam m_team;
    std::unique_ptr<engine::cpu::Program> m_program;
};

} // namespace

std::unique_ptr<Executor> makeExecutor(const Options &options)
{
    const int usable = std::max(static_cast<int>(engine::cpu::usableProcessors().size()), 1);
    return std::make_unique<CpuExecutor>(options, options.threads > 0 ? options.threads : usable);
}

} // namespace stagecraft_model
