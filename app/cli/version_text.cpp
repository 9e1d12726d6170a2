#include "cli/version_text.h"

#include <CLI/CLI.hpp>
#include <google/protobuf/stubs/common.h>
#include <nlohmann/json.hpp>
#include <oneapi/dnnl/dnnl_version.h>
#include <sqlite3.h>

#include <sstream>

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
    std::ostringstream text;
    text << "stagecraft-cli " STAGECRAFT_VERSION "\n"
         << "built with " << compiler() << " (" STAGECRAFT_BUILD_TYPE "), oneDNN " << DNNL_VERSION_MAJOR << '.'
         << DNNL_VERSION_MINOR << '.' << DNNL_VERSION_PATCH << ", protobuf " << protobuf / 1'000'000 << '.'
         << protobuf / 1'000 % 1'000 << '.' << protobuf % 1'000 << ", SQLite " SQLITE_VERSION ", nlohmann-json "
         << NLOHMANN_JSON_VERSION_MAJOR << '.' << NLOHMANN_JSON_VERSION_MINOR << '.' << NLOHMANN_JSON_VERSION_PATCH
         << ", CLI11 " CLI11_VERSION "\n"
         << STAGECRAFT_GPU_TEXT;
    return text.str();
}

} // namespace stagecraft
