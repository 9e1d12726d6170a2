#include "device/worker/transports/slurm_transport.h"

#include "support/child_process.h"
#include "support/closest_name.h"
#include "support/shown_text.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <sys/wait.h>
#include <thread>
#include <utility>

namespace stagecraft::worker {
namespace {

constexpr std::chrono::milliseconds kAnswer{5'000}; // of squeue and scancel
constexpr std::chrono::milliseconds kCancelled{5'000};
constexpr int kOfShells = 126;     // the least status that says what a shell could not run
constexpr int kAskedForState = 20; // while it is being completed
constexpr std::chrono::milliseconds kCompleting{250};
constexpr std::string_view kJobHere = "stagecraft: job "; // the worker's first line

struct SlurmOption {
    std::string_view word;
    std::string_view option; // of srun
};

constexpr std::array kOptions{
    SlurmOption{"account", "account"},
    SlurmOption{"constraint", "constraint"},
    SlurmOption{"cpus", "cpus-per-task"},
    SlurmOption{"exclude", "exclude"},
    SlurmOption{"gpus", "gpus"},
    SlurmOption{"gres", "gres"},
    SlurmOption{"mem", "mem"},
    SlurmOption{"nodelist", "nodelist"},
    SlurmOption{"qos", "qos"},
    SlurmOption{"reservation", "reservation"},
    SlurmOption{"time", "time"},
};

// The texts are those of srun and slurmstepd.
constexpr std::array kSlurmFailures{
    KnownFailure{"DUE TO TIME LIMIT", Loss::Connection, "the time limit of the job in {0} was reached",
                 "Give it more: slurm:PARTITION:time=MINUTES/DEVICE"},
    KnownFailure{"DUE TO NODE FAILURE", Loss::Connection, "a node of {0} vanished", ""},
    KnownFailure{"Node failure", Loss::Connection, "a node of {0} vanished", ""},
    KnownFailure{"DUE TO PREEMPTION", Loss::Connection, "the job in {0} gave way to another one", ""},
    KnownFailure{"DUE TO JOB REQUEUE", Loss::Connection, "the job in {0} was put back into the queue", ""},
    KnownFailure{"CANCELLED AT", Loss::Place, "the job in {0} was cancelled", "Start again, or ask who cancelled it"},
    KnownFailure{"has been revoked", Loss::Place, "the job in {0} was cancelled while it waited",
                 "Start again, or ask who cancelled it"},
    KnownFailure{"invalid partition", Loss::Place, "Slurm has no {0}", "sinfo lists the partitions"},
    KnownFailure{"Invalid account", Loss::Place, "Slurm does not take the account or the partition of {0}",
                 "Name yours: slurm:PARTITION:account=NAME/DEVICE (sacctmgr show associations lists them)"},
    KnownFailure{"Invalid qos", Loss::Place, "Slurm does not take the quality of service of {0}",
                 "Name one of yours: slurm:PARTITION:qos=NAME/DEVICE"},
    KnownFailure{"Invalid generic resource", Loss::Place, "{0} has no such generic resource",
                 "sinfo -o %G lists what it has"},
    KnownFailure{"Invalid feature", Loss::Place, "no node of {0} has what the constraint asks for",
                 "sinfo -o %f lists what they have"},
    KnownFailure{"Invalid node name", Loss::Place, "{0} has no such node", "sinfo -N lists the nodes"},
    KnownFailure{"Memory specification can not be satisfied", Loss::Place,
                 "no node of {0} has the memory that the job asks for", "sinfo -o %m says what they have, in MB"},
    KnownFailure{"Job has been cancelled", Loss::Place, "the job in {0} was cancelled while it waited",
                 "Start again, or ask who cancelled it"},
    KnownFailure{"time limit", Loss::Place, "{0} does not allow the time that the job asks for",
                 "sinfo -o %l says how much it allows: slurm:PARTITION:time=MINUTES/DEVICE"},
    KnownFailure{"Requested node configuration is not available", Loss::Place,
                 "no node of {0} has what the job asks for", "sinfo -lN says what they have; ask for less"},
    KnownFailure{"Unable to contact slurm controller", Loss::Connection, "the controller of Slurm does not answer",
                 "scontrol ping tells whether it runs"},
    KnownFailure{"Unable to allocate resources", Loss::Place, "Slurm gives {0} no node", ""},
};

// What srun would have said of a job in this state (squeue(1)): its last words may be lost with the node.
struct StateOfJob {
    std::string_view state;
    std::string_view said;
};

constexpr std::array kEndedBySlurm{
    StateOfJob{"TIMEOUT", "DUE TO TIME LIMIT"},
    StateOfJob{"NODE_FAIL", "DUE TO NODE FAILURE"},
    StateOfJob{"PREEMPTED", "DUE TO PREEMPTION"},
    StateOfJob{"CANCELLED", "CANCELLED AT"},
};

constexpr std::array kOtherwise{
    KnownFailure{"Force Terminated", Loss::Connection, "the job in {0} was ended", ""},
};

constexpr std::string_view kOfValues = "._:+[]-@/&|*%";

tl::unexpected<Error> wrong(std::string_view text, const std::string &reason, std::string_view word = {})
{
    std::vector<std::string> names;
    for (const SlurmOption &each : kOptions)
        names.emplace_back(each.word);
    return fail(ErrorCode::WrongUse, fmt::format("{} is no job for Slurm: {}", shownText(text), reason),
                fmt::format("{}Use slurm:PARTITION/DEVICE or slurm:PARTITION:OPTIONS/DEVICE with options from {}, "
                            "separated by commas, as in slurm:gpu:time=30,gres=gpu:1/gpu:0",
                            didYouMean(word, names), listed(names)));
}

// The number behind the last of such words; empty: there are none.
std::string numberBehind(std::string_view words, const std::string &text)
{
    const std::size_t begin = text.rfind(words);
    if (begin == std::string::npos)
        return {};
    const std::size_t number = begin + words.size();
    return text.substr(number, text.find_first_not_of("0123456789", number) - number);
}

// "12" of "srun: job 12 queued and waiting for resources"; empty: srun has not said it.
std::string queuedJob(const std::string &said)
{
    return numberBehind("srun: job ", said);
}

std::string jobOf(const TransportEnd &end)
{
    const std::string here = numberBehind(kJobHere, end.greeting);
    return here.empty() ? queuedJob(end.said) : here;
}

// "CANCELLED"; empty: Slurm does not say.
std::string stateOf(const std::string &job)
{
    std::string state;
    for (int asked = 0; asked < kAskedForState && !job.empty(); ++asked) {
        const auto answer = outputOf({"squeue", "--noheader", "--states=all", "--jobs=" + job, "--format=%T"}, kAnswer);
        state = answer ? lastLine(*answer) : "";
        if (state != "COMPLETING")
            break;
        std::this_thread::sleep_for(kCompleting);
    }
    return state;
}

class SlurmTransport : public Transport {
public:
    SlurmTransport(SlurmJob job, RemoteProgram program)
        : Transport("partition " + job.partition, std::move(program)), m_job(std::move(job))
    {
    }

    Result<std::vector<std::string>> command() const override
    {
        TRY_AS(const auto srun,
               carryingProgram("srun", "Use a login node of the cluster, or Slurm's client (Debian: slurm-client)"));
        std::vector<std::string> command{
            srun,           "--partition=" + m_job.partition, "--nodes=1", "--ntasks=1", "--mpi=none",
            "--unbuffered", "--job-name=stagecraft"};
        command.insert(command.end(), m_job.options.begin(), m_job.options.end());
        // Unbuffered output passes through a terminal, which must leave the bytes as they are.
        command.insert(command.end(), {"/bin/sh", "-c",
                                       "stty raw -echo <&1 2>/dev/null; echo \"" + std::string(kJobHere) +
                                           "$SLURM_JOB_ID\"; " + commandFor(program())});
        return command;
    }

    std::optional<std::chrono::milliseconds> longestBeginning() const override { return std::nullopt; }

    std::string waitsFor(const std::string &said) const override
    {
        const std::string job = queuedJob(said);
        if (job.empty())
            return fmt::format("a node in {}", place());
        const auto state = outputOf({"squeue", "--noheader", "--jobs=" + job, "--format=%T, %r"}, kAnswer);
        const std::string reason = state ? lastLine(*state) : "";
        return fmt::format("job {} in the queue of {}{}", job, place(), reason.empty() ? "" : " (" + reason + ")");
    }

    LostTransport lost(const TransportEnd &end) const override
    {
        if (auto known = knownFailure(kSlurmFailures, end, place()))
            return *std::move(known);
        const auto ended = std::ranges::find(kEndedBySlurm, stateOf(jobOf(end)), &StateOfJob::state);
        if (ended != kEndedBySlurm.end())
            return *knownFailure(kSlurmFailures, {end.status, std::string(ended->said), end.hasBegun, {}}, place());
        if (auto known = knownFailure(kOtherwise, end, place()))
            return *std::move(known);
        const bool isOfProgram = !end.status || end.hasBegun || !WIFEXITED(*end.status) ||
                                 WEXITSTATUS(*end.status) >= kOfShells; // a shell ran there
        if (isOfProgram)
            return lostProgram(end, program(), place());
        return lostBecause(Loss::Place, fmt::format("srun started nothing in {}", place()),
                           fmt::format("Try srun --partition={} hostname by hand", m_job.partition), end);
    }

    // A job whose srun is killed would stay in the queue.
    bool endGently(int process, const TransportEnd &soFar) const override
    {
        ::kill(process, SIGTERM);
        if (endedWithin(process, kCancelled))
            return true;
        if (const std::string job = jobOf(soFar); !job.empty())
            (void)outputOf({"scancel", "--quiet", job}, kAnswer);
        return false;
    }

private:
    SlurmJob m_job;
};

} // namespace

Result<SlurmJob> slurmJobFrom(std::string_view text)
{
    const std::size_t colon = text.find(':');
    SlurmJob job{std::string(text.substr(0, colon)), {}};
    if (!isPlainWord(job.partition, "._-,+"))
        return wrong(text, "the name of its partition has letters that a shell could read, or none");
    if (colon == std::string_view::npos)
        return job;
    for (std::string_view rest = text.substr(colon + 1);;) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = rest.substr(0, comma);
        const std::size_t equal = item.find('=');
        const std::string_view word = item.substr(0, equal);
        if (equal == std::string_view::npos && !job.options.empty() && isPlainWord(item, kOfValues)) {
            job.options.back() += fmt::format(",{}", item);
        } else {
            const auto known = std::ranges::find(kOptions, word, &SlurmOption::word);
            if (known == kOptions.end())
                return wrong(text, fmt::format("the option {} is not known", shownText(word)), word);
            if (equal == std::string_view::npos || !isPlainWord(item.substr(equal + 1), kOfValues))
                return wrong(text, fmt::format("the option {} has no value that Slurm takes", word));
            job.options.push_back(fmt::format("--{}={}", known->option, item.substr(equal + 1)));
        }
        if (comma == std::string_view::npos)
            return job;
        rest = rest.substr(comma + 1);
    }
}

std::shared_ptr<const Transport> slurmTransport(SlurmJob job, RemoteProgram program)
{
    return std::make_shared<SlurmTransport>(std::move(job), std::move(program));
}

} // namespace stagecraft::worker
