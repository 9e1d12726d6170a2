#include "desktop/stage_previews.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kAnswersKept = 512;
constexpr std::size_t kWantedAtMost = 64; // the newest: a pointer may pass over many places

} // namespace

StagePreviews::StagePreviews(DeviceFinder find, QObject *parent)
    : QObject(parent), m_sessions(std::make_shared<DeviceSessions>(std::move(find)))
{
    connect(&m_lane, &JobLane::workFailed, this, [this] { m_asked.clear(); });
}

StagePreviews::~StagePreviews()
{
    disconnect(&m_lane, nullptr, this, nullptr);
}

void StagePreviews::turnTo(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device)
{
    // A device of one's own may have been changed under its name.
    if (m_graph == graph && m_device.id == device.id && m_device.facts == device.facts)
        return;
    m_lane.cancel();
    m_graph = graph;
    m_device = device;
    m_answers.clear();
    m_wanted.clear();
    m_asked.clear();
}

std::optional<double> StagePreviews::us(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device,
                                        const Stage &stage)
{
    if (!graph || device.provenance != Provenance::Simulated)
        return std::nullopt;
    turnTo(graph, device);
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

void StagePreviews::askNext()
{
    if (!m_asked.empty() || m_wanted.empty())
        return;
    m_asked = std::exchange(m_wanted, {});
    m_lane.start([this, sessions = m_sessions, graph = m_graph, id = m_device.id,
                  stages = m_asked](const JobLane::Context &context) -> JobLane::Delivery {
        std::vector<Answer> answers;
        auto opened = sessions->open(graph, id);
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
