# Requests and their answers.

HEARTBEAT = 0.5  # seconds


def complain(text):
    print(f"stagecraft: {text}", file=sys.stderr, flush=True)


class DeviceLock:
    """The files of core/device/executing/device_lock.cpp: first come, first served, among all programs of the machine."""

    def __init__(self, hardware):
        folder = os.environ.get("TMPDIR") or "/tmp"
        self.paths = [os.path.join(folder, f"stagecraft-{hardware}.{kind}") for kind in ("queue", "lock")]

    @staticmethod
    def opened(path):
        how = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        for flags in (0, os.O_CREAT | os.O_EXCL, 0):
            try:
                file = os.open(path, how | flags, 0o644)
            except FileNotFoundError:
                continue
            except OSError as error:
                if error.errno == errno.EEXIST:
                    continue
                return None
            if flags:
                os.fchmod(file, 0o644)
            if stat.S_ISREG(os.fstat(file).st_mode):
                return file
            os.close(file)
            return None
        return None

    def can_be_taken(self):
        files = [self.opened(path) for path in self.paths]
        for file in files:
            if file is not None:
                os.close(file)
        return None not in files

    @staticmethod
    def taken(file, check_stop):
        while file is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                check_stop()
                time.sleep(0.001)

    @contextlib.contextmanager
    def held(self, check_stop):
        """Without waiting where no file can be opened."""
        line, own = self.opened(self.paths[0]), None
        try:
            self.taken(line, check_stop)
            own = self.opened(self.paths[1])
            self.taken(own, check_stop)
            os.close(line) if line is not None else None
            line = None
            yield
        finally:
            for file in (line, own):
                if file is not None:
                    os.close(file)

    def holder(self):
        """The program that has it, for people, or an empty text."""
        with contextlib.suppress(OSError, ValueError):
            status = os.stat(self.paths[1])
            wanted = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
            for line in read_file("/proc/locks").splitlines():
                words = line.split()
                if len(words) > 5 and words[1] == "FLOCK" and words[5] == wanted and int(words[4]) > 0:
                    return program_of(int(words[4]))
        return ""


def program_of(process):
    """"stagecraft-cli optimize nasnet (process 12)": for a worker, the program that started it."""
    found = re.match(r"\d+ \((.*)\) \S (\d+)", read_file(f"/proc/{process}/stat"), re.DOTALL)
    if found and found.group(1).startswith("stagecraft-work") and int(found.group(2)) > 1:
        process = int(found.group(2))
    words = read_file(f"/proc/{process}/cmdline").rstrip("\0").split("\0")
    words[0] = os.path.basename(words[0])
    return f"{' '.join(words)[:80]} (process {process})"


class Worker:
    """Answers one request after another. `told(name)`: see Session; `stop`: an event that ends the request."""

    def __init__(self, told=lambda name: None):
        self.told, self.stop, self.session, self.lock = told, threading.Event(), None, None
        self.waits_since, self.refusal, self.kept = None, None, None

    def check_stop(self):
        if self.stop.is_set():
            raise Refused(CANCELLED, "stopped")

    def handle(self, request):
        """The one reply to it."""
        reply = Message("Reply", version=PROTOCOL, id=request.id)
        try:
            self.answer(request, reply)
        except Exception as error:
            refused = self.refusal = refusal_of(error)
            if refused is not error and not isinstance(error, (MemoryError, OSError, RuntimeError)):
                traceback.print_exc()
            reply.failure = Message(
                "Failure",
                code=refused.code,
                message=refused.message,
                remedy=refused.remedy,
                context=refused.context,
                worker_ends=refused.worker_ends,
            )
        return reply

    def answer(self, request, reply):
        if request.version != PROTOCOL:
            raise Refused(
                DEVICE_FAILED,
                f"this worker speaks version {PROTOCOL} of the protocol, the program {request.version}",
                "use the worker that belongs to the program",
            )
        if request.has("describe"):
            reply.info = described(Options(text_of(request.describe.device)))
        elif request.has("list_devices"):
            reply.devices = Message("Devices", devices=listed(request.list_devices.with_load))
        elif request.has("weights"):
            names = [text_of(name) for name in request.weights.sha256]
            reply.lacking = Message("Weights", sha256=self.weights().lacking(names))
        elif request.has("keep_values"):
            self.weights().keep(text_of(request.keep_values.sha256), request.keep_values.values)
            reply.lacking = Message("Weights")
        elif request.has("open"):
            self.open(request.open, reply)
        elif self.session is None:
            raise Refused(WRONG_USE, "no graph is open")
        else:
            with self.turn():
                self.work(request, reply)

    @contextlib.contextmanager
    def turn(self):
        self.waits_since = time.monotonic()
        with self.lock.held(self.check_stop):
            self.waits_since = None
            yield

    def weights(self):
        self.kept = self.kept or own_weights()
        return self.kept

    def fill_in(self, graph):
        """Puts in the values that are only named. Returns the names of those that it lacks."""
        lacking = []
        for operator in graph.operators:
            for parameter in operator.parameters:
                if parameter.sha256:
                    values = self.weights().values(text_of(parameter.sha256))
                    if values is None:
                        lacking.append(parameter.sha256)
                    else:
                        parameter.values = values
        return lacking

    def open(self, request, reply):
        self.session = None
        if request.graph is None:
            raise Refused(INVALID_INPUT, "the request to open a graph has none")
        lacking = self.fill_in(request.graph)
        if lacking:
            reply.lacking = Message("Weights", sha256=lacking)
            return
        options = Options(text_of(request.device))
        settled(options)
        self.lock = DeviceLock(hardware_name(options))
        with self.turn():  # it runs the operators
            self.session = Session(options, request.graph, request.python, self.told, self.check_stop)
        reply.opened = Message("Opened", no_turns=not self.lock.can_be_taken())

    def work(self, request, reply):
        session, efforts = self.session, EFFORTS[self.session.options.kind]
        if request.has("measure_stage"):
            program = Program([session.stage_program(request.measure_stage, 0)])
            reply.sample = session.measure(program, efforts[0])
        elif request.has("measure_whole"):
            reply.sample = session.measure(session.program(request.measure_whole), efforts[1])
        elif request.has("timeline"):
            reply.timeline = timeline(session, session.program(request.timeline))
            reply.profiled = session.options.kind == "cuda"  # CUPTI may slow down what follows
        elif request.has("run"):
            reply.outputs = session.run(session.program(request.run.schedule or Message("Schedule")), request.run.inputs)
        else:
            raise Refused(WRONG_USE, "this worker does not answer such requests")

    def wait(self):
        """A heartbeat."""
        beat, since = Message("Heartbeat"), self.waits_since
        if since is not None:
            beat.waiting, beat.waited_seconds, beat.holder = True, time.monotonic() - since, self.lock.holder()
        return beat


