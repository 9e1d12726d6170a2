#include "desktop/areas/editing/stage_previews.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kAnswersKept = 512;
constexpr std::size_t kWantedAtMost = 64; // the newest: a pointer may pass over many places
constexpr qint64 kReadAgainMs = 500;      // after which the store is looked at again

} // namespace

StagePreviews::StagePreviews(std::shared_ptr<Measurers> measurers, QObject *parent)
    : QObject(parent), m_measurers(std::move(measurers))
{
    connect(&m_asking, &JobLane::workFailed, this, [this] { m_asked.clear(); });
}

StagePreviews::~StagePreviews()
{
    disconnect(&m_asking, nullptr, this, nullptr);
}

void StagePreviews::turnTo(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device)
{
    // A device of one's own may have been changed under its name.
    if (m_graph == graph && m_device.id == device.id && m_device.facts == device.facts)
        return;
    m_asking.cancel();
    m_reading.cancel();
    if (m_graph != graph)
        m_signer.emplace(*graph);
    m_graph = graph;
    m_device = device;
    m_sinceRead.invalidate();
    m_answers.clear();
    m_wanted.clear();
    m_asked.clear();
}

std::optional<double> StagePreviews::us(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device,
                                        const Stage &stage)
{
    if (!graph)
        return std::nullopt;
    turnTo(graph, device);
    if (device.provenance != Provenance::Simulated) {
        readStore();
        const auto known = m_measurers->known(graph.get(), device.id, m_signer->sign(stage));
        return known ? std::optional(known->latencyUs) : std::nullopt;
    }
    if (const auto known = std::ranges::find(m_answers, stage, &Answer::stage); known != m_answers.end())
        return known->us;
    if (std::ranges::find(m_wanted, stage) == m_wanted.end() && std::ranges::find(m_asked, stage) == m_asked.end()) {
        m_wanted.push_back(stage);
        if (m_wanted.size() > kWantedAtMost)
            m_wanted.erase(m_wanted.begin());
        askNext();
    }
    return std::nullopt;
}

void StagePreviews::readStore()
{
    if (m_device.fingerprint.empty() || m_reading.isBusy() ||
        (m_sinceRead.isValid() && m_sinceRead.elapsed() < kReadAgainMs))
        return;
    m_reading.start([this, measurers = m_measurers, graph = m_graph,
                     device = m_device](const JobLane::Context &) -> JobLane::Delivery {
        const bool isRead = measurers->readStore(graph, device);
        return [this, isRead] {
            m_sinceRead.start();
            if (isRead)
                emit changed();
        };
    });
}

void StagePreviews::askNext()
{
    if (!m_asked.empty() || m_wanted.empty())
        return;
    m_asked = std::exchange(m_wanted, {});
    m_asking.start([this, measurers = m_measurers, graph = m_graph, id = m_device.id,
                    stages = m_asked](const JobLane::Context &context) -> JobLane::Delivery {
        std::vector<Answer> answers;
        auto opened = measurers->open(graph, id, Urgency::User);
        for (const Stage &stage : stages) {
            std::optional<double> us;
            if (opened) {
                if (const auto latency = opened->session->stageLatency(stage, context.stop))
                    us = latency->timing.latencyUs;
            }
            answers.push_back({stage, us});
        }
        return [this, answers = std::move(answers)] {
            m_asked.clear();
            m_answers.insert(m_answers.end(), answers.begin(), answers.end());
            while (m_answers.size() > kAnswersKept)
                m_answers.pop_front();
            emit changed();
            askNext();
        };
    });
}

} // namespace stagecraft
