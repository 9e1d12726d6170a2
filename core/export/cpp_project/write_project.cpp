#include "export/cpp_project/cpp_project.h"

#include "model/sha256.h"
#include "support/input_file.h"
#include "support/output_file.h"
#include "support/output_folder.h"

#include <map>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

constexpr const char *kManifest = "MANIFEST.sha256"; // as `sha256sum --check` reads it
constexpr std::uintmax_t kMaxManifest = 16U << 20U;

Result<std::string> hashOf(const fs::path &path)
{
    auto file = OpenedFile::open(path, UINTMAX_MAX);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    Sha256 hash;
    std::vector<char> bytes(std::size_t{1} << 20U);
    for (;;) {
        const auto count = file->read(bytes.data(), bytes.size());
        if (!count)
            return tl::unexpected(count.error());
        if (*count == 0)
            return hash.digest();
        hash.add({bytes.data(), *count});
    }
}

// The hashes of an earlier export by file; empty: there is none.
std::map<std::string, std::string> manifestOf(const fs::path &folder)
{
    std::map<std::string, std::string> hashes;
    const auto text = readInputFile(folder / kManifest, kMaxManifest);
    for (std::size_t at = 0; text && at < text->size();) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        const std::string line = text->substr(at, end - at);
        if (line.size() > 66)
            hashes[line.substr(66)] = line.substr(0, 64);
        at = end + 1;
    }
    return hashes;
}

// Refuses a folder that holds anything but what an earlier export wrote, and says what.
Result<void> checkUnchanged(const fs::path &folder)
{
    const auto refuse = [&](const std::string &file, const std::string &reason) {
        return within(folder.string(), Error{ErrorCode::InvalidInput,
                                             "the folder is not replaced: " + file + reason,
                                             "Choose another name, or delete the folder",
                                             {}});
    };
    const auto hashes = manifestOf(folder);
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (at->is_directory() && !at->is_symlink())
            continue;
        const std::string file = at->path().lexically_relative(folder).string();
        const auto known = hashes.find(file);
        if (file == kManifest)
            continue;
        if (known == hashes.end() || at->is_symlink())
            return refuse(file, " is in it, which no export wrote");
        const auto hash = hashOf(at->path());
        if (!hash || *hash != known->second)
            return refuse(file, " is changed since it was exported");
    }
    if (error)
        return refuse("", error.message());
    return {};
}

class ProjectWriter {
public:
    ProjectWriter(const fs::path &folder, fs::path beside) : m_folder(folder), m_beside(std::move(beside)) {}

    [[nodiscard]] Result<void> write(const ProjectFile &file)
    {
        return stream(file.path, [&](const Take &take) { return take(file.text); });
    }

    [[nodiscard]] Result<void> write(const std::string &name, const WriteWeights &weights)
    {
        return stream(name, weights);
    }

    [[nodiscard]] Result<void> writeManifest() { return write(ProjectFile{kManifest, m_manifest}); }
    [[nodiscard]] const WrittenProject &written() const { return m_written; }

private:
    using Take = std::function<Result<void>(std::string_view)>;

    template <typename Content>
    Result<void> stream(const std::string &name, const Content &content)
    {
        const auto refuse = [&](Error error) { return within((m_folder / name).string(), std::move(error)); };
        const fs::path path = m_beside / name;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        if (error)
            return refuse(Error{ErrorCode::InvalidInput, "the folder cannot be made: " + error.message(), {}, {}});
        auto file = OutputFile::create(path);
        if (!file)
            return refuse(std::move(file.error()));
        Sha256 hash;
        const auto done = content([&](std::string_view bytes) -> Result<void> {
                              hash.add(bytes);
                              m_written.bytes += bytes.size();
                              return file->write(bytes);
                          }).and_then([&] { return file->publish(); });
        if (!done)
            return refuse(done.error());
        m_manifest += hash.digest() + "  " + name + '\n';
        ++m_written.files;
        return {};
    }

    fs::path m_folder;
    fs::path m_beside;
    std::string m_manifest;
    WrittenProject m_written;
};

} // namespace

Result<WrittenProject> writeCppProject(const CppProject &project, const fs::path &folder)
{
    return writeProject(
        project.files, "weights.bin", [&](const auto &take) { return project.weights.write(take); }, folder);
}

Result<WrittenProject> writeProject(const std::vector<ProjectFile> &files, const std::string &weightsName,
                                    const WriteWeights &weights, const fs::path &folder)
{
    std::error_code error;
    const bool isExport = fs::exists(folder / kManifest, error);
    if (isExport) {
        if (auto unchanged = checkUnchanged(folder); !unchanged)
            return tl::unexpected(std::move(unchanged.error()));
    }
    auto target = OutputFolder::create(folder, isExport);
    if (!target)
        return tl::unexpected(std::move(target.error()));
    ProjectWriter writer(folder, target->beside());
    Result<void> done;
    for (std::size_t i = 0; i < files.size() && done; ++i)
        done = writer.write(files[i]);
    done = done.and_then([&] { return writer.write(weightsName, weights); })
               .and_then([&] { return writer.writeManifest(); })
               .and_then([&] { return target->publish(); });
    if (!done)
        return tl::unexpected(std::move(done.error()));
    return writer.written();
}

} // namespace stagecraft
