#include "gpu/device/kernel_library.h"

#include "gpu/device/embedded_kernels.h"
#include "gpu/device/kernel_files.h"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <optional>

namespace stagecraft::gpu {
namespace {

constexpr const char *kStandard = "--std=c++20";

void requireNvrtc(nvrtcResult code, const char *what)
{
    if (code != NVRTC_SUCCESS)
        throw Failure{
            fail(ErrorCode::DeviceFailed, fmt::format("{} failed: {}", what, nvrtcGetErrorString(code))).value(),
            false};
}

struct CompilerProgram {
    nvrtcProgram program = nullptr;

    ~CompilerProgram() { nvrtcDestroyProgram(&program); }
};

std::string programText(Precision precision)
{
    std::string text = "#include \"common.cuh\"\nnamespace stagecraft::gpu::kernels { using Element = ";
    text += precision == Precision::Fp16 ? "Half" : "float";
    text += "; }\nusing stagecraft::gpu::kernels::Element;\n";
    for (const auto &[name, ignored] : embeddedKernels()) {
        if (name.ends_with(".cu"))
            text += fmt::format("#include \"{}\"\n", name);
    }
    return text;
}

// The newest architecture that NVRTC knows, if the GPU's is newer: PTX for it runs there.
std::optional<int> fallbackArchitecture(const std::string &architecture)
{
    int count = 0;
    requireNvrtc(nvrtcGetNumSupportedArchs(&count), "asking NVRTC what it supports");
    std::vector<int> known(static_cast<std::size_t>(count));
    requireNvrtc(nvrtcGetSupportedArchs(known.data()), "asking NVRTC what it supports");
    int asked = 0;
    const std::string_view digits = std::string_view(architecture).substr(std::string_view("sm_").size());
    std::from_chars(digits.data(), digits.data() + digits.size(), asked);
    const auto newest = std::ranges::max_element(known);
    return newest != known.end() && asked > *newest ? std::optional(*newest) : std::nullopt;
}

std::string logOf(nvrtcProgram program)
{
    std::size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    nvrtcGetProgramLog(program, log.data());
    return log.substr(0, log.find('\0'));
}

} // namespace

std::vector<char> compileKernels(const std::string &architecture, Precision precision)
{
    std::vector<std::string> texts; // null-terminated
    std::vector<std::string> names;
    for (const auto &[name, text] : embeddedKernels()) {
        names.emplace_back(name);
        texts.emplace_back(text);
    }
    std::vector<const char *> headers;
    std::vector<const char *> headerNames;
    for (std::size_t i = 0; i < names.size(); ++i) {
        headers.push_back(texts[i].c_str());
        headerNames.push_back(names[i].c_str());
    }
    CompilerProgram made;
    requireNvrtc(nvrtcCreateProgram(&made.program, programText(precision).c_str(), "stagecraft_kernels.cu",
                                    static_cast<int>(headers.size()), headers.data(), headerNames.data()),
                 "reading the kernels");
    const std::optional<int> older = fallbackArchitecture(architecture);
    const std::string target = "--gpu-architecture=" + (older ? fmt::format("compute_{}", *older) : architecture);
    const std::array<const char *, 2> options{target.c_str(), kStandard};
    if (const nvrtcResult compiled =
            nvrtcCompileProgram(made.program, static_cast<int>(options.size()), options.data());
        compiled != NVRTC_SUCCESS)
        throw Failure{
            fail(ErrorCode::DeviceFailed, fmt::format("the kernels do not compile for {}: {}\n{}", architecture,
                                                      nvrtcGetErrorString(compiled), logOf(made.program)))
                .value(),
            false};
    std::size_t size = 0;
    requireNvrtc(older ? nvrtcGetPTXSize(made.program, &size) : nvrtcGetCUBINSize(made.program, &size),
                 "compiling the kernels");
    std::vector<char> code(size); // PTX with its terminator
    requireNvrtc(older ? nvrtcGetPTX(made.program, code.data()) : nvrtcGetCUBIN(made.program, code.data()),
                 "compiling the kernels");
    return code;
}

std::filesystem::path kernelFile(const std::filesystem::path &folder, const std::string &architecture,
                                 Precision precision)
{
    if (folder.empty())
        return {};
    int major = 0;
    int minor = 0;
    requireNvrtc(nvrtcVersion(&major, &minor), "asking NVRTC's version");
    std::uint64_t hash = hashOf(fmt::format("NVRTC {}.{} {}", major, minor, kStandard));
    hash = hashOf(programText(precision), hash);
    for (const auto &[name, text] : embeddedKernels()) {
        for (const std::string_view part : {name, text}) {
            hash = hashOf(part, hash);
            hash = hashOf(std::string_view("\0", 1), hash); // separates names
        }
    }
    return folder /
           fmt::format("{}-{}-{:016x}.cubin", architecture, precision == Precision::Fp16 ? "fp16" : "fp32", hash);
}

KernelLibrary::KernelLibrary(const std::string &architecture, Precision precision)
{
    // A process opens many graphs on one GPU. TF32 uses the kernels of fp32.
    static std::mutex mutex;
    static std::map<std::pair<std::string, bool>, std::vector<char>> compiled; // guarded by mutex
    const std::lock_guard lock(mutex);
    std::vector<char> &code = compiled[{architecture, precision == Precision::Fp16}];
    if (code.empty())
        code = storedOrCompiled(kernelFile(kernelFolder(), architecture, precision),
                                [&] { return compileKernels(architecture, precision); });
    CUlibrary library = nullptr;
    requireCuda(loadKernels(library, code.data()), "loading the kernels");
    m_library.reset(library);
}

cudaKernel_t KernelLibrary::find(const std::string &name)
{
    cudaKernel_t &kernel = m_kernels[name];
    if (!kernel)
        requireCuda(findKernel(kernel, m_library.get(), name.c_str()), ("finding kernel " + name).c_str());
    return kernel;
}

void KernelLibrary::launch(const KernelLaunch &launch, cudaStream_t stream)
{
    const void *function = reinterpret_cast<const void *>(find(launch.kernel));
    // CUDA reads the parameters during the call.
    void *parameters = const_cast<std::byte *>(launch.parameters.data());
    const dim3 grid(launch.grid[0], launch.grid[1], launch.grid[2]);
    const dim3 block(launch.block[0], launch.block[1], launch.block[2]);
    requireCuda(cudaLaunchKernel(function, grid, block, &parameters, launch.sharedBytes, stream),
                ("kernel " + launch.kernel).c_str());
}

} // namespace stagecraft::gpu