class Server:
    """Reads requests on the thread that calls serve(), works on a second, and sends heartbeats on a third."""

    def __init__(self, source, output):
        self.source, self.output, self.sending = source, output, threading.Lock()
        self.requests, self.guard, self.current, self.cancelled = queue.SimpleQueue(), threading.Lock(), None, set()
        self.worker = Worker(self.tell)

    def serve(self):
        for task in (self.work, self.beat):
            threading.Thread(target=task, daemon=True).start()
        try:
            while True:
                request = receive(self.source, "Request")
                if request is None:
                    return
                self.take(request)
        except NoMessage as error:
            complain(f"the worker for PyTorch was sent something else than a message: {error}")
            os._exit(1)

    def take(self, request):
        if not request.has("cancel"):
            self.requests.put(request)
            return
        with self.guard:
            if self.current == request.id:
                self.worker.stop.set()
            else:
                self.cancelled.add(request.id)

    def work(self):
        while True:
            request = self.requests.get()
            with self.guard:
                if request.id in self.cancelled:
                    continue
                self.current = request.id
                self.worker.stop.clear()
            reply = self.worker.handle(request)
            with self.guard:
                self.current = None
            self.say(reply)
            if reply.has("failure") and reply.failure.worker_ends:
                os._exit(1)  # what a GPU left behind may hang

    def tell(self, name):
        if self.current is not None:
            self.say(Message("Reply", version=PROTOCOL, id=self.current, heartbeat=Message("Heartbeat", preparing=name)))

    def beat(self):
        while True:
            time.sleep(HEARTBEAT)
            current = self.current
            if current is not None:
                self.say(Message("Reply", version=PROTOCOL, id=current, heartbeat=self.worker.wait()))

    def say(self, reply):
        data = framed(reply)
        with self.sending:
            try:
                while data:
                    data = data[os.write(self.output, data) :]
            except OSError:
                os._exit(0)  # the program is gone


def take_name():
    """That of our other worker, by which programs tell people who uses a device (running_program.cpp)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(15, b"stagecraft-worker", 0, 0, 0)  # PR_SET_NAME


def main():
    if sys.argv[1:2] == ["kit"]:
        os._exit(kit_main(sys.argv[2:]))  # without waiting for threads that measure
    if len(sys.argv) > 1 or sys.stdin is None or sys.stdin.isatty():
        print(
            "This is a worker of Stagecraft: stagecraft and stagecraft-cli start it to measure with PyTorch, as in\n"
            "stagecraft-cli optimize MODEL --device pytorch:cpu. By itself it measures the folder of a kit:\n" + KIT_USAGE,
            file=sys.stderr,
        )
        return 2
    take_name()
    output = os.dup(1)  # what libraries print goes to standard error: this is only for messages
    os.dup2(2, 1)
    Server(open(0, "rb", closefd=False), output).serve()
    os._exit(0)  # nobody waits for the current request any more, and it may be stuck


if __name__ == "__main__":
    sys.exit(main())
