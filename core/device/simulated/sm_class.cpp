#include "device/simulated/sm_class.h"

namespace stagecraft {

namespace {

constexpr double kSameProgress = 0.01; // share of a block: SMs this close form one class

bool sameProgress(const SmClass &a, const SmClass &b)
{
    if (a.cohortCount != b.cohortCount || a.residentWarps != b.residentWarps)
        return false;
    for (int i = 0; i < a.cohortCount; ++i) {
        const Cohort &left = a.cohorts[static_cast<std::size_t>(i)];
        const Cohort &right = b.cohorts[static_cast<std::size_t>(i)];
        const double apart = left.remaining - right.remaining;
        if (left.launch != right.launch || left.blocks != right.blocks || apart > kSameProgress ||
            apart < -kSameProgress)
            return false;
    }
    return true;
}

} // namespace

void mergeSameProgress(std::vector<SmClass> &classes)
{
    for (std::size_t i = 0; i < classes.size(); ++i) {
        for (std::size_t j = classes.size() - 1; j > i; --j) {
            if (!sameProgress(classes[i], classes[j]))
                continue;
            SmClass &into = classes[i];
            const double share = static_cast<double>(classes[j].sms) / (into.sms + classes[j].sms);
            for (int c = 0; c < into.cohortCount; ++c) {
                Cohort &cohort = into.cohorts[static_cast<std::size_t>(c)];
                cohort.remaining +=
                    share * (classes[j].cohorts[static_cast<std::size_t>(c)].remaining - cohort.remaining);
            }
            into.sms += classes[j].sms;
            if (j + 1 < classes.size())
                classes[j] = classes.back();
            classes.pop_back();
        }
    }
}

} // namespace stagecraft
