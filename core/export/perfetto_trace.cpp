#include "export/trace_rows.h"

#include <perfetto.pb.h>

namespace stagecraft {
namespace {

constexpr std::uint32_t kSequence = 1;
constexpr std::uint32_t kBeginsAnew = 1; // earlier incremental state is dropped

void setFact(perfetto::DebugAnnotation &fact, const std::string &name, const TraceValue &value)
{
    fact.set_name(name);
    if (const auto *text = std::get_if<std::string>(&value))
        fact.set_string_value(*text);
    else if (const auto *count = std::get_if<std::int64_t>(&value))
        fact.set_int_value(*count);
    else
        fact.set_double_value(std::get<double>(value));
}

class TraceWriter {
public:
    void add(const TraceProcess &process)
    {
        const auto pid = static_cast<std::int32_t>(++m_processes);
        perfetto::TrackDescriptor &track = newTrack();
        const std::uint64_t processTrack = track.uuid();
        track.mutable_process()->set_pid(pid);
        track.mutable_process()->set_process_name(process.name);
        for (const std::string &note : process.notes)
            track.mutable_process()->add_process_labels(note);
        for (std::size_t i = 0; i < process.rows.size(); ++i)
            addRow(process.rows[i], pid, pid * kThreadsOfAProcess + static_cast<std::int64_t>(i));
        for (const CounterSeries &series : process.counters)
            addCounter(series, processTrack);
    }

    [[nodiscard]] std::string text() const { return m_trace.SerializeAsString(); }

private:
    static constexpr std::int64_t kThreadsOfAProcess = 100'000; // thread ids of different processes must differ

    perfetto::TracePacket &newPacket()
    {
        perfetto::TracePacket &packet = *m_trace.add_packet();
        packet.set_trusted_packet_sequence_id(kSequence);
        if (m_trace.packet_size() == 1)
            packet.set_sequence_flags(kBeginsAnew);
        return packet;
    }

    perfetto::TrackDescriptor &newTrack()
    {
        perfetto::TrackDescriptor &track = *newPacket().mutable_track_descriptor();
        track.set_uuid(++m_tracks);
        return track;
    }

    perfetto::TrackEvent &newEvent(std::int64_t timeNs, std::uint64_t track, perfetto::TrackEvent::Type type)
    {
        perfetto::TracePacket &packet = newPacket();
        packet.set_timestamp(static_cast<std::uint64_t>(timeNs));
        perfetto::TrackEvent &event = *packet.mutable_track_event();
        event.set_track_uuid(track);
        event.set_type(type);
        return event;
    }

    void addRow(const TraceRow &row, std::int32_t pid, std::int64_t tid)
    {
        perfetto::TrackDescriptor &track = newTrack();
        const std::uint64_t id = track.uuid();
        track.mutable_thread()->set_pid(pid);
        track.mutable_thread()->set_tid(tid);
        track.mutable_thread()->set_thread_name(row.name);
        for (const TraceSlice &slice : row.slices) {
            perfetto::TrackEvent &begin = newEvent(slice.startNs, id, perfetto::TrackEvent::TYPE_SLICE_BEGIN);
            begin.set_name(slice.name);
            begin.add_categories(row.category);
            for (const auto &[name, value] : slice.facts)
                setFact(*begin.add_debug_annotations(), name, value);
            newEvent(slice.endNs, id, perfetto::TrackEvent::TYPE_SLICE_END);
        }
    }

    void addCounter(const CounterSeries &series, std::uint64_t processTrack)
    {
        perfetto::TrackDescriptor &track = newTrack();
        const std::uint64_t id = track.uuid();
        track.set_parent_uuid(processTrack);
        track.set_name(nameInTrace(series));
        track.mutable_counter()->set_unit_name(series.unit);
        for (std::size_t i = 0; i < series.values.size(); ++i)
            newEvent(series.timesNs[i], id, perfetto::TrackEvent::TYPE_COUNTER)
                .set_double_counter_value(series.values[i]);
    }

    perfetto::Trace m_trace;
    std::uint64_t m_tracks = 0;
    int m_processes = 0;
};

} // namespace

std::string perfettoTrace(const Graph &graph, std::span<const RatedResult> results)
{
    TraceWriter writer;
    for (const RatedResult &result : results)
        writer.add(traceProcess(graph, result));
    return writer.text();
}

} // namespace stagecraft
