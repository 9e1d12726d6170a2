"""Interleaved timing rounds: both sides of a ratio are timed one after the other, round by round, on an idle machine."""
import math
import statistics
import time

# 97.5 % quantiles of Student's t by degrees of freedom.
T = [0, 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]


def busy_and_all():
    ticks = [int(word) for word in open("/proc/stat").readline().split()[1:]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def wait_until_idle(patience_s=30):
    """Until the machine did nothing for a fifth of a second. False: other programs kept it busy."""
    end = time.time() + patience_s
    while time.time() < end:
        busy, total = busy_and_all()
        time.sleep(0.2)
        busy_now, total_now = busy_and_all()
        if busy_now - busy <= 0.06 * max(1, total_now - total):
            return True
    return False


class Ratio:
    """Of two timings, from rounds of both: geometric mean with its 95 % confidence interval."""

    def __init__(self, ours, theirs):
        logs = [math.log(a / b) for a, b in zip(ours, theirs)]
        self.log = statistics.fmean(logs)
        quantile = T[min(len(logs) - 1, len(T) - 1)]
        self.half = quantile * statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.inf

    def __str__(self):
        low, high = math.exp(self.log - self.half), math.exp(self.log + self.half)
        return f"{math.exp(self.log):.3f} [{low:.3f}, {high:.3f}]"


def geometric_mean(ratios):
    half = math.sqrt(sum(ratio.half**2 for ratio in ratios)) / len(ratios)
    log = statistics.fmean(ratio.log for ratio in ratios)
    return f"{math.exp(log):.3f} [{math.exp(log - half):.3f}, {math.exp(log + half):.3f}]"
