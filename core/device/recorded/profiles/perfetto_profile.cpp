// The Perfetto traces that this program exports (export/perfetto_trace.cpp), back without loss.

#include "device/recorded/profiles/own_trace.h"
#include "device/recorded/profiles/profile_formats.h"
#include "device/recorded/profiles/trace_events.h"

#include <fmt/format.h>
#include <perfetto.pb.h>

#include <map>
#include <optional>

namespace stagecraft::profiles {
namespace {

ProfiledFact factOf(const perfetto::DebugAnnotation &fact)
{
    if (fact.has_string_value())
        return fact.string_value();
    if (fact.has_int_value())
        return fact.int_value();
    return fact.double_value();
}

class PerfettoTrace {
public:
    Result<void> read(const perfetto::TracePacket &packet)
    {
        if (packet.has_track_descriptor())
            addTrack(packet.track_descriptor());
        if (!packet.has_track_event())
            return {};
        if (packet.timestamp() > static_cast<std::uint64_t>(kLargestNs))
            return refused("it has a time that is out of range");
        return addEvent(packet.track_event(), static_cast<std::int64_t>(packet.timestamp()));
    }

    Result<Profile> finish() { return std::move(m_trace).finish("stagecraft-perfetto"); }

private:
    struct Track {
        std::int64_t process = 0;
        std::optional<std::int64_t> row{};
        std::string counter{};
        std::string unit{};
        std::optional<OwnSlice> open{};
    };

    void addTrack(const perfetto::TrackDescriptor &descriptor)
    {
        Track &track = m_tracks[descriptor.uuid()];
        if (descriptor.has_thread()) {
            track.process = descriptor.thread().pid();
            track.row = descriptor.thread().tid();
            m_trace.nameRow(track.process, *track.row, descriptor.thread().thread_name());
        } else if (descriptor.has_process()) {
            track.process = descriptor.process().pid();
            m_trace.nameProcess(track.process, descriptor.process().process_name());
            const auto &labels = descriptor.process().process_labels();
            m_trace.labelProcess(track.process, {labels.begin(), labels.end()});
        } else if (descriptor.has_counter()) {
            const auto parent = m_tracks.find(descriptor.parent_uuid());
            track.process = parent == m_tracks.end() ? 0 : parent->second.process;
            track.counter = descriptor.name();
            track.unit = descriptor.counter().unit_name();
        }
    }

    Result<void> addEvent(const perfetto::TrackEvent &event, std::int64_t ns)
    {
        const auto found = m_tracks.find(event.track_uuid());
        if (found == m_tracks.end())
            return refused(fmt::format("an event lies on track {}, which is not described", event.track_uuid()));
        Track &track = found->second;
        if (event.type() == perfetto::TrackEvent::TYPE_COUNTER) {
            m_trace.count(track.process, track.counter, track.unit, ns, event.double_counter_value());
        } else if (event.type() == perfetto::TrackEvent::TYPE_SLICE_BEGIN) {
            OwnSlice &slice = track.open.emplace(
                OwnSlice{event.name(), event.categories_size() > 0 ? event.categories(0) : "", ns, ns, {}});
            for (const auto &fact : event.debug_annotations())
                slice.facts.emplace_back(fact.name(), factOf(fact));
        } else if (event.type() == perfetto::TrackEvent::TYPE_SLICE_END && track.open && track.row) {
            if (ns < track.open->startNs)
                return refused("a slice ends before it begins");
            track.open->endNs = ns;
            m_trace.add(track.process, *track.row, std::move(*track.open));
            track.open.reset();
        }
        return {};
    }

    OwnTrace m_trace;
    std::map<std::uint64_t, Track> m_tracks;
};

} // namespace

// A packet with the number of its sequence or its time comes first.
bool isOwnPerfettoTrace(std::string_view bytes)
{
    constexpr char kPacket = 0x0a;
    constexpr char kTimestamp = 0x40;
    constexpr char kSequence = 0x50;
    if (bytes.empty() || bytes.front() != kPacket)
        return false;
    std::size_t i = 1;
    while (i < bytes.size() && (static_cast<unsigned char>(bytes[i]) & 0x80U) != 0) // the length of the packet
        ++i;
    return i + 1 < bytes.size() && (bytes[i + 1] == kSequence || bytes[i + 1] == kTimestamp);
}

Result<Profile> readOwnPerfettoTrace(std::span<const ProfileFile> files, const std::stop_token & /*stop*/)
{
    perfetto::Trace messages;
    if (!messages.ParseFromString(files.front().bytes))
        return refused("it is no Perfetto trace, or it is cut short");
    PerfettoTrace trace;
    for (int i = 0; i < messages.packet_size(); ++i) {
        if (auto read = trace.read(messages.packet(i)); !read)
            return within(fmt::format("packet {}", i + 1), std::move(read.error()));
    }
    return trace.finish();
}

} // namespace stagecraft::profiles
