# Repeats a timing until it is known well enough, as core/device/executing/adaptive_measurement.cpp does.

STUDENTS_T = (  # 97.5 %, by degrees of freedom from 1
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
)
CLOCKS_EVERY = 0.02  # seconds


def students_t(freedom):
    return STUDENTS_T[freedom - 1] if freedom <= len(STUDENTS_T) else 1.96 + 2.5 / freedom


class Effort:
    """At least `least` samples of at least `sample_us` each, until the 95 % interval of the mean is within 2 % of it or
    `seconds` are over. On a GPU one CUDA graph has `repeats` runs."""

    def __init__(self, warmup=3, least=7, most=400, sample_us=40.0, seconds=0.06, repeats=1):
        self.warmup, self.least, self.most, self.sample_us = warmup, least, most, sample_us
        self.seconds, self.repeats = seconds, repeats


EFFORTS = {  # by kind of device: a stage, a whole schedule
    "cpu": (Effort(), Effort(least=11, most=1000, seconds=0.6)),
    "cuda": (
        Effort(warmup=2, sample_us=20.0, seconds=0.05, repeats=8),
        Effort(warmup=5, least=15, most=1000, sample_us=2000.0, seconds=1.0),
    ),
}


class ClockLog:
    """`read` returns core and memory clock in MHz, 0 where they are unknown, and why they are reduced."""

    def __init__(self, read):
        self.read, self.core, self.memory, self.slowed_by, self.last = read, [], [], "", 0.0

    def add(self):
        core, memory, slowed_by = self.read()
        self.core += [core] * (core > 0)
        self.memory += [memory] * (memory > 0)
        self.slowed_by = slowed_by or self.slowed_by
        self.last = time.monotonic()

    def add_if_due(self):
        if time.monotonic() - self.last >= CLOCKS_EVERY:
            self.add()

    def written_to(self, sample):
        self.add()
        sample.clock_mhz = statistics.median_low(self.core) if self.core else 0
        sample.memory_clock_mhz = statistics.median_low(self.memory) if self.memory else 0
        sample.slowed_by = self.slowed_by
        return sample


def undisturbed(samples):
    """Without those far above the median: a timing has a floor, so only the slow side is interference."""
    median = statistics.median(samples)
    limit = median + max(6 * statistics.median([abs(sample - median) for sample in samples]), 0.1 * median)
    return [sample for sample in samples if sample <= limit]


def summary(samples, number):
    return Message(
        "Sample",
        mean_us=statistics.fmean(samples),
        median_us=statistics.median(samples),
        stddev_us=statistics.stdev(samples) if len(samples) > 1 else 0.0,
        runs=len(samples) * number,
    )


def measure(runs, effort, clocks, check_stop):
    """`runs(n)` runs n times and returns the total in microseconds."""
    end = time.monotonic() + effort.seconds
    once = 0.0
    for _ in range(max(effort.warmup, 1)):
        check_stop()
        once = runs(1)
    number = max(1, math.ceil(effort.sample_us / max(once, 1e-2)))
    log = ClockLog(clocks)
    log.add()
    samples = []
    while True:
        check_stop()
        samples.append(runs(number) / number)
        log.add_if_due()
        if len(samples) < effort.least:
            continue
        kept = undisturbed(samples)
        over = time.monotonic() >= end or len(samples) >= effort.most
        if len(kept) < effort.least and not over:
            continue
        sample = summary(kept, number)
        count = max(len(kept), 2)
        interval = students_t(count - 1) * sample.stddev_us / math.sqrt(count)
        if over or interval <= 0.02 * sample.mean_us:
            return log.written_to(sample)
