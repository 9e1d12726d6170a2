#include "export/cpp_project/cpp_project.h"

#include "export/cpp_project/cpp_text.h"
#include "export/cpp_project/embedded_sources.h"
#include "export/cpp_project/filled_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::string_view kEmitByKind = "src/engine/device/cpu/onednn/emit_by_kind.cpp";

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

std::string upperCase(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return text;
}

// What the operators of a schedule need from the engine.
struct Needs {
    std::set<OperatorKind> kinds;
    bool generic = false; // operators that are executed as the model file has them
};

Needs needsOf(const Graph &graph)
{
    static const std::set<OperatorKind> kOwn{OperatorKind::Conv, OperatorKind::SepConv, OperatorKind::ConvTranspose,
                                             OperatorKind::Pool, OperatorKind::Join,    OperatorKind::BatchNorm,
                                             OperatorKind::Gemm};
    Needs needs;
    for (const Operator &op : graph.operators()) {
        needs.kinds.insert(op.kind);
        const Activation *activation = op.activation();
        const bool isPlainActivation =
            op.kind == OperatorKind::Activation && activation != nullptr && activation->kind != ActivationKind::Other;
        needs.generic = needs.generic || !(kOwn.contains(op.kind) || isPlainActivation);
    }
    return needs;
}

// Empty: only the other target needs it.
std::optional<std::string> pathFor(std::string_view path, CppTarget target)
{
    const std::size_t mark = path.find(':');
    if (mark == std::string_view::npos)
        return std::string(path);
    const bool isMine = path.substr(0, mark) == (target == CppTarget::Cuda ? "cuda" : "cpu");
    return isMine ? std::optional<std::string>(path.substr(mark + 1)) : std::nullopt;
}

bool isNeeded(std::string_view path, const Needs &needs, CppTarget target)
{
    if (target == CppTarget::Cuda)
        return true;
    static const std::set<std::string_view> kGeneric{
        "emit_elementwise.cpp",  "emit_movement.cpp",   "emit_normalize.cpp",  "emit_product.cpp",
        "emit_reduction.cpp",    "emit_resize.cpp",     "generic_kernels.cpp", "generic_kernels.h",
        "generic_operators.cpp", "generic_operators.h", "resample.cpp",        "resample.h"};
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (kGeneric.contains(name) || path.find("/onednn/generic_operands.") != std::string_view::npos)
        return needs.generic;
    if (name == "emit_pool.cpp")
        return needs.kinds.contains(OperatorKind::Pool);
    if (name == "emit_gemm.cpp") // Softmax, too
        return needs.generic || needs.kinds.contains(OperatorKind::Gemm);
    return true;
}

// The dispatcher without the cases of kinds that the network does not have.
std::string emitByKind(std::string text, const Needs &needs)
{
    static const std::pair<OperatorKind, std::string_view> kOptional[]{{OperatorKind::Pool, "Pool"},
                                                                       {OperatorKind::Gemm, "Gemm"}};
    for (const auto &[kind, name] : kOptional) {
        const std::string line = fmt::format("    case OperatorKind::{}:", name);
        for (std::size_t at = text.find(line); !needs.kinds.contains(kind) && at != std::string::npos;
             at = text.find(line, at))
            text.erase(at, text.find('\n', at) + 1 - at);
    }
    if (needs.generic)
        return text;
    text = replaced(std::move(text), "generic_operators.h", "no_kernel.h");
    return replaced(std::move(text), "emitGeneric(emitter, op)", "noKernelFor(op)");
}

// The text without the lines of the other target, which stand between #ifdef or #ifndef STAGECRAFT_MODEL_CUDA and
// #endif.
std::string forTarget(const std::string &text, CppTarget target)
{
    std::string kept;
    bool isInside = false; // of such lines
    bool isKept = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = std::string_view(text).substr(at, end - at);
        at = end;
        const bool isCuda = line == "#ifdef STAGECRAFT_MODEL_CUDA\n";
        if (isCuda || line == "#ifndef STAGECRAFT_MODEL_CUDA\n") {
            isInside = true;
            isKept = isCuda == (target == CppTarget::Cuda);
        } else if (isInside && line == "#else\n") {
            isKept = !isKept;
        } else if (isInside && line == "#endif\n") {
            isInside = false;
            isKept = true;
        } else if (isKept) {
            kept += line;
        }
    }
    return kept;
}

// The words of the sources that stand for the name of the project.
std::string renamed(std::string text, const std::string &name)
{
    text = replaced(std::move(text), "stagecraft_model", name);
    text = replaced(std::move(text), "STAGECRAFT_MODEL", upperCase(name));
    text = replaced(std::move(text), "namespace stagecraft", fmt::format("namespace {}::engine", name));
    text = replaced(std::move(text), "stagecraft::", name + "::engine::");
    text = replaced(std::move(text), "STAGECRAFT_", upperCase(name) + '_');
    // Kernels are compiled as one file; their names must not meet those of another project.
    text = replaced(std::move(text), "extern \"C\" __global__", "static __global__");
    return replaced(std::move(text), "tl::", "");
}

std::string cmakeText(std::string text, const std::string &name, const std::vector<ProjectFile> &files)
{
    std::string sources;
    for (const ProjectFile &file : files) {
        const bool isOfProgram = file.path.starts_with("src/program/") || file.path == "src/engine/device/npy.cpp";
        if (file.path.ends_with(".cpp") && !isOfProgram)
            sources += (sources.empty() ? "    " : "\n    ") + file.path;
    }
    text = replaced(std::move(text), "@SOURCES@", sources);
    text = replaced(std::move(text), "@UPPER@", upperCase(name));
    return replaced(std::move(text), "@NAME@", name);
}

} // namespace

CppProject cppProject(const Graph &graph, const Schedule &schedule, const std::string &modelName, CppTarget target)
{
    CppProject project{identifierFrom(modelName, "network"), {}, WeightPlan(graph)};
    const Needs needs = needsOf(graph);
    TemplateWords words = scheduleTemplateWords(graph, schedule, modelName);
    words.emplace_back("@NAME@", project.name);
    words.emplace_back("@GRAPH@", schedule.streams ? "It is one CUDA graph: streams are branches, which meet at events."
                                                   : "A stage is a part of one CUDA graph, with a branch for each of "
                                                     "its groups.");
    project.files = stageFiles(graph, schedule, project.weights, project.name);
    std::string cmake;
    for (const EmbeddedSource &source : embeddedSources()) {
        const auto path = pathFor(source.path, target);
        if (!path)
            continue;
        std::string text(source.text);
        if (*path == "CMakeLists.txt")
            cmake = std::move(text);
        else if (*path == "README.md")
            project.files.push_back({*path, filledText(text, words)});
        else if (*path == "LICENSE")
            project.files.push_back({*path, std::move(text)});
        else if (isNeeded(*path, needs, target))
            project.files.push_back(
                {renamed(*path, project.name),
                 renamed(*path == kEmitByKind ? emitByKind(std::move(text), needs) : forTarget(text, target),
                         project.name)});
    }
    std::ranges::sort(project.files, {}, &ProjectFile::path);
    project.files.push_back({"CMakeLists.txt", cmakeText(std::move(cmake), project.name, project.files)});
    return project;
}

} // namespace stagecraft
