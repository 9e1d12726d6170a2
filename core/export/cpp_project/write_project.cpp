#include "export/cpp_project/cpp_project.h"

#include "export/cpp_project/export_folder.h"
#include "support/output_file.h"
#include "support/sha256.h"

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

// Writes a file of the folder in parts; `content` gets where they go.
using Take = std::function<Result<void>(std::string_view)>;

template <typename Content>
Result<void> stream(ExportFolder &folder, const fs::path &path, const std::string &name, const Content &content)
{
    const auto refuse = [&](Error error) { return within((path / name).string(), std::move(error)); };
    const fs::path beside = folder.beside() / name;
    std::error_code error;
    fs::create_directories(beside.parent_path(), error);
    if (error)
        return refuse(Error{ErrorCode::InvalidInput, "the folder cannot be made: " + error.message(), {}, {}});
    auto file = OutputFile::create(beside);
    if (!file)
        return refuse(std::move(file.error()));
    Sha256 hash;
    const Take take = [&](std::string_view bytes) -> Result<void> {
        hash.add(bytes);
        return file->write(bytes);
    };
    auto done = content(take).and_then([&] { return file->publish(); });
    if (!done)
        return refuse(std::move(done.error()));
    folder.setHash(name, hash.digest());
    return {};
}

} // namespace

Result<WrittenFolder> writeCppProject(const CppProject &project, const fs::path &folder)
{
    return writeProject(
        project.files, "weights.bin", [&](const auto &take) { return project.weights.write(take); }, folder);
}

Result<WrittenFolder> writeProject(const std::vector<ProjectFile> &files, const std::string &weightsName,
                                   const WriteWeights &weights, const fs::path &folder)
{
    TRY_AS(auto target, ExportFolder::create(folder));
    for (const ProjectFile &file : files) {
        if (auto done = stream(target, folder, file.path, [&](const Take &take) { return take(file.text); }); !done)
            return tl::unexpected(std::move(done.error()));
    }
    TRY(stream(target, folder, weightsName, weights));
    return target.publish();
}

} // namespace stagecraft
