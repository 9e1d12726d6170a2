#include "fuzz/target.h"

#include "flow/open_model.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace stagecraft::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path sources()
{
    const char *given = std::getenv("STAGECRAFT_SOURCE_DIR");
    return given ? fs::path(given) : fs::path(STAGECRAFT_SOURCES);
}

std::string contentOf(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class OwnFolder {
public:
    OwnFolder()
    {
        std::string path = (fs::temp_directory_path() / "stagecraft-fuzz-XXXXXX").string();
        require(mkdtemp(path.data()) != nullptr, "a temporary folder can be made");
        m_path = path;
    }
    OwnFolder(const OwnFolder &) = delete;
    OwnFolder &operator=(const OwnFolder &) = delete;
    ~OwnFolder()
    {
        std::error_code error;
        fs::remove_all(m_path, error);
    }
    [[nodiscard]] const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

} // namespace

std::span<const Target> targets()
{
    static const std::vector<Target> all{
        {"onnx", Form::Onnx, readOnnx, 8000, {"tests/data/onnx", "tests/data/plans"}},
        {"folding", Form::Onnx, foldOnnx, 5000, {"tests/data/onnx"}},
        {"convert", Form::Onnx, convertOnnx, 4000, {"tests/data/onnx"}},
        {"ios", Form::Json, readIos, 300, {"tests/data/ios/squeezenet.json", "tests/fuzz/seeds/ios"}},
        {"schedule", Form::Json, readSchedule, 2000, {"tests/fuzz/seeds/schedule"}},
        {"session", Form::Json, readSession, 600, {}, madeSessions},
        {"latencies", Form::JsonLines, readLatencies, 1500, {"tests/fuzz/seeds/latencies"}},
        {"layout_costs", Form::Json, readLayoutCosts, 4000, {"tests/data/layout"}},
        {"device", Form::Json, readDevice, 2500, {"resources/devices"}},
        {"kernels", Form::Bytes, readKernels, 8000, {"tests/fuzz/seeds/kernels"}},
        {"npy", Form::Bytes, readNpy, 20000, {"tests/fuzz/seeds/npy"}},
        {"profile", Form::Json, readProfile, 2500, {"tests/data/profiles", "tests/fuzz/seeds/profile"}},
        {"nsight", Form::Bytes, readProfile, 3000, {"tests/fuzz/seeds/nsight"}},
        {"perfetto", Form::Bytes, readProfile, 4000, {"tests/fuzz/seeds/perfetto"}},
        {"plan", Form::Json, readPlan, 1000, {"tests/data/plans"}},
        {"plan_dot", Form::Bytes, readPlan, 500, {"tests/data/plans/sample.cuda_graph.dot"}},
        {"request", Form::Request, readRequest, 20000, {}, madeRequests},
        {"reply", Form::Reply, readReply, 20000, {}, madeReplies},
        {"store", Form::Bytes, openStore, 150, {"tests/fuzz/seeds/store"}},
    };
    return all;
}

const Target *findTarget(std::string_view name)
{
    const auto found = std::ranges::find(targets(), name, &Target::name);
    return found == targets().end() ? nullptr : &*found;
}

std::vector<std::string> seedsOf(const Target &target)
{
    std::vector<fs::path> files;
    for (const std::string_view seed : target.seeds) {
        const fs::path place = sources() / seed;
        if (!fs::is_directory(place)) {
            files.push_back(place);
            continue;
        }
        for (const auto &entry : fs::directory_iterator(place)) {
            const std::string ending = entry.path().extension().string();
            if (entry.is_regular_file() && ending != ".py" && ending != ".md")
                files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    std::vector<std::string> contents;
    for (const fs::path &file : files) {
        std::string content = contentOf(file);
        if (content.size() <= kLargestSeed)
            contents.push_back(std::move(content));
    }
    if (target.made != nullptr)
        std::ranges::move(target.made(), std::back_inserter(contents));
    require(!contents.empty(), "a target has seeds");
    return contents;
}

void require(bool holds, std::string_view promise)
{
    if (holds)
        return;
    std::fprintf(stderr, "this does not hold: %.*s\n", static_cast<int>(promise.size()), promise.data());
    std::abort();
}

const Model &sampleModel()
{
    static const auto opened = openModel({.spec = "sample"});
    require(opened.has_value(), "the sample opens");
    return opened->model;
}

const std::string &ownFolder()
{
    static const OwnFolder folder;
    return folder.path();
}

std::string fileWith(std::string_view name, std::string_view bytes)
{
    const fs::path path = fs::path(ownFolder()) / name;
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path.string();
}

} // namespace stagecraft::fuzz
