# Messages of core/device/worker/protocol/worker.proto, as far as this worker needs them. What it does not know is
# skipped. Kinds: whole numbers ("uint", "int"), "bool", "double", "float", "bytes", or a message; "*": a list.

FIELDS = {
    "Wholes": {1: ("values", "*int")},
    "Shape": {1: ("dims", "*int"), 2: ("unknown", "bool")},
    "Parameter": {
        1: ("role", "bytes"),
        2: ("name", "bytes"),
        3: ("shape", "Shape"),
        4: ("type", "int"),
        5: ("seeded", "bool"),
        6: ("stored", "int"),
        7: ("values", "bytes"),
        30: ("sha256", "bytes"),
    },
    "Tensor": {1: ("name", "bytes"), 2: ("shape", "Shape"), 3: ("type", "int")},
    "Operator": {1: ("name", "bytes"), 2: ("type", "bytes"), 11: ("outputs", "*uint"), 12: ("parameters", "*Parameter")},
    "Graph": {
        1: ("name", "bytes"),
        2: ("tensors", "*Tensor"),
        3: ("inputs", "*uint"),
        4: ("outputs", "*uint"),
        5: ("operators", "*Operator"),
    },
    "Group": {1: ("operators", "*uint")},
    "PythonLines": {1: ("lines", "*bytes")},
    "PythonConstant": {1: ("name", "bytes"), 2: ("op", "uint"), 3: ("parameter", "uint")},
    "PythonGraph": {1: ("tensors", "*bytes"), 2: ("constants", "*PythonConstant"), 3: ("operators", "*PythonLines")},
    "PythonMerge": {1: ("lines", "*bytes"), 2: ("weight", "bytes"), 3: ("bias", "bytes"), 4: ("axis", "uint")},
    "Stage": {
        1: ("block", "uint"),
        2: ("merge", "bool"),
        3: ("groups", "*Group"),
        4: ("launch_order", "*uint"),
        20: ("python", "PythonMerge"),
    },
    "HostTensor": {1: ("name", "bytes"), 2: ("shape", "Shape"), 3: ("values", "bytes"), 4: ("type", "int")},
    "Describe": {1: ("device", "bytes")},
    "Open": {1: ("device", "bytes"), 2: ("graph", "Graph"), 20: ("python", "PythonGraph")},
    "Launch": {
        1: ("operators", "*uint"),
        2: ("stream", "uint"),
        3: ("waits", "*uint"),
        20: ("python", "PythonMerge"),
    },
    "Streams": {1: ("count", "uint"), 2: ("launches", "*Launch")},
    "Schedule": {1: ("stages", "*Stage"), 2: ("streams", "Streams")},
    "Run": {1: ("schedule", "Schedule"), 2: ("inputs", "*HostTensor")},
    "Cancel": {},
    "Weights": {1: ("sha256", "*bytes")},
    "KeptValues": {1: ("sha256", "bytes"), 2: ("values", "bytes")},
    "ListDevices": {50: ("with_load", "bool")},
    "Request": {
        1: ("version", "uint"),
        2: ("id", "uint"),
        3: ("describe", "Describe"),
        4: ("open", "Open"),
        5: ("measure_stage", "Stage"),
        6: ("measure_whole", "Schedule"),
        7: ("timeline", "Schedule"),
        8: ("run", "Run"),
        9: ("cancel", "Cancel"),
        10: ("list_devices", "ListDevices"),
        11: ("workspace", "Stage"),
        30: ("weights", "Weights"),
        31: ("keep_values", "KeptValues"),
    },
    "Heartbeat": {
        1: ("waiting", "bool"),
        2: ("preparing", "bytes"),
        3: ("holder", "bytes"),
        4: ("is_own", "bool"),
        5: ("waited_seconds", "double"),
    },
    "Failure": {
        1: ("code", "int"),
        2: ("message", "bytes"),
        3: ("remedy", "bytes"),
        4: ("context", "*bytes"),
        5: ("worker_ends", "bool"),
    },
    "Fact": {1: ("name", "bytes"), 2: ("value", "bytes")},
    "DeviceInfo": {
        1: ("id", "bytes"),
        2: ("title", "bytes"),
        3: ("provenance", "int"),
        4: ("available", "bool"),
        5: ("unavailable_reason", "bytes"),
        6: ("fingerprint", "bytes"),
        8: ("facts", "*Fact"),
        9: ("precision", "bytes"),
    },
    "Opened": {3: ("no_turns", "bool")},
    "Sample": {
        1: ("mean_us", "double"),
        2: ("median_us", "double"),
        3: ("stddev_us", "double"),
        4: ("runs", "int"),
        5: ("clock_mhz", "int"),
        6: ("memory_clock_mhz", "int"),
        7: ("slowed_by", "bytes"),
    },
    "KernelSpan": {
        1: ("name", "bytes"),
        2: ("operators", "*uint"),
        3: ("stage", "uint"),
        4: ("group", "uint"),
        5: ("stream", "uint"),
        6: ("start_ns", "int"),
        7: ("end_ns", "int"),
        8: ("grid", "*int"),
        9: ("threads_per_block", "int"),
        10: ("registers_per_thread", "int"),
        11: ("shared_bytes_per_block", "int"),
    },
    "StageSpan": {1: ("stage", "uint"), 2: ("start_ns", "int"), 3: ("end_ns", "int")},
    "Timeline": {
        1: ("provenance", "int"),
        2: ("device", "bytes"),
        3: ("duration_ns", "int"),
        4: ("streams", "uint"),
        5: ("stages", "*StageSpan"),
        6: ("kernels", "*KernelSpan"),
        8: ("notes", "*bytes"),
    },
    "Devices": {1: ("devices", "*DeviceInfo")},
    "Outputs": {1: ("tensors", "*HostTensor")},
    "Reply": {
        1: ("version", "uint"),
        2: ("id", "uint"),
        3: ("heartbeat", "Heartbeat"),
        4: ("failure", "Failure"),
        5: ("info", "DeviceInfo"),
        6: ("opened", "Opened"),
        7: ("sample", "Sample"),
        8: ("timeline", "Timeline"),
        9: ("outputs", "Outputs"),
        10: ("devices", "Devices"),
        11: ("profiled", "bool"),
        30: ("lacking", "Weights"),
    },
}
DEFAULTS = {"uint": 0, "int": 0, "bool": False, "double": 0.0, "float": 0.0, "bytes": b""}
REQUESTS = [name for _, (name, kind) in FIELDS["Request"].items() if kind in FIELDS]
MOST_BYTES = 1 << 30  # of a message


