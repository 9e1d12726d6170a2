#include "flow/kit/kit_readme.h"

#include <fmt/format.h>

namespace stagecraft {

std::string kitReadme(const Model &model, const WrittenKit &kit, const std::string &device)
{
    return fmt::format(
        R"(# Stages of {model} to measure

This folder was written by stagecraft-cli for a machine that nothing connects to. It measures {stages} stages of {model} at
batch {batch} ({device}), round {round} of at most three or so. It needs Python 3.9 or newer with PyTorch 1.13 or newer, and
nothing else; it opens no connection and writes one file, {recording}.

There, beside this folder's files:

    python3 stagecraft_pytorch.py kit .

It takes some hundredths of a second for each stage, more on a slow device. It may be interrupted at any time (Ctrl+C, a time
limit, a lost power line): run it again, and it goes on where it was. `--device pytorch:cpu` or `--device pytorch:cuda:1`
chooses another device; all rounds have to run on the same one. Stages that the device refuses are named and left out.

Back where Stagecraft is:

    stagecraft-cli optimize {source} --batch {batch} -d rec:{recording} --kit-next -o NEXT

(with the --r, --s or --strategy of the kit, if it had any) says what the best schedule is as far as is known, whether anything could be faster, and, if so, writes the next kit into the
folder NEXT. Once it is proved, `-d rec:{recording}` is a device like others: `optimize`, `compare` and `export` take it.
)",
        fmt::arg("model", model.name), fmt::arg("stages", kit.stages), fmt::arg("batch", model.graph->batch()),
        fmt::arg("device", device.empty() ? "on the first GPU, or else the processor" : "on " + device),
        fmt::arg("round", kit.round), fmt::arg("recording", kit.recording), fmt::arg("source", model.source));
}

} // namespace stagecraft
