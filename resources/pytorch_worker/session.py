# A graph on a device, and how its schedules run there.

# Value types of tensors and stored constants by their numbers (core/operators/values), as struct and torch name them.
TENSOR_TYPES = ["float32", "float16", "int64", "int32", "int8", "uint8", "bool", None, "float64", "bfloat16", "int16"]
STORED_TYPES = ["float32", "int64", "bool", "float16", "float64"]
ROLES = {"weight": b"weight", "bias": b"bias"}
SEEDED_AT_ONCE = 1 << 22  # numbers


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def seeded_values(name, dims):
    """As core/operators/parameter_values.cpp draws them, to the last bit."""
    state = 0xCBF29CE484222325
    for byte in name:
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    count = math.prod(dims)
    fan_in = dims[1] if len(dims) == 3 else count // dims[0] if len(dims) >= 2 and dims[0] else 0
    scale = float32(math.sqrt(3.0 / fan_in) if fan_in else 0.05)
    values = torch.empty(count, dtype=torch.float32)
    for first in range(0, count, SEEDED_AT_ONCE):
        z = torch.arange(first + 1, min(first + SEEDED_AT_ONCE, count) + 1, dtype=torch.int64)
        z = z * signed(0x9E3779B97F4A7C15) + signed(state)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z = (z ^ ((z >> shift) & ((1 << (64 - shift)) - 1))) * signed(factor)
        bits = ((z ^ ((z >> 31) & ((1 << 33) - 1))) >> 40) & ((1 << 24) - 1)
        values[first : first + len(z)] = (bits.to(torch.float32) * 2.0**-23 - 1.0) * scale
    return values.reshape(dims)


def tensor_from(data, type_name, dims, what):
    """float32, as all that statements compute with."""
    count, form = math.prod(dims), getattr(torch, type_name)
    if len(data) != count * torch.empty(0, dtype=form).element_size():
        raise Refused(INVALID_INPUT, f"a message between the program and its worker is wrong: the values of {what}")
    if not count:
        return torch.zeros(dims)
    writable = data if isinstance(data, bytearray) else bytearray(data)
    return torch.frombuffer(writable, dtype=form).reshape(dims).to(torch.float32)


def constant_values(parameter):
    dims = parameter.shape.dims if parameter.shape else []
    if parameter.seeded:
        return seeded_values(parameter.name, dims)
    if parameter.stored >= len(STORED_TYPES):
        raise Refused(INVALID_INPUT, f"{text_of(parameter.name)} has numbers of an unknown type")
    return tensor_from(parameter.values, STORED_TYPES[parameter.stored], dims, text_of(parameter.name))


def grown(kernels):
    """Kernels of convolutions, each centred in the largest."""
    height, width = (max(kernel.shape[axis] for kernel in kernels) for axis in (2, 3))
    made = []
    for kernel in kernels:
        top, left = (height - kernel.shape[2]) // 2, (width - kernel.shape[3]) // 2
        made.append(F.pad(kernel, (left, width - kernel.shape[3] - left, top, height - kernel.shape[2] - top)))
    return made


class Item:
    """What one launch computes: an operator, or several merged."""

    def __init__(self, function, own, operators, stage=0xFFFFFFFF, group=0):
        self.function, self.own, self.operators, self.stage, self.group = function, own, operators, stage, group

    def __call__(self, t):
        self.function(self.own, t)

    def at(self, stage, group):
        return Item(self.function, self.own, self.operators, stage, group)


class StageProgram:
    """Groups that run concurrently, and the turns in which they are launched: pairs of a group and items."""

    def __init__(self, groups, turns):
        self.groups, self.turns = groups, turns


class LaunchProgram:
    """A launch of a schedule of streams; `waits`: for earlier launches on other streams."""

    def __init__(self, item, stream, waits):
        self.item, self.stream, self.waits = item, stream, waits


class Program:
    """A schedule that is ready to run: stages, or else launches on streams."""

    def __init__(self, stages, launches=(), streams=0):
        self.stages, self.launches, self.streams = stages, list(launches), streams
        self.awaited = {before for launch in self.launches for before in launch.waits}

    def items(self):
        if self.launches:
            return [launch.item for launch in self.launches]
        return [item for stage in self.stages for group in stage.groups for item in group]


