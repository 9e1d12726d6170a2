"""Prints what Perfetto's own messages find in a trace, as JSON: processes with their threads, slices and counters."""
import json
import sys

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

trace = Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())

processes, tracks, open_slices, last = {}, {}, {}, {}
for packet in trace.packet:
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        if track.HasField("process"):
            tracks[track.uuid] = processes[track.process.pid] = {
                "name": track.process.process_name, "labels": list(track.process.process_labels), "threads": {},
                "counters": {}}
        elif track.HasField("thread"):
            tracks[track.uuid] = processes[track.thread.pid]["threads"][track.thread.thread_name] = []
        else:
            counter = {"unit": track.counter.unit_name, "values": []}
            tracks[track.uuid] = tracks[track.parent_uuid]["counters"][track.name] = counter
        continue
    event, uuid = packet.track_event, packet.track_event.track_uuid
    assert packet.timestamp >= last.get(uuid, 0), "time goes back on a track"
    last[uuid] = packet.timestamp
    if event.type == TrackEvent.TYPE_COUNTER:
        tracks[uuid]["values"].append([packet.timestamp, event.double_counter_value])
    elif event.type == TrackEvent.TYPE_SLICE_BEGIN:
        assert uuid not in open_slices, "slices of a track overlap"
        open_slices[uuid] = (event.name, packet.timestamp)
    else:
        name, begin = open_slices.pop(uuid)
        tracks[uuid].append([name, begin, packet.timestamp])
assert not open_slices, "a slice does not end"
print(json.dumps(list(processes.values())))
