# Which devices there are, and what is known of them.


class Options:
    """Of a device's id: pytorch:cpu[:THREADS][:channels-last], pytorch:cuda:NUMBER[:tf32][:channels-last]."""

    def __init__(self, device_id):
        self.id = device_id
        words = device_id.split(":")
        known = {"cpu": ["channels-last"], "cuda": ["tf32", "channels-last"]}
        if len(words) < 2 or words[0] != "pytorch" or words[1] not in known:
            raise Refused(WRONG_USE, f"the worker for PyTorch has no device {device_id}", "it has pytorch:cpu and pytorch:cuda:0")
        self.kind, rest = words[1], words[2:]
        has_number = bool(rest) and rest[0].isdecimal()
        self.number = int(rest.pop(0)) if has_number else 0
        if self.kind == "cuda" and not has_number:
            raise Refused(WRONG_USE, f"the device {device_id} has no number", "use pytorch:cuda:0")
        for word in rest:
            if word not in known[self.kind]:
                raise Refused(WRONG_USE, f"{device_id} has an unknown option {word}", "known are " + ", ".join(known[self.kind]))
        self.tf32, self.channels_last = "tf32" in rest, "channels-last" in rest
        self.threads = self.number if self.kind == "cpu" and self.number else len(os.sched_getaffinity(0))


