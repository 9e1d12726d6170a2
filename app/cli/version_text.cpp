#include "cli/version_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <google/protobuf/stubs/common.h>
#include <nlohmann/json.hpp>
#include <oneapi/dnnl/dnnl_version.h>
#include <sqlite3.h>

namespace stagecraft {
namespace {

std::string compiler()
{
#if defined(__clang__)
    return "Clang " __clang_version__;
#else
    return "GCC " __VERSION__;
#endif
}

} // namespace

std::string versionText()
{
    const int protobuf = GOOGLE_PROTOBUF_VERSION;
    return fmt::format("stagecraft-cli " STAGECRAFT_VERSION "\nbuilt with {} (" STAGECRAFT_BUILD_TYPE
                       "), oneDNN {}.{}.{}, protobuf {}.{}.{}, "
                       "SQLite " SQLITE_VERSION ", nlohmann-json {}.{}.{}, CLI11 " CLI11_VERSION
                       "\n" STAGECRAFT_GPU_TEXT,
                       compiler(), DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH, protobuf / 1'000'000,
                       protobuf / 1'000 % 1'000, protobuf % 1'000, NLOHMANN_JSON_VERSION_MAJOR,
                       NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
}

} // namespace stagecraft