class NoMessage(Exception):
    """The bytes are not a message."""


class Message:
    """Its fields are attributes; those that were not set have their default: None for a message."""

    def __init__(self, kind, **values):
        self.__dict__.update(values, kind=kind)

    def __getattr__(self, name):
        for field, kind in FIELDS[self.kind].values():
            if field == name:
                if kind[0] == "*":
                    self.__dict__[name] = []
                    return self.__dict__[name]
                return DEFAULTS.get(kind)
        raise AttributeError(f"{self.kind} has no field {name}")

    def has(self, name):
        return name in self.__dict__


def read_varint(data, place):
    value = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise NoMessage("a number that does not end")
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place += 1
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, place
        shift += 7


def varint(value):
    value &= 0xFFFFFFFFFFFFFFFF
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def number_from(kind, value):
    if kind == "int":
        return value - (1 << 64) if value >> 63 else value
    return bool(value) if kind == "bool" else value


WIRE_OF = {"uint": 0, "int": 0, "bool": 0, "double": 1, "float": 5}  # others: 2
SIZES = {1: (8, "<d"), 5: (4, "<f")}


def read_value(kind, wire, data, place):
    """One value of a field and where the next begins."""
    if wire != WIRE_OF.get(kind, 2):
        raise NoMessage(f"a {kind} that is written as something else")
    if wire == 0:
        value, place = read_varint(data, place)
        return number_from(kind, value), place
    if wire in SIZES:
        size, form = SIZES[wire]
        if place + size > len(data):
            raise NoMessage("a number that is cut off")
        return struct.unpack_from(form, data, place)[0], place + size
    part, place = read_part(data, place)
    return (bytes(part) if kind == "bytes" else decode(kind, part)), place


def read_part(data, place):
    size, place = read_varint(data, place)
    if place + size > len(data):
        raise NoMessage("a part that is cut off")
    return data[place : place + size], place + size


def skipped(wire, data, place):
    if wire == 0:
        return read_varint(data, place)[1]
    if wire == 2:
        return read_part(data, place)[1]
    if wire not in SIZES or place + SIZES[wire][0] > len(data):
        raise NoMessage("a field of no known form")
    return place + SIZES[wire][0]


def decode(kind, data):
    data = memoryview(data)
    fields, message, place = FIELDS[kind], Message(kind), 0
    while place < len(data):
        key, place = read_varint(data, place)
        number, wire = key >> 3, key & 7
        if number not in fields:
            place = skipped(wire, data, place)
            continue
        name, form = fields[number]
        if form[0] != "*":
            message.__dict__[name], place = read_value(form, wire, data, place)
            continue
        form, values = form[1:], getattr(message, name)
        if wire == 2 and form in WIRE_OF:  # numbers in one part
            part, place = read_part(data, place)
            inner = 0
            while inner < len(part):
                value, inner = read_value(form, WIRE_OF[form], part, inner)
                values.append(value)
        else:
            value, place = read_value(form, wire, data, place)
            values.append(value)
    return message


def encoded_value(kind, value):
    if kind in ("uint", "int", "bool"):
        return varint(int(value))
    if kind in ("double", "float"):
        return struct.pack(SIZES[WIRE_OF[kind]][1], value)
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    part = value if kind == "bytes" else encode(value)
    return varint(len(part)) + part


def encode(message):
    made = []
    for number, (name, kind) in FIELDS[message.kind].items():
        if not message.has(name):
            continue
        value, form = getattr(message, name), kind.lstrip("*")
        if kind[0] != "*":
            made += [varint(number << 3 | WIRE_OF.get(form, 2)), encoded_value(form, value)]
        elif form in WIRE_OF:
            part = b"".join(encoded_value(form, each) for each in value)
            made += [varint(number << 3 | 2), varint(len(part)), part] if part else []
        else:
            for each in value:
                made += [varint(number << 3 | 2), encoded_value(form, each)]
    return b"".join(made)


def receive(stream, kind):
    """The next message of a stream, or None at its end."""
    size = shift = 0
    while True:
        byte = stream.read(1)
        if not byte:
            if shift:
                raise NoMessage("the stream ended within a message")
            return None
        size |= (byte[0] & 0x7F) << shift
        if size > MOST_BYTES or shift > 35:
            raise NoMessage("the stream has data that is not a message")
        shift += 7
        if byte[0] < 0x80:
            break
    data = stream.read(size)
    if len(data) < size:
        raise NoMessage("the stream ended within a message")
    return decode(kind, data)


def framed(message):
    data = encode(message)
    return varint(len(data)) + data
