"""A torch.cuda without a GPU, for exported modules: operators run on the CPU, and what a GPU would be given is recorded.

Long operators compute no numbers but where a captured graph is replayed. Recorded are launches with the stream they are on, what they read and write, events, waits and captures; the allocator is that of
torch.cuda: a block goes back to the stream that it was made for as soon as nobody holds it, and the next one of that stream gets
its bytes. A record is a file of launches, as `stagecraft-cli verify` reads it.
"""
import contextlib
import json
import types
import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map


class Stream:
    """Its clock has, for each stream, after how many of its steps it comes."""

    def __init__(self, record, name):
        self.record, self.name = record, name
        self.clock = {self: 0}

    def record_event(self):
        self.record.events += 1
        event = Event(f"event {self.record.events}", dict(self.clock))
        self.record.program.steps.append({"record": event.name, "stream": self.name})
        return event

    def wait_event(self, event):
        self.record.waits += 1
        if self.record.waits == self.record.dropped:
            return
        self.record.program.steps.append({"wait": event.name, "stream": self.name})
        for stream, time in event.clock.items():
            self.clock[stream] = max(self.clock.get(stream, 0), time)

    def wait_stream(self, other):
        self.wait_event(other.record_event())

    def step(self):
        self.clock[self] += 1
        return self, self.clock[self]

    def follows(self, step):
        return self.clock.get(step[0], 0) >= step[1]


class Event:
    def __init__(self, name, clock):
        self.name, self.clock = name, clock


class Block:
    """Bytes of a tensor, and who used them last."""

    def __init__(self, name, stream, pool, begin, size):
        self.name, self.stream, self.pool, self.begin, self.size = name, stream, pool, begin, size
        self.holders = 0
        self.used_on = set()  # as record_stream() says
        self.steps = []

    def place(self):
        return {"arena": "allocator", "begin": self.begin, "end": self.begin + self.size} if self.size else {}


