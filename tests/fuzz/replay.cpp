// The targets without a fuzzer: every seed, then changes of them, always the same ones.
//     fuzz_replay TARGET [FIRST [COUNT]]   the seeds and the usual changes, or COUNT of them from FIRST on
//     fuzz_replay TARGET FILE...           these inputs, as a fuzzer wrote them
//     fuzz_replay seeds TARGET FOLDER      writes the seeds into a folder, for a fuzzer
// What crashes or takes longer than 20 seconds is named, and written to TARGET.crash in the current folder.

#include "fuzz/changes.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using namespace stagecraft::fuzz;

constexpr unsigned kLongestSeconds = 20;

struct Current {
    std::string target;
    std::string input;
    long change = -1; // a seed
};
Current current;

void keepInput()
{
    const std::string path = current.target + ".crash";
    std::ofstream(path, std::ios::binary) << current.input;
    std::fprintf(stderr, "%s: change %ld of the seeds failed; it is in %s\n", current.target.c_str(), current.change,
                 path.c_str());
}

void onSignal(int signal)
{
    keepInput();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void read(const Target &target, std::string input, long change)
{
    current = {std::string(target.name), std::move(input), change};
    alarm(kLongestSeconds);
    target.read(current.input);
    alarm(0);
}

std::string contentOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int writeSeeds(const Target &target, const std::filesystem::path &folder)
{
    std::filesystem::create_directories(folder);
    int written = 0;
    for (const std::string &seed : seedsOf(target))
        std::ofstream(folder / std::to_string(written++), std::ios::binary) << seed;
    return 0;
}

long numberOf(const char *text)
{
    long number = -1;
    const std::string_view digits(text);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return read.ptr == digits.data() + digits.size() ? number : -1;
}

void readChanges(const Target &target, long first, long count)
{
    const std::vector<std::string> seeds = seedsOf(target);
    for (const std::string &seed : seeds)
        read(target, seed, -1);
    for (long i = first; i < first + count; ++i) {
        const auto number = static_cast<std::uint64_t>(i);
        Changes changes(target.form, number);
        std::string input = seeds[number % seeds.size()];
        for (long again = i % 4; again >= 0; --again) // several, one upon the other
            input = changes.changed(input, seeds[(number * 7 + 3) % seeds.size()]);
        read(target, std::move(input), i);
    }
    std::printf("%s: %zu seeds, %ld changes of them\n", current.target.c_str(), seeds.size(), count);
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool writes = words.size() == 3 && words[0] == "seeds";
    const Target *target = words.empty() ? nullptr : findTarget(words[writes ? 1 : 0]);
    if (target == nullptr) {
        std::fprintf(stderr, "fuzz_replay TARGET [FIRST [COUNT] | FILE...], or seeds TARGET FOLDER. Targets:");
        for (const Target &each : targets())
            std::fprintf(stderr, " %.*s", static_cast<int>(each.name.size()), each.name.data());
        std::fprintf(stderr, "\n");
        return 2;
    }
    if (writes)
        return writeSeeds(*target, words[2]);
    if (__sanitizer_set_death_callback != nullptr)
        __sanitizer_set_death_callback(keepInput);
    std::signal(SIGABRT, onSignal);
    std::signal(SIGALRM, onSignal);
    const long first = words.size() > 1 ? numberOf(words[1].c_str()) : 0;
    if (first >= 0) {
        readChanges(*target, first, words.size() > 2 ? numberOf(words[2].c_str()) : target->changes);
        return 0;
    }
    for (auto file = words.begin() + 1; file != words.end(); ++file)
        read(*target, contentOf(*file), -1);
    return 0;
}
