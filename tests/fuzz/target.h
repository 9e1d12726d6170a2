#pragma once

// What is fuzzed: the readers of everything that comes from outside, each with files to start from. A target returns,
// whatever bytes it gets: a crash, a hang, or an answer that breaks a promise of the reader (`require`) ends the
// program.

#include "support/error_text.h"
#include "support/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {
struct Model;
}

namespace stagecraft::fuzz {

// How an input is changed so that a reader gets far into it.
enum class Form { Bytes, Json, JsonLines, Onnx, Request, Reply };

struct Target {
    std::string_view name;
    Form form;
    void (*read)(std::string_view bytes);
    int changes;                                  // of the seeds, in a test: some seconds
    std::vector<std::string_view> seeds;          // files and folders, from the root of the sources
    std::vector<std::string> (*made)() = nullptr; // more seeds, which the program writes itself
};

[[nodiscard]] std::span<const Target> targets();
[[nodiscard]] const Target *findTarget(std::string_view name);

// The contents of the files, of those up to kLargestSeed, in the order of their names, and what is made.
[[nodiscard]] std::vector<std::string> seedsOf(const Target &target);
inline constexpr std::size_t kLargestSeed = std::size_t{32} << 10U;

// Ends the program if a promise does not hold; the other one: to be done without an error, which it prints.
void require(bool holds, std::string_view promise);
template <typename T>
void requireDone(const Result<T> &result, std::string_view promise)
{
    require(result.has_value(), std::string(promise) + (result ? "" : ": " + errorText(result.error())));
}

// The built-in network that files of this program are read for.
[[nodiscard]] const Model &sampleModel();

// A folder of this process, deleted at its end, and a file in it that holds the bytes.
[[nodiscard]] const std::string &ownFolder();
[[nodiscard]] std::string fileWith(std::string_view name, std::string_view bytes);

// The targets themselves.
void readOnnx(std::string_view bytes);    // open a model
void foldOnnx(std::string_view bytes);    // the same, for a run: constants are computed and kept
void convertOnnx(std::string_view bytes); // what was read is written, and read again
void readIos(std::string_view bytes);
void readSchedule(std::string_view bytes);
void readSession(std::string_view bytes);
void readLatencies(std::string_view bytes);
void readLayoutCosts(std::string_view bytes);
void readDevice(std::string_view bytes);
void readKernels(std::string_view bytes);
void readNpy(std::string_view bytes);
void readProfile(std::string_view bytes);
void readPlan(std::string_view bytes);
void readRequest(std::string_view bytes); // in the worker
void readReply(std::string_view bytes);   // in the program
void openStore(std::string_view bytes);

[[nodiscard]] std::vector<std::string> madeSessions();
[[nodiscard]] std::vector<std::string> madeRequests();
[[nodiscard]] std::vector<std::string> madeReplies();

} // namespace stagecraft::fuzz