class Allocator:
    """Counts. `too_early`: blocks whose bytes a launch got before others that used them had to end."""

    GRAIN = 512

    def __init__(self):
        self.end = 0
        self.free = {}  # by pool and stream: (size, begin, steps of those who used the bytes)
        self.made = self.reused = self.given_back = self.too_early = 0

    def allocate(self, name, stream, pool, size):
        size = -(-max(size, 1) // self.GRAIN) * self.GRAIN
        self.made += 1
        fitting = sorted(each for each in self.free.get((pool, stream), []) if each[0] >= size)
        if not fitting:
            self.end += size
            return Block(name, stream, pool, self.end - size, size)
        rest, begin, steps = fitting[0]
        self.free[pool, stream].remove(fitting[0])
        if rest > size:
            self.free[pool, stream].append((rest - size, begin + size, steps))
        self.reused += 1
        self.too_early += not all(stream.follows(step) for step in steps)
        return Block(name, stream, pool, begin, size)

    def give_back(self, block):
        self.given_back += 1
        if not block.used_on - {block.stream}:  # others keep it until their events, which no host waits for here
            self.free.setdefault((block.pool, block.stream), []).append((block.size, block.begin, block.steps))


class Program:
    """What a GPU is given, in order; `origin`: the stream that a capture began on."""

    def __init__(self, origin=None, options=None, waits_before=0):
        self.origin, self.options, self.waits_before = origin, options, waits_before
        self.memory, self.steps = {}, []
        self.tf32, self.labels = [], []  # of each launch
        self.ranges = set()

    def listed(self, blocks):
        for block in blocks:
            self.memory.setdefault(block.name, block)
        return [block.name for block in blocks]

    def write(self, path, outputs=()):
        """The file of launches; blocks of `outputs` are read after the last."""
        memory = [{"name": name, "output": block in outputs, **block.place()} for name, block in self.memory.items()]
        plan = {"kind": "launches", "version": 1, "memory": memory, "steps": self.steps}
        if self.origin:
            plan["origin"] = self.origin.name
        with open(path, "w", encoding="utf-8") as file:
            json.dump(plan, file)


class Record(TorchDispatchMode):
    """What a GPU is given while this is entered. `dropped`: the wait that is left out, counted from 1."""

    def __init__(self, dropped=None):
        super().__init__()
        self.dropped = dropped
        self.events = self.waits = self.streams = 0
        self.names = []  # of the ranges that are open
        self.main = self.current = self.new_stream("main")
        self.allocator = Allocator()
        self.blocks = {}  # by id of a tensor that is there
        self.graph = None  # that is being captured
        self.programs = [Program()]
        self.outputs = []  # blocks, of the last run

    @property
    def program(self):
        return self.programs[-1]

    def new_stream(self, name=None):
        self.streams += 1
        return Stream(self, name or f"stream {self.streams}")

    def __torch_dispatch__(self, function, kinds, arguments=(), options=None):
        options = options or {}
        known = {storage(tensor): self.block_of(tensor) for tensor in tensors_in((arguments, options))}
        read = list(known.values())
        written = [known[storage(tensor)] for tensor in written_by(function, arguments, options)]
        outputs = without_numbers(function, arguments) if function in LONG else function(*arguments, **options)
        for output in tensors_in(outputs):
            if storage(output) not in known:
                name = f"{' / '.join(self.names)} #{self.allocator.made + 1}"
                size = output.numel() * output.element_size()
                known[storage(output)] = self.allocator.allocate(name, self.current, self.graph, size)
                written.append(known[storage(output)])
            self.hold(output, known[storage(output)])
        if written:  # else it is a view
            self.launch(str(function), read, written)
        if self.graph:
            self.graph.calls.append(tree_map(alias, (function, arguments, options, outputs)))
        return outputs

    def launch(self, what, read, written):
        step = self.current.step()
        for block in read + written:
            block.steps.append(step)
        program = self.program
        program.tf32.append(tf32_now())
        program.labels.append(" / ".join(self.names))
        program.steps.append(
            {
                "launch": f"{' / '.join(self.names)} {what} {len(program.steps)}",
                "stream": self.current.name,
                "reads": program.listed(read),
                "writes": program.listed(written),
            }
        )

    def block_of(self, tensor):
        """Of a tensor that was there before the record: with bytes of its own."""
        if id(tensor) not in self.blocks:
            self.hold(tensor, Block(f"given {tuple(tensor.shape)} #{len(self.blocks)}", None, None, None, 0))
        return self.blocks[id(tensor)]

    def hold(self, tensor, block):
        if id(tensor) not in self.blocks:
            block.holders += 1
            self.blocks[id(tensor)] = block
            weakref.finalize(tensor, self.let_go, id(tensor))

    def let_go(self, key):
        block = self.blocks.pop(key)
        block.holders -= 1
        if block.holders == 0 and block.size:
            self.allocator.give_back(block)

    @contextlib.contextmanager
    def on(self, stream):
        before, self.current = self.current, stream
        try:
            yield
        finally:
            self.current = before

    @contextlib.contextmanager
    def named(self, annotation):
        """As mark_kernels() of torch.cuda.graph_annotations."""
        place = ", ".join(f"{word} {value}" for word, value in annotation.items() if word != "name")
        names = [place] * bool(place) + [annotation["name"]]
        for name in names:
            self.push(name)
        try:
            yield
        finally:
            for _ in names:
                self.names.pop()

    def push(self, name):
        self.names.append(name)
        self.program.ranges.add(" / ".join(self.names))

    def synchronize(self):
        self.program.steps.append({"synchronize": True})


class Graph:
    """A torch.cuda.CUDAGraph."""

    def __init__(self):
        self.calls = []

    def replay(self):
        for function, arguments, options, outputs in self.calls:
            made = function(*arguments, **options)
            for to, value in zip(tensors_in(outputs), tensors_in(made), strict=True):
                to.copy_(value)


def fake_torch(record, is_new):
    """A torch whose GPU is `record`; is_new: captures as in 2.15, with annotations, else as in 1.13."""

    class Capture:
        def __init__(self, cuda_graph, pool=None, stream=None, **options):
            self.graph, self.options = cuda_graph, options
            self.on = record.on(stream or record.new_stream("capture"))

        def __enter__(self):
            record.synchronize()
            self.on.__enter__()
            record.graph = self.graph
            record.programs.append(Program(record.current, self.options, record.waits))

        def __exit__(self, *error):
            record.graph = None
            record.programs.append(Program())
            self.on.__exit__(*error)

    class NewCapture(Capture):
        def __init__(
            self, cuda_graph, pool=None, stream=None, capture_error_mode="global", enable_annotations=False
        ):
            super().__init__(
                cuda_graph, pool, stream, capture_error_mode=capture_error_mode, enable_annotations=enable_annotations
            )

    @contextlib.contextmanager
    def mark_kernels(annotation):
        if record.graph is None or not record.program.options["enable_annotations"]:
            yield
            return
        with record.named(annotation):
            yield

    class OldCapture(Capture):
        def __init__(self, cuda_graph, pool=None, stream=None):
            super().__init__(cuda_graph, pool, stream)

    cuda = types.SimpleNamespace(
        Stream=lambda device=None: record.new_stream(),
        CUDAGraph=Graph,
        current_stream=lambda device=None: record.current,
        graph=NewCapture if is_new else OldCapture,
        nvtx=types.SimpleNamespace(range_push=record.push, range_pop=record.names.pop),
        stream=record.on,
        synchronize=record.synchronize,
    )
    if is_new:
        cuda.graph_annotations = types.SimpleNamespace(is_available=lambda: True, mark_kernels=mark_kernels)
    torch.Tensor.record_stream = lambda tensor, stream: record.block_of(tensor).used_on.add(stream)
    return Torch(cuda)


class Torch:
    """The module torch with another `cuda`, and tensors of that on the CPU."""

    def __init__(self, cuda):
        self.cuda = cuda

    def __getattr__(self, name):
        return getattr(torch, name)

    def zeros(self, shape, device):
        return torch.zeros(shape)


def tensors_in(values):
    return [value for value in tree_flatten(values)[0] if isinstance(value, torch.Tensor)]


def storage(tensor):
    return (tensor.untyped_storage if hasattr(tensor, "untyped_storage") else tensor.storage)().data_ptr()


LONG = {torch.ops.aten.convolution.default, torch.ops.aten.max_pool2d_with_indices.default, torch.ops.aten.avg_pool2d.default}


def without_numbers(function, arguments):
    """What the function makes, not filled."""
    return tree_map(
        lambda made: torch.empty_strided(made.shape, made.stride(), dtype=made.dtype),
        function(*tree_map(on_meta, arguments)),
    )


def on_meta(value):
    return value.to("meta") if isinstance(value, torch.Tensor) else value


def alias(value):
    """Shares the storage of a tensor and does not count as its holder."""
    return value.detach() if isinstance(value, torch.Tensor) else value


def written_by(function, arguments, options):
    schema = function._schema.arguments
    given = list(zip(schema, arguments)) + [(each, options[each.name]) for each in schema if each.name in options]
    return tensors_in([value for each, value in given if each.alias_info is not None and each.alias_info.is_write])


def tf32_now():
    """Of convolutions and products."""
    cudnn, products = torch.backends.cudnn, torch.backends.cuda.matmul
    if hasattr(cudnn, "conv"):
        return cudnn.conv.fp32_precision == "tf32", products.fp32_precision == "tf32"
    return cudnn.allow_tf32, products.allow_tf32
