#pragma once

// The answer on a profile that another program recorded.

#include "answers/answer_parts.h"
#include "flow/import_profile.h"
#include "timing/recorded_profile_record.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

void eachMember(Of<LatencySpread> auto &spread, auto &&visit)
{
    visit({"least_us", "least of the runs", Unit::Us}, spread.leastUs);
    visit({"most_us", "most of the runs", Unit::Us}, spread.mostUs);
    visit({"mean_us", "mean of the runs", Unit::Us}, spread.meanUs);
    visit({"stddev_us", "standard deviation of the runs; null: unknown, or a single one", Unit::Us}, spread.stddevUs);
    visit({"runs", "how many they were; 0: the file does not say", Unit::Count}, spread.runs);
}

void eachMember(Of<TimeDifference> auto &difference, auto &&visit)
{
    visit({"cause", "overlap: kernels that ran beside others; gaps: nothing ran; host: calls and waiting beyond the "
                    "kernels; profiler: layers take another time with the profiler on"},
          difference.cause);
    visit({"time_us", "what it adds to the sum; negative: what it takes from it", Unit::Us}, difference.us);
}

namespace answers {

struct OperatorInProfile {
    std::string name;
    double timeUs = 0;
    MappedBy by = MappedBy::Name;
    std::vector<std::string> kernels{};
    std::vector<std::string> with{};
};

void eachMember(Of<OperatorInProfile> auto &op, auto &&visit)
{
    visit({"name", "name of the operator"}, op.name);
    visit({"time_us", "of its kernels in the run with the median latency", Unit::Us}, op.timeUs);
    visit({"mapped_by",
           "how its longest kernel was told to be its own: name, output tensor, fused names, nodes between "
           "two, copy for it, renamed node, what launched it, graph node id, type, shape and order, or "
           "type and order"},
          op.by);
    visit({"kernels", "name of a kernel or layer, as often as it ran"}, op.kernels);
    visit({"with", "another operator that these kernels computed, too"}, op.with);
}

struct PathInProfile {
    ProfiledPath::Along along = ProfiledPath::Along::Edges;
    double lengthUs = 0;
    std::vector<std::string> names{};
};

void eachMember(Of<PathInProfile> auto &path, auto &&visit)
{
    visit({"along", "what it followed: the model's edges, streams, or streams and events"}, path.along);
    visit({"length_us", "of its operators or kernels, without what lies between", Unit::Us}, path.lengthUs);
    visit({"names", "along edges an operator, else a kernel"}, path.names);
}

struct ProfileAnswer {
    static constexpr Title kTitle{"profile", "stagecraft-cli profile MODEL FILE... --json",
                                  "what another program recorded, on the operators of the model"};
    std::string model;
    std::string profileFormat;
    std::string program;
    std::optional<std::string> programVersion{};
    std::optional<std::string> device{};
    Provenance provenance = Provenance::Recorded;
    std::vector<ProfileSource> files{};
    std::optional<double> latencyUs{};
    std::optional<LatencySpread> spread{};
    double sumUs = 0;
    std::optional<double> busyUs{};
    std::optional<double> overlapUs{};
    std::optional<double> gapsUs{};
    double memoryUs = 0;
    double mappedUs = 0;
    double unmappedUs = 0;
    std::size_t kernels = 0;
    std::optional<std::size_t> streams{};
    std::size_t iterations = 0;
    std::string iterationsFoundBy;
    std::size_t kernelsLeftOut = 0;
    std::int64_t launchesWithoutKernel = 0;
    std::vector<TimeDifference> differences{};
    std::optional<PathInProfile> path{};
    std::vector<OperatorInProfile> operators{};
    std::vector<UnmappedKernels> unmapped{};
    std::vector<std::string> notes{};
    std::vector<ImportNote> modelNotes{};
    std::map<std::string, std::string> missing{};
    std::optional<ScheduleInFile> schedule{};
};

void eachMember(Of<ProfileAnswer> auto &answer, auto &&visit)
{
    visit(fields::kModel, answer.model);
    visit({"profile_format", "pytorch, onnxruntime, tensorrt, nsight-systems, stagecraft-chrome-trace or "
                             "stagecraft-perfetto"},
          answer.profileFormat);
    visit({"program", "the program that recorded it"}, answer.program);
    visit({"program_version", "its version; null: see missing"}, answer.programVersion);
    visit({"device", "as the file names it; null: see missing"}, answer.device);
    visit(fields::kProvenanceOfAll, answer.provenance);
    visit({"files", "a file of the profile"}, answer.files);
    visit({"latency_us",
           "from the first start to the last end of the run with the median latency, or as the file states "
           "it; null: see missing",
           Unit::Us},
          answer.latencyUs);
    visit({"latency_spread", "of the runs; null: see missing"}, answer.spread);
    visit({"sum_us", "of the kernels or layers of that run", Unit::Us}, answer.sumUs);
    visit({"busy_us", "in which at least one ran; null: see missing", Unit::Us}, answer.busyUs);
    visit({"overlap_us", "that running beside each other saved: the sum minus busy_us; null: see missing", Unit::Us},
          answer.overlapUs);
    visit({"gaps_us", "between the first start and the last end in which none ran; null: see missing", Unit::Us},
          answer.gapsUs);
    visit({"memory_us", "of copies and fills of memory, which the sum does not have", Unit::Us}, answer.memoryUs);
    visit({"mapped_us", "of kernels that were told to be an operator's", Unit::Us}, answer.mappedUs);
    visit({"unmapped_us", "of the others: with mapped_us, the sum", Unit::Us}, answer.unmappedUs);
    visit({"kernels", "kernels or layers of that run", Unit::Count}, answer.kernels);
    visit({"streams", "streams, or threads, that they ran on; null: see missing", Unit::Count}, answer.streams);
    visit({"iterations", "runs of the model in the profile", Unit::Count}, answer.iterations);
    visit({"iterations_found_by",
           "marks of the program, a sequence of kernels that repeats itself, or nothing: taken as "
           "one run"},
          answer.iterationsFoundBy);
    visit({"kernels_left_out", "kernels, copies and fills of no complete run", Unit::Count}, answer.kernelsLeftOut);
    visit({"launches_without_kernel", "launches in the trace whose kernel is not in it: lost, or outside of its window",
           Unit::Count},
          answer.launchesWithoutKernel);
    visit({"differences", "why the latency is not the sum: all of them and the sum add up to it"}, answer.differences);
    visit({"critical_path", "the longest chain that had to run one after the other; null: see missing"}, answer.path);
    visit({"operators", "an operator that took time, in the order of the graph"}, answer.operators);
    visit({"unmapped", "kernels of one name that were told to be no operator's, longest first"}, answer.unmapped);
    visit({"notes", "what to know about the profile"}, answer.notes);
    visit({"model_notes", "what the import did"}, answer.modelNotes);
    visit({"missing", "what the files do not say, by key: the reason"}, answer.missing);
    visit({"schedule", "with -o: the schedule that was observed, as in the file"}, answer.schedule,
          answer.schedule.has_value());
}

} // namespace answers
} // namespace stagecraft
