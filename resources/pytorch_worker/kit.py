# A kit (core/flow/kit/kit_folder.h): measures the stages of a folder, with no program at the other end, and writes the
# recording of their latencies. Whatever ends it, what was measured stays, and another run goes on.

KIT_USAGE = "python3 stagecraft_pytorch.py kit FOLDER [--device pytorch:cuda:0]"
KIT_TRIES = 3  # of a stage whose runs differ much
KIT_SPREAD = 0.1  # share of the mean
KIT_TELLS_EVERY = 10.0  # seconds, where standard error is no terminal


def kit_options(arguments):
    """The folder and the device, or None."""
    folder = device = None
    while arguments:
        word = arguments.pop(0)
        if word == "--device" and arguments:
            device = arguments.pop(0)
        elif word.startswith("-") or folder is not None:
            return None
        else:
            folder = word
    return (folder, device) if folder is not None else None


def first_device():
    load_torch()
    return "pytorch:cuda:0" if torch.cuda.is_available() and torch.cuda.device_count() > 0 else "pytorch:cpu"


def key_of(line):
    return json.dumps([line["strategy"], line["groups"]])


def numbers_of(sample):
    """Those of a line of a recording (core/timing/timing_record.h); what is not known is left out."""
    made = {"latency_us": sample.median_us, "mean_us": sample.mean_us}
    if sample.runs > 1:
        made.update(stddev_us=sample.stddev_us, runs=sample.runs)
    for name in ("clock_mhz", "memory_clock_mhz"):
        if getattr(sample, name):
            made[name] = getattr(sample, name)
    if sample.slowed_by:
        made["slowed_by"] = text_of(sample.slowed_by)
    return made


class Recording:
    """The file of latencies, which grows line by line. `numbers`: what a line says beside the stage, by key_of()."""

    NAMES = ("strategy", "groups", "signature")

    def __init__(self, path):
        self.path, self.numbers, self.header = path, {}, None
        try:
            self.file = open(path, "a+b", buffering=0)
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(WRONG_USE, f"another run writes {path}", "wait for it, or stop it") from None
        except OSError as error:
            raise Refused(INVALID_INPUT, f"{path} cannot be written: {error.strerror}", "copy the folder to where you may write") from None
        self.file.seek(0)
        data = self.file.read()
        self.end = data.rfind(b"\n") + 1
        if self.end < len(data):
            complain(f"the last line of {path} was cut off, and is measured again")
            self.file.truncate(self.end)
        for number, text in enumerate(data[: self.end].splitlines(), 1):
            self.take(number, text)

    def take(self, number, text):
        try:
            line = json.loads(text)
            if self.header is None:
                self.header = line
            else:
                self.numbers[key_of(line)] = {name: value for name, value in line.items() if name not in self.NAMES}
        except (ValueError, KeyError, TypeError):
            raise Refused(INVALID_INPUT, f"{self.path}: line {number} is not of a recording", "delete the file to begin anew") from None

    def write(self, lines):
        """All of them or none."""
        data = b"".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n" for line in lines)
        try:
            left = memoryview(data)
            while left:
                left = left[self.file.write(left) :]
            os.fsync(self.file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self.file.fileno(), self.end)
            reason = "no space is left" if error.errno == errno.ENOSPC else error.strerror
            raise Refused(INVALID_INPUT, f"{self.path} cannot be written: {reason}", "make room, and run the kit again: it goes on where it was") from None
        self.end += len(data)

    def add(self, stages, numbers):
        for stage in stages:
            self.numbers[key_of(stage)] = numbers
        self.write([{**{n: v for n, v in stage.items() if n != "signature"}, **numbers, "signature": stage["signature"]} for stage in stages])


