// keep_kernels FOLDER ARCHITECTURE...: compiles our kernels as stagecraft-worker would on its first run on such a GPU,
// and stores them where it looks for them. Needs NVRTC but no GPU; only an NVRTC of the same version finds them.

#include "gpu/cuda/failure.h"
#include "gpu/device/kernel_files.h"
#include "gpu/device/kernel_library.h"

#include <iostream>

int main(int count, char **arguments)
{
    using namespace stagecraft::gpu;
    if (count < 3) {
        std::cerr << "usage: keep_kernels FOLDER ARCHITECTURE...   (as sm_90)\n";
        return 2;
    }
    try {
        for (int i = 2; i < count; ++i) {
            for (const Precision precision : {Precision::Fp32, Precision::Fp16}) {
                const auto file = kernelFile(arguments[1], arguments[i], precision);
                const auto code = storedOrCompiled(file, [&] { return compileKernels(arguments[i], precision); });
                std::cout << file.string() << ": " << (code.size() >> 10U) << " KiB\n";
            }
        }
    } catch (const Failure &failure) {
        std::cerr << failure.error.message << '\n';
        return 1;
    }
}
