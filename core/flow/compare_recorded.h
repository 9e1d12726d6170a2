#pragma once

// Results and profiles in files, compared as they are: nothing is measured. Their own repeats decide whether a
// difference is more than noise; what changed is told operator by operator.
//
// Latencies of another device, batch or provenance, of another simulator, and sums of stages beside whole schedules are
// not compared. Another file of the model, precision, driver or recording program is said, and compared.

#include "device/recorded/profiles/profile_reader.h"
#include "model/model.h"
#include "results/recorded_comparison.h"
#include "support/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// A schedule file, or the files of one profile.
struct RecordedFile {
    std::string name;               // as it was named
    std::vector<ProfileFile> files; // one, or several that make a profile of TensorRT
    bool isProfile = false;
    std::optional<std::string> model = {}; // of a schedule file: the name of its model

    [[nodiscard]] const std::string &path() const { return files.front().path; } // the first
};

// `name`: a file, or several with commas between them. Errors: InvalidInput, naming the file: it cannot be read, or is
// neither; Cancelled.
[[nodiscard]] Result<RecordedFile> openRecordedFile(const std::string &name, const std::stop_token &stop = {});

// Errors: InvalidInput, naming the file: it does not fit the model, is damaged, or has no latency; Cancelled.
[[nodiscard]] Result<RecordedResult> recordedResult(RecordedFile file, const Model &model,
                                                    const std::stop_token &stop = {});

// At least two; the first is the baseline.
[[nodiscard]] RecordedComparison compareRecorded(const Model &model, std::vector<RecordedResult> results);

} // namespace stagecraft
