#include "cli/verify_text.h"

#include "support/number_text.h"
#include "support/shown_text.h"

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <utility>

namespace stagecraft {
namespace {

// ": 8 launches, 2 streams, 4 events, no barriers; 9 buffers, 12 pairs of them share bytes"; empty: nothing is known.
std::string countsText(const VerifiedPlan &plan)
{
    const auto count = [](std::size_t number, const std::string &noun) {
        return number == 0 ? fmt::format("no {}s", noun) : counted(static_cast<std::int64_t>(number), noun);
    };
    if (!plan.launches)
        return {};
    std::string text = plan.launches == 1
                           ? ": 1 launch"
                           : fmt::format(": {} launches", grouped(static_cast<std::int64_t>(*plan.launches)));
    for (const auto &[number, noun] :
         {std::pair(plan.streams, "stream"), std::pair(plan.events, "event"), std::pair(plan.barriers, "barrier")}) {
        if (number)
            text += ", " + count(*number, noun);
    }
    if (plan.buffers && plan.sharingPairs)
        text += fmt::format("; {}, {} of them share{} bytes", count(*plan.buffers, "buffer"),
                            count(*plan.sharingPairs, "pair"), *plan.sharingPairs == 1 ? "s" : "");
    if (plan.mappedOperators && plan.edges)
        text += fmt::format("; {} mapped, {} between them checked", count(*plan.mappedOperators, "operator"),
                            count(*plan.edges, "edge"));
    return text;
}

} // namespace

void printVerified(const answers::VerifiedFile &verified)
{
    const VerifiedPlan &plan = verified.plan;
    std::cout << verified.file << ", " << wordsFor(plan.kind) << countsText(plan) << '\n';
    for (const PlanFault &fault : plan.faults) {
        std::cout << "  " << fault.kind << ": " << shownText(fault.reason);
        if (!fault.remedy.empty())
            std::cout << ". " << shownText(fault.remedy);
        std::cout << ".\n";
    }
    for (const std::string &part : plan.notShown)
        std::cout << "  not shown: " << shownText(part) << '\n';
    std::cout << (plan.faults.empty() ? "  passed: nothing was found"
                                      : "  failed: " + counted(static_cast<std::int64_t>(plan.faults.size()), "fault"))
              << '\n'
              << std::flush;
}

} // namespace stagecraft
