#include "device/recorded/profiles/profile_reader.h"

#include "device/recorded/profiles/profile_formats.h"
#include "device/recorded/profiles/profile_parts.h"
#include "support/gzip.h"
#include "support/input_file.h"
#include "support/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace stagecraft {
namespace {

using namespace profiles;

// Most particular first: traces of other programs that hold events, too, are taken for PyTorch's.
constexpr std::array kReaders{
    ProfileReader{"nsight-systems", "a database of Nsight Systems", isNsight, false, readNsight},
    ProfileReader{"stagecraft-perfetto", "a Perfetto trace of this program", isOwnPerfettoTrace, false,
                  readOwnPerfettoTrace},
    ProfileReader{"stagecraft-chrome-trace", "a Chrome trace of this program", isOwnChromeTrace, false,
                  readOwnChromeTrace},
    ProfileReader{"onnxruntime", "a profile of ONNX Runtime", isOnnxRuntime, false, readOnnxRuntime},
    ProfileReader{"tensorrt", "a profile of TensorRT", isTensorRt, true, readTensorRt},
    ProfileReader{"pytorch", "a trace of the PyTorch profiler", isPyTorch, false, readPyTorch},
};

tl::unexpected<Error> unknownProfile()
{
    return refused("it is no profile that this program knows",
                   "It reads traces of the PyTorch profiler, profiles of ONNX Runtime, of TensorRT (trtexec "
                   "--exportProfile, --exportLayerInfo) and of Nsight Systems (nsys export --type sqlite), gzipped or "
                   "not, and its own traces");
}

// Databases are read where they lie.
bool staysOnDisk(std::string_view beginning)
{
    return isNsight(beginning);
}

Result<ProfileFile> fileAt(const std::string &path, const std::stop_token &stop)
{
    constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 38U;
    constexpr std::size_t kAtOnce = std::size_t{1} << 22U;
    TRY_AS(OpenedFile file, OpenedFile::open(path, kLargestFile, ReadFrom::FilesAndPipes));
    ProfileFile read{path, {}, {}};
    read.bytes.reserve(std::min<std::uintmax_t>(file.sizeBytes(), kLargestProfile));
    Sha256 hash;
    std::string part(kAtOnce, '\0');
    while (true) {
        TRY_AS(const std::size_t size, file.read(part.data(), part.size()));
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "cancelled");
        if (size == 0)
            break;
        const std::string_view bytes(part.data(), size);
        hash.add(bytes);
        if (!read.bytes.empty() && staysOnDisk(read.bytes))
            continue;
        if (read.bytes.size() + size > kLargestProfile)
            return refused(fmt::format("it is larger than {} MiB", kLargestProfile >> 20U), "Record fewer iterations");
        read.bytes += bytes;
    }
    read.sha256 = hash.digest();
    if (isGzip(read.bytes)) {
        TRY_AS(read.bytes, unzipped(read.bytes, kLargestProfile));
    }
    return read;
}

void noteGraphs(Profile &profile)
{
    std::int64_t kernels = 0;
    std::set<std::uint32_t> streams;
    for (const ProfiledKernel &kernel : profile.kernels) {
        if (kernel.graphNode && kernel.kind == ProfiledKind::Kernel) {
            ++kernels;
            streams.insert(kernel.stream);
        }
    }
    if (kernels > 1 && streams.size() == 1)
        profile.notes.emplace_back("all kernels of a CUDA graph lie on one stream: which of them could run beside each "
                                   "other is told by their times alone");
}

} // namespace

std::span<const ProfileReader> profileReaders()
{
    return kReaders;
}

const ProfileReader *readerOf(std::string_view bytes)
{
    const auto found = std::ranges::find_if(kReaders, [&](const ProfileReader &row) { return row.sniff(bytes); });
    return found == kReaders.end() ? nullptr : &*found;
}

Result<ProfileFile> openProfileFile(const std::string &path, const std::stop_token &stop)
{
    auto file = fileAt(path, stop);
    if (!file)
        return within(path, std::move(file.error()));
    return file;
}

Result<Profile> readProfile(std::span<const std::string> paths, const std::stop_token &stop)
{
    std::vector<ProfileFile> files;
    for (const std::string &path : paths) {
        TRY_AS(auto file, openProfileFile(path, stop));
        files.push_back(std::move(file));
    }
    return profileOf(std::move(files), stop);
}

Result<Profile> profileOf(std::vector<ProfileFile> files, const std::stop_token &stop)
{
    const ProfileReader *reader = nullptr;
    for (const ProfileFile &file : files) {
        const ProfileReader *recognised = readerOf(file.bytes);
        if (!recognised)
            return within(file.path, unknownProfile().value());
        if (reader && (recognised != reader || !reader->joinsFiles))
            return within(file.path, refused(fmt::format("it is {}, which does not belong to {}", recognised->what,
                                                         files.front().path),
                                             "Give one profile at a time")
                                         .value());
        reader = recognised;
    }
    if (!reader)
        return fail(ErrorCode::WrongUse, "there is no file of a profile");
    auto profile = reader->read(files, stop);
    if (!profile && profile.error().code != ErrorCode::Cancelled && !reader->joinsFiles)
        return within(files.front().path, std::move(profile.error())); // readers of several name the file
    TRY(profile);
    for (ProfileFile &file : files)
        profile->files.push_back({std::move(file.path), std::move(file.sha256)});
    sortByStart(*profile);
    noteGraphs(*profile);
    return profile;
}

} // namespace stagecraft