class Kit:
    def __init__(self, folder, device):
        self.folder = folder
        self.manifest = self.read_manifest()
        self.device = device or self.manifest["device"] or first_device()
        self.recording = Recording(os.path.join(folder, self.manifest["recording"]))
        self.worker = Worker()
        self.refused = self.left_open = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def read_manifest(self):
        try:
            with open(self.path("kit.json"), encoding="utf-8") as file:
                manifest = json.load(file)
        except OSError as error:
            raise Refused(INVALID_INPUT, f"{self.path('kit.json')} cannot be read: {error.strerror}", "name the folder that stagecraft-cli kit wrote") from None
        except ValueError:
            manifest = {}
        if not isinstance(manifest, dict) or manifest.get("format") != "stagecraft-kit" or manifest.get("version") != 1:
            raise Refused(INVALID_INPUT, f"{self.path('kit.json')} is not of a kit that this worker knows", "use the stagecraft_pytorch.py of the folder")
        return manifest

    def requests(self, name):
        try:
            with open(self.path(name), "rb") as file:
                while True:
                    request = receive(file, "Request")
                    if request is None:
                        return
                    yield request
        except (OSError, NoMessage) as error:
            raise Refused(INVALID_INPUT, f"{self.path(name)} cannot be read: {error}", "copy the folder again") from None

    def ask(self, request):
        """The reply, or what is wrong as Refused."""
        reply = self.worker.handle(request)
        if reply.has("failure"):
            raise self.worker.refusal
        return reply

    def end_when_told(self):
        """Ctrl+C and time limits end it between two lines of the recording; a second time at once."""

        def end(number, _):
            signal.signal(number, signal.SIG_DFL)
            self.worker.stop.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end)

    def open(self):
        info = self.ask(Message("Request", version=PROTOCOL, describe=Message("Describe", device=self.device.encode()))).info
        if not info.available:
            raise Refused(DEVICE_FAILED, text_of(info.unavailable_reason))
        request = next(self.requests("open.bin"), None)
        if request is None or request.open is None:
            raise Refused(INVALID_INPUT, f"{self.path('open.bin')} opens no model", "copy the folder again")
        request.open.device = self.device.encode()
        complain(f"{self.manifest['model']} at batch {self.manifest['batch']} is opened on {as_text(info.title)}")
        self.ask(request)
        self.begin_recording(info)

    def begin_recording(self, info):
        fingerprint, header = as_text(info.fingerprint), self.recording.header
        if header is None:
            kit = {"model_sha256": self.manifest["model_sha256"], "round": self.manifest["round"]}
            self.recording.header = {
                **{"format": "stagecraft-latencies", "version": 1, "device": as_text(info.title)},
                **{"batch": self.manifest["batch"], "precision": as_text(info.precision), "model": self.manifest["model"]},
                **{"fingerprint": fingerprint, "engine": self.device},
                "kit": {**kit, "barrier_us": 0, "chain_us": 0, "chains_add_up": False},
            }
            self.recording.write([self.recording.header])
        elif header.get("fingerprint", fingerprint) != fingerprint or header.get("engine", self.device) != self.device:
            raise Refused(
                WRONG_USE,
                f"{self.recording.path} was measured on {header.get('device')} as {header.get('engine')}, and this is"
                f" {as_text(info.title)} as {self.device}: latencies of two devices make no schedule",
                "run the kit where its earlier rounds ran, or begin with a new kit",
            )

    def stages(self):
        """What is left to do: requests, and the lines that their answers make."""
        with open(self.path("stages.jsonl"), encoding="utf-8") as file:
            for request in self.requests("stages.bin"):
                text = file.readline()
                try:
                    lines = json.loads(text)
                    keys = [key_of(line) for line in lines]
                except (ValueError, KeyError, TypeError):
                    raise Refused(INVALID_INPUT, f"{self.path('stages.jsonl')} does not fit stages.bin", "copy the folder again") from None
                yield request, lines, keys

    def run(self):
        progress = KitProgress(self.manifest["stages"])
        for request, lines, keys in self.stages():
            self.worker.check_stop()
            known = next((self.recording.numbers[key] for key in keys if key in self.recording.numbers), None)
            left = [line for line, key in zip(lines, keys) if key not in self.recording.numbers]
            end = None
            if known is None:
                known, end = self.measured(request, lines[0])
                progress.measured += 1
            if left and known is not None:
                self.recording.add(left, known)
            if end is not None:
                raise end
            self.refused += known is not None and "refused" in known
            self.left_open += known is None
            progress.tell(self.refused)
        progress.end()

    def measured(self, request, line):
        """What the recording says of it, or None, and what ends the run, or None. A device that is lost with the stage is
        refused the next time, too; what only lacks memory or space is left for another run."""
        name = " | ".join(", ".join(group) for group in line["groups"])
        try:
            best = self.ask(request).sample
            for _ in range(KIT_TRIES - 1):
                if best.runs < 2 or best.stddev_us <= KIT_SPREAD * best.mean_us:
                    break
                best = min(best, self.ask(request).sample, key=lambda sample: sample.stddev_us / sample.mean_us)
            return numbers_of(best), None
        except Refused as error:
            if error.code == CANCELLED:
                raise
            reason = ": ".join(as_text(part) for part in error.context + [error.message])
            if error.passes:
                complain(f"the stage {{{name}}} is left for another run: {reason}")
                return None, None
            complain(f"the stage {{{name}}} is refused: {reason}")
            return {"refused": reason}, within(f"stage {{{name}}}", error) if error.worker_ends else None


class KitProgress:
    """A line on standard error that says how far it is: over and over on a terminal, now and then elsewhere."""

    def __init__(self, stages):
        self.stages, self.done, self.measured, self.begin, self.told = stages, 0, 0, time.monotonic(), 0.0
        self.is_terminal = sys.stderr.isatty()

    def tell(self, refused):
        self.done += 1
        now = time.monotonic()
        if now - self.told < (0.2 if self.is_terminal else KIT_TELLS_EVERY):
            return
        self.told = now
        left = (now - self.begin) / max(self.measured, 1) * (self.stages - self.done)
        text = f"{self.done} of {self.stages} stages, {refused} refused, about {left:.0f} s left"
        if self.is_terminal:
            print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)
        else:
            complain(text)

    def end(self):
        if self.is_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def as_text(value):
    return value if isinstance(value, str) else text_of(value)


def tell_refusal(error):
    parts = [as_text(each) for each in error.context] + [as_text(error.message)]
    complain(": ".join(parts) + (f". {as_text(error.remedy)}" if error.remedy else ""))


def kit_main(arguments):
    """The exit status, as that of stagecraft-cli."""
    options = kit_options(list(arguments))
    if options is None:
        complain(f"use it as in {KIT_USAGE}")
        return 2
    try:
        kit = Kit(*options)
        kit.end_when_told()
        kit.open()
        kit.run()
    except Refused as error:
        if error.code == CANCELLED:
            complain("stopped: what was measured is kept, and another run goes on")
        else:
            tell_refusal(error)
        return {WRONG_USE: 2, INVALID_INPUT: 3, CANCELLED: 130}.get(error.code, 4)
    stages, refused = kit.manifest["stages"] - kit.left_open, kit.refused
    complain(
        f"{stages} stages are in {kit.recording.path}{f', {refused} of them refused' if refused else ''}. Where Stagecraft is:"
        f" stagecraft-cli optimize MODEL -d rec:{kit.manifest['recording']} --kit-next (README.md)"
    )
    return 0