def read_file(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def processor_name():
    found = re.search(r"^(?:model name|Model)\s*:\s*(.*)$", read_file("/proc/cpuinfo"), re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def processor_clock():
    """Of the first processor that this may run on, as core/device/executing/processor_clock.cpp reads it."""
    number = min(os.sched_getaffinity(0))
    khz = read_file(f"/sys/devices/system/cpu/cpu{number}/cpufreq/scaling_cur_freq").strip()
    if khz.isdecimal() and int(khz) > 0:
        return round(int(khz) / 1000), 0, ""
    for text in read_file("/proc/cpuinfo").split("\n\n"):
        lines = dict(re.findall(r"^([^:\t]+)\s*:\s*(.*)$", text, re.MULTILINE))
        if lines.get("processor") == str(number) and "aperfmperf" in lines.get("flags", "").split():
            return round(float(lines.get("cpu MHz", 0))), 0, ""
    return 0, 0, ""


class GpuClocks:
    """What the driver says through NVML; zeros where it does not."""

    REASONS = {
        0x4: "power limit",
        0x8: "hardware slowdown",
        0x10: "sync boost",
        0x20: "temperature (software)",
        0x40: "temperature (hardware)",
        0x80: "power brake",
    }

    def __init__(self, number):
        self.nvml, self.device = None, ctypes.c_void_p()
        with contextlib.suppress(OSError, AttributeError):
            nvml = ctypes.CDLL("libnvidia-ml.so.1")
            bus = gpu_bus_id(number).encode()
            if nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetHandleByPciBusId_v2(bus, ctypes.byref(self.device)) == 0:
                self.nvml = nvml

    def number(self, function, *arguments, kind=ctypes.c_uint):
        value = kind()
        called = getattr(self.nvml, function, None)
        return value.value if called and called(self.device, *arguments, ctypes.byref(value)) == 0 else 0

    def read(self):
        if self.nvml is None:
            return 0, 0, ""
        reasons = self.number("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong)
        slowed_by = ", ".join(text for bit, text in self.REASONS.items() if reasons & bit)
        return self.number("nvmlDeviceGetClockInfo", 1), self.number("nvmlDeviceGetClockInfo", 2), slowed_by

    def driver(self):
        text = ctypes.create_string_buffer(96)
        if self.nvml is None or self.nvml.nvmlSystemGetDriverVersion(text, len(text)) != 0:
            return "unknown"
        return text.value.decode("ascii", "replace")


def gpu_bus_id(number):
    """"0000:3b:00.0", or an empty text where the driver does not say."""
    with contextlib.suppress(OSError, AttributeError):
        driver, device, text = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.create_string_buffer(32)
        if (
            driver.cuInit(0) == 0
            and driver.cuDeviceGet(ctypes.byref(device), number) == 0
            and driver.cuDeviceGetPCIBusId(text, len(text), device) == 0
        ):
            return text.value.decode("ascii", "replace")
    return ""


def hardware_name(options):
    """As LocalHardware::name() of our own devices: who uses the same hardware waits for it."""
    if options.kind == "cpu":
        return "cpu"
    return "gpu-" + (gpu_bus_id(options.number) or str(options.number))


def version_of(text):
    found = re.match(r"(\d+)\.(\d+)", text)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def check_version(version):
    if version_of(version) < LEAST_TORCH:
        raise Refused(DEVICE_FAILED, f"{sys.executable} has PyTorch {version}, which is too old", HOW_TO_GET_IT)


def missing():
    return Refused(DEVICE_FAILED, f"{sys.executable} has no PyTorch", HOW_TO_GET_IT)


def check_python():
    if sys.version_info < LEAST_PYTHON:
        raise Refused(
            DEVICE_FAILED,
            f"{sys.executable} is Python {platform.python_version()}, which is too old",
            "set STAGECRAFT_PYTHON to Python {}.{} or newer with PyTorch".format(*LEAST_PYTHON),
        )


def load_torch():
    global torch, F
    if torch is not None:
        return
    check_python()
    settle_threads()
    try:
        import torch as loaded
        import torch.nn.functional as functions
    except ModuleNotFoundError as error:
        if error.name == "torch":
            raise missing() from None
        raise Refused(DEVICE_FAILED, f"PyTorch of {sys.executable} does not load: {error}", HOW_TO_GET_IT) from error
    except Exception as error:
        line = str(error).strip().split("\n")[0]
        raise Refused(DEVICE_FAILED, f"PyTorch of {sys.executable} does not load: {line}", HOW_TO_GET_IT) from error
    check_version(str(getattr(loaded, "__version__", "")))
    torch, F = loaded, functions
    torch.set_grad_enabled(False)


def settle_threads():
    """Threads that wait for others sleep soon (app/worker/main.cpp), and the device alone says how many there are."""
    for name in ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_DYNAMIC", "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"):
        os.environ.pop(name, None)
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler tells people nothing
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "2000")
        os.environ.setdefault("KMP_BLOCKTIME", "0")


def settled(options):
    """PyTorch, for work on this device."""
    load_torch()
    if options.kind == "cpu":
        torch.set_num_threads(options.threads)
        return
    reason = why_no_gpu(torch.version, torch.cuda.device_count() if torch.cuda.is_available() else 0, options.number)
    if reason:
        raise reason


def why_no_gpu(version, count, number):
    if version.cuda is None and getattr(version, "hip", None) is None:
        return Refused(DEVICE_FAILED, f"PyTorch {version.__version__} of {sys.executable} was built without CUDA", "install one with CUDA (pytorch.org)")
    if count == 0:
        return Refused(DEVICE_FAILED, "PyTorch finds no GPU", "check the driver (nvidia-smi) and CUDA_VISIBLE_DEVICES")
    if number >= count:
        return Refused(DEVICE_FAILED, f"PyTorch finds {count} GPU{'s' * (count > 1)}, counted from 0, and no number {number}")
    return None


def info_message(options, title, facts=(), refused=None):
    info = Message("DeviceInfo", id=options.id, title=title, provenance=0, precision="tf32" if options.tf32 else "fp32")
    info.available = refused is None
    if refused is not None:
        info.unavailable_reason = "; ".join(text for text in (refused.message, refused.remedy) if text)
    info.facts = [Message("Fact", name=name, value=value) for name, value in facts]
    return info


def described(options):
    """All facts: PyTorch is loaded for them."""
    try:
        settled(options)
    except Refused as refused:
        return info_message(options, "PyTorch on a GPU" if options.kind == "cuda" else "PyTorch", (), refused)
    version = str(torch.__version__)
    layout = "channels last" if options.channels_last else "channels first"
    common = [("PyTorch", version), ("layout of images", layout), ("Python", f"{platform.python_version()} ({sys.executable})")]
    if options.kind == "cpu":
        onednn = re.search(r"(?:MKL-DNN|oneDNN) v([\d.]+)", torch.__config__.show())
        name, count = processor_name(), options.threads
        title = f"PyTorch {version} on {name}, {count} thread{'s' * (count > 1)}"
        facts = [("processor", name), ("threads", str(count)), ("oneDNN", onednn.group(1) if onednn else "none")]
    else:
        name = torch.cuda.get_device_name(options.number)
        title = f"PyTorch {version} on {name}"
        facts = [
            ("GPU", name),
            ("CUDA", str(torch.version.cuda or torch.version.hip)),
            ("cuDNN", str(torch.backends.cudnn.version() or "none")),
            ("driver", GpuClocks(options.number).driver()),
            ("groups", "on streams, in one CUDA graph"),
        ]
    facts += [("precision", "tf32" if options.tf32 else "fp32")] + common
    info = info_message(options, title, facts)
    info.fingerprint = "pytorch;execution=1;" + "".join(f"{key}={value};" for key, value in facts if key != "Python")
    return info


def torch_without_loading():
    """torch.version of the PyTorch that would be loaded: read in a moment, where loading takes seconds."""
    check_python()
    try:
        found = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        found = None
    folders = list(found.submodule_search_locations or []) if found else []
    text = read_file(os.path.join(folders[0], "version.py")) if folders else ""
    if not text:
        raise missing()
    values = {}
    exec(compile(text, "version.py", "exec"), values)
    version = SimpleNamespace(**{"cuda": None, "hip": None, "__version__": "", **values})
    check_version(str(version.__version__))
    return version


def gpus_seen():
    with contextlib.suppress(OSError):
        count = len(os.listdir("/proc/driver/nvidia/gpus"))
        named = os.environ.get("CUDA_VISIBLE_DEVICES")
        return count if named is None else min(count, len([each for each in named.split(",") if each.strip() and not each.strip().startswith("-")]))
    return int(os.path.exists("/dev/dxg") or os.path.exists("/dev/kfd"))


def processor_load():
    """Facts: over the last minute, and who measures on the processors now."""
    facts = []
    with contextlib.suppress(OSError):
        count = os.cpu_count() or 1
        facts.append(("load", f"{os.getloadavg()[0]:.1f} of {count} processor{'s' * (count > 1)}"))
    holder = DeviceLock("cpu").holder()
    return facts + [("in use by", holder)] * bool(holder)


def gpu_load(number):
    """Facts, where nvidia-smi tells."""
    command = ["nvidia-smi", f"--id={gpu_bus_id(number) or number}", "--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader"]
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=5, check=True, text=True)
        busy, memory = told.stdout.strip().split(", ")
        return [("load", f"{busy}, {memory} in use")]
    return []


def listed(with_load):
    """Without loading PyTorch: what it needs beyond its files comes out when a device is described."""
    cpu, gpu = Options("pytorch:cpu"), Options("pytorch:cuda:0")
    try:
        version = torch_without_loading()
    except Refused as refused:
        return [info_message(cpu, "PyTorch", (), refused), info_message(gpu, "PyTorch on a GPU", (), refused)]
    title = f"PyTorch {version.__version__}"
    load = processor_load() if with_load else []
    infos = [info_message(cpu, f"{title} on {processor_name()}, {cpu.threads} thread{'s' * (cpu.threads > 1)}", load)]
    count = gpus_seen()
    reason = why_no_gpu(version, count, 0)
    if reason:
        return infos + [info_message(gpu, f"{title} on a GPU", (), reason)]
    for number in range(count):
        load = gpu_load(number) if with_load else []
        infos.append(info_message(Options(f"pytorch:cuda:{number}"), f"{title} on GPU {number}", load))
    return infos