class Session:
    """`told(name)` is called before an operator is made ready, `check_stop()` where work can end."""

    def __init__(self, options, graph, python, told, check_stop):
        self.options, self.graph, self.told, self.check_stop = options, graph, told, check_stop
        self.device = torch.device(options.kind, options.number) if options.kind == "cuda" else torch.device("cpu")
        if python is None or len(python.operators) != len(graph.operators) or len(python.tensors) != len(graph.tensors):
            raise Refused(INVALID_INPUT, "the program sent no statements for PyTorch with the graph")
        self.names = [text_of(name) for name in python.tensors]
        self.constants = SimpleNamespace()
        self.weights = {}  # by operator and role, for merges
        self.merges = {}
        self.load_constants(python.constants)
        self.items = [
            Item(self.compiled(lines.lines, place), self.constants, [place]) for place, lines in enumerate(python.operators)
        ]
        self.runner = (GpuRunner if options.kind == "cuda" else CpuRunner)(self)
        self.tensors = self.with_inputs([self.drawn_input(place) for place in graph.inputs])
        self.run_alone()

    def name(self, operator):
        return text_of(self.graph.operators[operator].name)

    def laid_out(self, x):
        x = x.to(self.device)
        if self.options.channels_last and x.dim() == 4:
            return x.contiguous(memory_format=torch.channels_last)
        return x.contiguous()

    def load_constants(self, constants):
        for constant in constants:
            if constant.op >= len(self.graph.operators):
                raise Refused(INVALID_INPUT, "a constant of an operator that is not in the graph")
            operator = self.graph.operators[constant.op]
            if constant.parameter >= len(operator.parameters):
                raise Refused(INVALID_INPUT, f"operator {text_of(operator.name)} has no such constant")
            parameter = operator.parameters[constant.parameter]
            value = self.laid_out(constant_values(parameter))
            setattr(self.constants, text_of(constant.name), value)
            self.weights[constant.op, parameter.role] = value
        for operator in self.graph.operators:
            for parameter in operator.parameters:
                parameter.values = b""  # they are in memory once

    @staticmethod
    def compiled(lines, what):
        source = "def run(self, t):\n" + "".join(f"    {text_of(line)}\n" for line in lines)
        scope = {"torch": torch, "F": F, "max_pool": max_pool, "average_pool": average_pool}
        try:
            exec(compile(source, f"operator {what}", "exec"), scope)
        except SyntaxError as error:
            raise Refused(INVALID_INPUT, f"the statements of operator {what} are no Python: {error}") from None
        return scope["run"]

    def drawn_input(self, place):
        tensor = self.graph.tensors[place]
        dims = tensor.shape.dims if tensor.shape else []
        return seeded_values(tensor.name, [math.prod(dims)]).reshape(dims) * 20  # in [-1, 1)

    def with_inputs(self, values):
        t = SimpleNamespace()
        for place, value in zip(self.graph.inputs, values):
            setattr(t, self.names[place], self.laid_out(value))
        return t

    def run_alone(self):
        """Every operator once, so that each stage has the tensors that it reads, and what fails has a name."""
        for place, item in enumerate(self.items):
            self.check_stop()
            self.told(bytes(self.graph.operators[place].name))
            try:
                item(self.tensors)
            except Exception as error:
                raise within("operator " + self.name(place), refusal_of(error)) from error
        self.runner.finish()
        self.told(b"")

    def merged(self, python, operators):
        """The members' weights as one (schedule/merge.h): kernels each centred in the largest, channels or columns stacked."""
        key = tuple(operators)
        if key in self.merges:
            return self.merges[key]
        if python is None or len(operators) < 2:
            raise Refused(INVALID_INPUT, "the program sent no statements for PyTorch with a merge")
        kernels = [self.weights[operator, ROLES["weight"]] for operator in operators]
        biases = []
        for operator, kernel in zip(operators, kernels):
            bias = self.weights.get((operator, ROLES["bias"]))
            biases.append(bias if bias is not None else torch.zeros(kernel.shape[python.axis], device=self.device))
        if kernels[0].dim() == 4:
            kernels = grown(kernels)
        own = SimpleNamespace()
        setattr(own, text_of(python.weight), self.laid_out(torch.cat(kernels, python.axis)))
        if python.bias:
            setattr(own, text_of(python.bias), torch.cat(biases))
        self.merges[key] = Item(self.compiled(python.lines, "merge"), own, list(operators))
        return self.merges[key]

    def item_of(self, operators, python):
        if any(operator >= len(self.items) for operator in operators) or not operators:
            raise Refused(INVALID_INPUT, "a schedule with an operator that is not in the graph")
        return self.items[operators[0]] if len(operators) == 1 else self.merged(python, operators)

    def stage_program(self, stage, number):
        groups = [list(group.operators) for group in stage.groups]
        if stage.merge:
            item = self.item_of([operator for group in groups for operator in group], stage.python).at(number, 0)
            return StageProgram([[item]], [(0, [item])])
        made = [[self.item_of([each], None).at(number, place) for each in group] for place, group in enumerate(groups)]
        if not stage.launch_order:
            return StageProgram(made, list(enumerate(made)))
        by_operator = {item.operators[0]: item for group in made for item in group}
        if sorted(stage.launch_order) != sorted(by_operator):
            raise Refused(INVALID_INPUT, "a launch order of other operators than those of its stage")
        turns = []
        for operator in stage.launch_order:
            item = by_operator[operator]
            if not turns or turns[-1][0] != item.group:
                turns.append((item.group, []))
            turns[-1][1].append(item)
        ordered = [[item for group, items in turns if group == place for item in items] for place in range(len(made))]
        return StageProgram(ordered, turns)

    def program(self, schedule):
        if schedule.streams is None:
            return Program([self.stage_program(stage, number) for number, stage in enumerate(schedule.stages)])
        launches = []
        for place, launch in enumerate(schedule.streams.launches):
            if launch.stream >= schedule.streams.count or any(before >= place for before in launch.waits):
                raise Refused(INVALID_INPUT, "a schedule of streams that waits for what comes later")
            item = self.item_of(list(launch.operators), launch.python).at(0xFFFFFFFF, launch.stream)
            launches.append(LaunchProgram(item, launch.stream, list(launch.waits)))
        return Program([], launches, schedule.streams.count)

    def fresh(self):
        """The tensors, to be written anew by a program."""
        return SimpleNamespace(**vars(self.tensors))

    def measure(self, program, effort):
        with self.settings():
            return self.runner.measure(program, effort)

    def settings(self):
        if self.options.kind != "cuda":
            return contextlib.nullcontext()
        return tf32_settings("all" if self.options.tf32 else "none")

    def run(self, program, inputs):
        given = {bytes(value.name): value for value in inputs}
        values = []
        for place in self.graph.inputs:
            tensor = self.graph.tensors[place]
            dims, value = tensor.shape.dims if tensor.shape else [], given.get(bytes(tensor.name))
            if value is None:
                raise Refused(WRONG_USE, f"input {text_of(tensor.name)} is missing")
            if list(value.shape.dims if value.shape else []) != list(dims):
                raise Refused(WRONG_USE, f"input {text_of(tensor.name)} has another shape than {tuple(dims)}")
            name = TENSOR_TYPES[value.type] if value.type < len(TENSOR_TYPES) else None
            if name is None:
                raise Refused(WRONG_USE, f"input {text_of(tensor.name)} has a type that PyTorch does not have")
            values.append(tensor_from(value.values, name, dims, text_of(tensor.name)))
        t = self.with_inputs(values)
        with self.settings():
            self.runner.run(program, t)
            self.runner.finish()
        outputs = Message("Outputs")
        for place in self.graph.outputs:
            tensor = self.graph.tensors[place]
            value = getattr(t, self.names[place]).to("cpu", torch.float32).contiguous()
            outputs.tensors.append(
                Message("HostTensor", name=tensor.name, shape=tensor.shape, values=bytes_of(value), type=0)
            )
        return outputs


def bytes_of(value):
    """Row-major, little-endian float32, without numpy."""
    count = value.numel()
    return ctypes.string_at(value.data_ptr(), 4 * count) if count else b""


def refusal_of(error):
    """What PyTorch raised, as an answer."""
    if isinstance(error, Refused):
        return error
    text = str(error).strip().split("\n")[0] or type(error).__name__
    if isinstance(error, MemoryError) or "out of memory" in str(error) or "can't allocate memory" in str(error):
        return Refused(DEVICE_FAILED, f"there is not enough memory: {text}", "use a smaller batch", passes=True)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return Refused(DEVICE_FAILED, f"no space is left: {error}", "free some, or set TMPDIR to a folder that has space", passes=True)
    is_lost = "CUDA error" in str(error)
    return Refused(DEVICE_FAILED, f"PyTorch: {text}", worker_ends=is_lost)
