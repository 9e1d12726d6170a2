#include "flow/open/import_outcome.h"

#include "device/cpu/refusal.h"
#include "operators/schema.h"

#include <algorithm>
#include <set>

namespace stagecraft {
namespace {

using Outcome = TypeReason::Outcome;

std::string refusalOf(const SourceGraph &source, const Operator &op, const std::set<std::string> &inTraining)
{
    return inTraining.contains(op.name) ? "it is in training mode" : cpu::refusalOf(source.graph, op);
}

} // namespace

ImportOutcome::ImportOutcome(const SourceGraph &source)
{
    if (source.typeOf.empty())
        return;
    const std::set<std::string> inTraining(source.report.inTraining.begin(), source.report.inTraining.end());
    for (std::size_t i = 0; i < source.graph.size(); ++i) {
        const Operator &op = source.graph.operators()[i];
        if (std::string reason = opaqueReason(op); !reason.empty())
            m_found.push_back({i, Outcome::Opaque, op.name, std::move(reason)});
        if (std::string reason = refusalOf(source, op, inTraining); !reason.empty())
            m_found.push_back({i, Outcome::Refused, op.name, std::move(reason)});
    }
}

void ImportOutcome::count(const std::vector<PassReport> &passes, SourceGraph &source) const
{
    if (source.typeOf.empty())
        return;
    const auto typeOf = [&](std::size_t op) -> TypeReport & { return source.report.types[source.typeOf[op]]; };
    std::set<std::size_t> changed;
    for (const PassReport &pass : passes) {
        for (const PassChange &change : pass.changes) {
            TypeReport &type = typeOf(change.before.index());
            --type.operators;
            ++(change.unit.isValid() ? type.fused : type.leftOut);
            if (!m_found.empty())
                changed.insert(change.before.index());
        }
    }
    for (const Found &found : m_found) {
        if (changed.contains(found.op))
            continue;
        TypeReport &type = typeOf(found.op);
        ++(found.outcome == Outcome::Opaque ? type.opaque : type.refused);
        const auto isSame = [&](const TypeReason &each) {
            return each.outcome == found.outcome && each.reason == found.reason;
        };
        auto reason = std::ranges::find_if(type.because, isSame);
        if (reason == type.because.end())
            reason = type.because.insert(reason, {found.outcome, found.reason, found.operatorName, 0});
        ++reason->operators;
    }
}

} // namespace stagecraft
