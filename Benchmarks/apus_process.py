"""A `bench --serve` process, and the numbers it feeds its workloads, for programs that compare Apus with something."""

import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

PACKAGE = pathlib.Path(__file__).resolve().parent.parent


def executable(path):
    """The optimised `bench`, which must have been built: `swift build -c release --product bench`."""
    found = pathlib.Path(path) if path else PACKAGE / ".build" / "release" / "bench"
    if not found.is_file():
        raise SystemExit(f"{found} does not exist: build it with  swift build -c release --product bench")
    return str(found)


def workloads(bench, pattern=None, extra=()):
    """What `bench --list --json` says about the workloads whose name `pattern` occurs in; `extra` are more arguments."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list.json")
        command = [bench, "--list", "--json", path] + (["--filter", pattern] if pattern else []) + list(extra)
        result = subprocess.run(command)
        if result.returncode:
            raise SystemExit(result.returncode)
        with open(path) as file:
            return json.load(file)


class Apus:
    """Runs workloads by name; see Serve.swift for the protocol."""

    def __init__(self, bench, threads=1, extra=(), **environment):
        variables = {name: value for name, value in os.environ.items() if environment.get(name, value) is not None}
        variables.update({name: value for name, value in environment.items() if value is not None})
        self.process = subprocess.Popen(
            [bench, "--serve", "--threads", str(threads), *extra], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables)

    def _ask(self, request):
        self.process.stdin.write((request + "\n").encode())
        self.process.stdin.flush()
        answer = self.process.stdout.readline().decode().strip()
        if not answer or answer.startswith("error"):
            raise RuntimeError(f"bench answered '{answer}' to '{request}'")
        return answer.split()

    def seconds(self, name, calls):
        """The median time of a call, of so many, and the least."""
        median, least = self._ask(f"{name} {calls}")
        return float(median), float(least)

    def values(self, name):
        """The elements of the result, flat."""
        count = int(self._ask(f"values {name}")[1])
        return np.frombuffer(self.process.stdout.read(4 * count), dtype="<f4")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def operand(description):
    """The tensor that Operand.swift describes."""
    count = int(np.prod(description["shape"]))
    with np.errstate(over="ignore"):
        start = np.uint32(description["seed"]) * np.uint32(0x85EBCA6B)
        h = np.arange(count, dtype=np.uint32) * np.uint32(0x9E3779B9) + start
        h = (h ^ (h >> np.uint32(16))) * np.uint32(0x7FEB352D)
        h = (h ^ (h >> np.uint32(15))) * np.uint32(0x846CA68B)
        h = h ^ (h >> np.uint32(16))
    u = (h >> np.uint32(8)).astype(np.float32) / np.float32(8388608) - np.float32(1)
    values = np.float32(description["offset"]) + np.float32(description["scale"]) * u
    return values.reshape(description["shape"])


def calls_for(seconds, budget):
    """How many calls of so many seconds fill the budget; at least one."""
    return int(min(max(budget / max(seconds, 1e-7), 1), 100_000))
