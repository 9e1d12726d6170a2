#pragma once

// The answers on kits: folders of stages for a machine that nothing connects to.

#include "answers/answer_parts.h"
#include "flow/kit/kit_folder.h"
#include "search/search_record.h"

#include <cstdint>
#include <optional>
#include <string>

namespace stagecraft {

void eachMember(Of<WrittenKit> auto &kit, auto &&visit)
{
    visit({"round", "which kit of the model on its device it is", Unit::Number}, kit.round);
    visit({"kit_stages", "stages that it measures", Unit::Count}, kit.stages);
    visit({"places", "stages of the model that get a latency by that, equal ones included", Unit::Count}, kit.places);
    visit({"recording", "name of the file that it makes in the folder"}, kit.recording);
    visit({"files", "files of the folder", Unit::Count}, kit.folder.files);
    visit({"bytes", "of the folder", Unit::Bytes}, kit.folder.bytes);
}

namespace answers {

struct Kit {
    static constexpr Title kTitle{"kit", "stagecraft-cli kit MODEL -o FOLDER --json",
                                  "a folder of stages to measure elsewhere"};
    std::string folder;
    std::string model;
    std::string device;
    std::int64_t batch = 1;
    std::size_t operators = 0;
    WrittenKit kit;
};

void eachMember(Of<Kit> auto &answer, auto &&visit)
{
    visit({"folder", "the folder that was written"}, answer.folder);
    visit(fields::kModel, answer.model);
    visit({"device", "where it measures; empty: chosen there"}, answer.device);
    visit(fields::kBatch, answer.batch);
    visit({"operators", "schedule units of the model", Unit::Count}, answer.operators);
    eachMember(answer.kit, visit);
}

struct KitNext {
    static constexpr Title kTitle{"kit-next", "stagecraft-cli optimize MODEL -d rec:FILE --kit-next --json",
                                  "what a kit's recording proves, and what is still to measure"};
    std::string model;
    std::string device;
    std::int64_t batch = 1;
    double sumUs = 0;
    std::size_t stages = 0;
    std::size_t measured = 0;
    std::size_t refused = 0;
    std::size_t disturbed = 0;
    bool isProved = false;
    std::size_t wanted = 0;
    bool isLast = false;
    SearchRecord search;
    std::string folder{};
    std::optional<WrittenKit> kit{};
};

void eachMember(Of<KitNext> auto &answer, auto &&visit)
{
    visit(fields::kModel, answer.model);
    visit(fields::kDevice, answer.device);
    visit(fields::kBatch, answer.batch);
    visit(
        {"latency_us", "of the best schedule of recorded stages: they and what lies between them, added up", Unit::Us},
        answer.sumUs);
    visit(fields::kProvenance, Provenance::Recorded);
    visit(fields::kStages, answer.stages);
    visit({"stages_measured", "different stages that the recording has", Unit::Count}, answer.measured);
    visit({"stages_refused", "different stages that the device refused", Unit::Count}, answer.refused);
    visit({"stages_disturbed",
           "different stages with something else in their time: until it is proved, the next kit measures them again",
           Unit::Count},
          answer.disturbed);
    visit({"proved", "whether no stage that was not measured can make it faster, as far as search.assumption holds"},
          answer.isProved);
    visit({"stages_wanted", "different stages that could", Unit::Count}, answer.wanted);
    visit({"last", "whether the next kit has all of them, so that it decides the search"}, answer.isLast);
    visit({"search", "what a search did"}, answer.search);
    visit({"folder", "with -o: the folder of the next kit; empty: none was written"}, answer.folder);
    visit({"kit", "the next kit; null: none was written"}, answer.kit);
}

} // namespace answers
} // namespace stagecraft
