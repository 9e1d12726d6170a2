"""A worker of Stagecraft (stagecraft-cli, stagecraft) that measures schedules of neural networks with PyTorch.

The program starts it and speaks with it over standard input and output; it listens on no port. The only files that
stay are weights that another machine sent, in its cache folder (weights.py). It needs Python 3.9 or newer and PyTorch 1.13 or newer, and nothing else. Devices: pytorch:cpu, pytorch:cuda:0.
"""

import sys

if __name__ == "__main__":  # nothing is imported from the current folder, where a downloaded model may lie
    sys.path[:] = [folder for folder in sys.path if folder]

import collections
import contextlib
import ctypes
import errno
import fcntl
import hashlib
import importlib.util
import json
import math
import os
import platform
import pwd
import queue
import re
import signal
import stat
import statistics
import struct
import subprocess
import tempfile
import threading
import time
import traceback
from types import SimpleNamespace

PROTOCOL = 7
LEAST_PYTHON = (3, 9)
LEAST_TORCH = (1, 13)
HOW_TO_GET_IT = (
    "install PyTorch {}.{} or newer (python3-torch, or pip install torch), or set STAGECRAFT_PYTHON to a Python that has it"
).format(*LEAST_TORCH)

torch = None  # the module, once a request needs it
F = None

WRONG_USE, INVALID_INPUT, DEVICE_FAILED, CANCELLED = range(4)


class Refused(Exception):
    """An answer to a request: what is wrong and what to do about it. `passes`: not for good, such as a lack of memory."""

    def __init__(self, code, message, remedy="", context=(), worker_ends=False, passes=False):
        super().__init__(message)
        self.code, self.message, self.remedy = code, message, remedy
        self.context, self.worker_ends, self.passes = list(context), worker_ends, passes


def within(what, error):
    return Refused(error.code, error.message, error.remedy, [what] + error.context, error.worker_ends, error.passes)


def text_of(name):
    """A name of a model, which need not be UTF-8."""
    return bytes(name).decode("utf-8", "backslashreplace")
