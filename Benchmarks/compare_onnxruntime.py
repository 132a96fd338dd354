#!/usr/bin/env python3
"""Runs the same work in ONNX Runtime and in Apus, alternately, and prints the ratios of their times.

    swift build -c release --product bench
    python3 Benchmarks/compare_onnxruntime.py [--filter REGEX] [--threads 1,2] [--rounds N] [--json FILE]
    python3 Benchmarks/compare_onnxruntime.py --models FILE.onnx … [--filter '^onnx/'] [--threads 1,2]
    python3 Benchmarks/compare_onnxruntime.py --memory [--models FILE.onnx …] [--filter REGEX] [--threads 1,2]
    python3 Benchmarks/compare_onnxruntime.py --openvino [--models FILE.onnx …] [--filter REGEX] [--threads 1,2]

Every workload of `bench` that has an ONNX twin is built as an ONNX model from the same pseudo-random numbers, its
weights as initialisers, so that ONNX Runtime lays them out in advance as it would for a real model. Inputs and outputs
are bound, so Python costs a call about a microsecond. Both sides run for a few milliseconds each, many times alternately
and in an order that changes; a round gives one ratio of medians, the table shows the median of these. So whatever else
the machine does slows both alike; on a busy machine the ratio of the least times, `least`, says more. The last column is
the largest difference between the two results, relative to the largest value.

Whole networks are exported from `Weights/reference` with their generated weights (into `.build/networks`). `--memory`
compares the most memory that loading such a network and running it ten times takes, in processes of their own: all of
it, and what lies above the program that has loaded its libraries and nothing else; the time from opening the file to
the first output; and what is left of that without the time of a later run: what opening costs. `--models` does all that
with ONNX files of other people, run by Apus as they are, and with `--cache` from the second time on with the weights that
the first has kept. `--openvino` has OpenVINO's CPU plug-in, which reads the same models, in ONNX Runtime's place: in
float32, for the least time of a call.

Needs onnx, onnxruntime (tested with 1.31 and 1.32) and numpy; `--openvino` needs openvino (2026.4); networks need torch and
transformers, as Weights/requirements.txt says.
"""

import argparse
import io
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from apus_process import PACKAGE, Apus, calls_for, executable, operand, workloads


def exported(name):
    """A network of Weights/reference, exported when first asked for: its ONNX and safetensors files, and its inputs."""
    folder = PACKAGE / ".build" / "networks"
    folder.mkdir(parents=True, exist_ok=True)
    onnx, safetensors, inputs = (folder / f"{name}.{kind}" for kind in ("onnx", "safetensors", "npz"))
    golden = PACKAGE / "Weights" / "reference" / "golden" / f"{name}.safetensors"
    if not inputs.is_file() or inputs.stat().st_mtime < golden.stat().st_mtime:
        script = PACKAGE / "Weights" / "reference" / "export_onnx.py"
        subprocess.run(
            [sys.executable, script, name, onnx, "--safetensors", safetensors, "--inputs", inputs], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return onnx, safetensors, dict(np.load(inputs))


def model(twin):
    """The ONNX model of a twin, serialised or its path, and its inputs."""
    if twin.get("onnx"):
        return twin["onnx"], dict(np.load(twin["inputs"]))
    if twin.get("network"):
        onnx, _, inputs = exported(twin["network"])
        return str(onnx), inputs
    x = operand(twin["input"])
    if twin.get("model"):
        return (PACKAGE / "Weights" / twin["model"]).read_bytes(), {None: x}
    nodes, initializers, value, inputs = [], [], "input", {"input": x}
    for index, node in enumerate(twin["nodes"]):
        names = [f"operand.{index}.{position}" for position in range(len(node["operands"]))]
        inputs |= {name: operand(each) for name, each in zip(names, node["operands"])}
        for position, parameter in enumerate(node["parameters"]):
            name = f"parameter.{index}.{position}"
            initializers.append(numpy_helper.from_array(operand(parameter), name))
            names.append(name)
        attributes = {
            # A list of one is a number for attributes that are numbers.
            name: values[0] if name in SCALARS else values for name, values in node["integers"].items()
        } | {name: float(value) for name, value in node["floats"].items()} | node["strings"]
        output = f"value.{index}"
        nodes.append(helper.make_node(node["op"], [value] + names, [output], **attributes))
        value = output
    graph = helper.make_graph(
        nodes, "twin", [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name, x in inputs.items()],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, None)], initializers)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return proto.SerializeToString(), inputs


SCALARS = {"group", "transA", "transB", "axis", "ceil_mode", "count_include_pad", "num_groups", "hidden_size",
           "linear_before_reset"}


def session(content, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


class OnnxRuntime:
    title, short, version = "ONNX Runtime", "ORT", onnxruntime.__version__

    def __init__(self, twin, threads):
        content, inputs = model(twin)
        self.session = session(content, threads)
        feed = {name or self.session.get_inputs()[0].name: x for name, x in inputs.items()}
        self.binding = self.session.io_binding()
        for name, x in feed.items():
            self.binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(x))
        results = self.session.run(None, feed)
        self.outputs = [onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros_like(result)) for result in results]
        for output, value in zip(self.session.get_outputs(), self.outputs):
            self.binding.bind_ortvalue_output(output.name, value)

    def values(self):
        self.session.run_with_iobinding(self.binding)
        return self.outputs[0].numpy().ravel().copy()

    def seconds(self, calls):
        """The median time of a call, of so many, and the least."""
        run, binding = self.session.run_with_iobinding, self.binding
        return timed(lambda: run(binding), calls)


class OpenVINO:
    title, short = "OpenVINO", "OpenVINO"

    def __init__(self, twin, threads):
        content, inputs = model(twin)
        network = self.core.read_model(content if isinstance(content, str) else io.BytesIO(content))
        # By itself it would compute in bfloat16 where the processor can.
        settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
        self.request = self.core.compile_model(network, "CPU", settings).create_infer_request()
        names = [name or network.inputs[0].any_name for name in inputs]
        # Written once; the request then reads and writes its own tensors, as ONNX Runtime's binding does.
        self.request.infer(dict(zip(names, inputs.values())))

    @classmethod
    def load(cls):
        import openvino
        cls.core, cls.version = openvino.Core(), openvino.__version__.split("-")[0]
        return cls

    def values(self):
        self.request.infer()
        return self.request.get_output_tensor(0).data.ravel().copy()

    def seconds(self, calls):
        """The median time of a call, of so many, and the least."""
        return timed(self.request.infer, calls)


def timed(call, calls):
    clock, times = time.perf_counter_ns, []
    for _ in range(calls):
        start = clock()
        call()
        times.append(clock() - start)
    return statistics.median(times) * 1e-9, min(times) * 1e-9


def compare(workload, apus, peer, threads, rounds, budget):
    name = workload["name"]
    reference = peer(workload["twin"], threads)
    expected, found = reference.values(), apus.values(name)
    if expected.shape != found.shape and not name.endswith("-mask"):
        raise SystemExit(f"{name}: {peer.title} computes {expected.size} values, Apus {found.size}")
    if name.endswith("-mask"):
        # One row of what the other side computes whole, the last but one.
        expected = expected[-2 * found.size:-found.size]
    difference = float(np.max(np.abs(expected - found)) / max(np.max(np.abs(expected)), 1e-30))
    reference_calls = calls_for(reference.seconds(3)[1], budget)
    apus_calls = calls_for(apus.seconds(name, 3)[1], budget)
    reference.seconds(reference_calls), apus.seconds(name, apus_calls)
    # ONNX Runtime's threads look for work before they sleep, for 40 ms here; they must not slow the other side.
    pause = 0 if threads == 1 else 0.1
    ours, theirs = [], []
    for round in range(rounds):
        for side in (0, 1) if round % 2 == 0 else (1, 0):
            time.sleep(pause)
            if side == 0:
                ours.append(apus.seconds(name, apus_calls))
            else:
                theirs.append(reference.seconds(reference_calls))
    ratios = sorted(a[0] / b[0] for a, b in zip(ours, theirs))
    least, reference_least = min(ours, key=lambda pair: pair[1])[1], min(theirs, key=lambda pair: pair[1])[1]
    return {
        "name": name, "shape": workload["shape"], "threads": threads,
        "apus_seconds": statistics.median(pair[0] for pair in ours), "apus_least_seconds": least,
        "peer_seconds": statistics.median(pair[0] for pair in theirs), "peer_least_seconds": reference_least,
        "ratio_of_least": least / reference_least,
        "ratio": statistics.median(ratios),
        "ratio_quartiles": [ratios[len(ratios) // 4], ratios[len(ratios) * 3 // 4]],
        "largest_relative_difference": difference,
    }


MEMORY = """
import sys, numpy as np
sys.path.insert(0, {folder!r})
from compare_onnxruntime import session
def status(key):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(key))
import time
inputs = dict(np.load({inputs!r}))
before = status("VmRSS:")
start, first, later = time.perf_counter(), None, []
run = session({onnx!r}, {threads})
for _ in range(10):
    began = time.perf_counter()
    run.run(None, inputs)
    if first is None:
        first = time.perf_counter() - start
    else:
        later.append(time.perf_counter() - began)
print(before, status("VmHWM:"), first, sorted(later)[len(later) // 2])
"""


def compare_memory(selected, bench, threads, cache=None):
    """Peaks of both sides, in processes of their own."""
    results = []
    print(f"{'network':36}{'Apus':>10}{'ORT':>10}{'ratio':>8}{'Apus above':>13}{'ORT above':>12}{'ratio':>8}"
          f"{'first':>12}{'ORT first':>12}{'ratio':>8}{'opening':>12}{'ORT opening':>14}{'ratio':>8}")
    for workload in selected:
        twin = workload["twin"]
        if twin.get("onnx"):
            onnx, inputs = twin["onnx"], twin["inputs"]
            own = ["--model", onnx, "--inputs", inputs] + (["--cache", cache] if cache else [])
        else:
            onnx, safetensors, _ = exported(twin["network"])
            inputs = PACKAGE / ".build" / "networks" / f"{twin['network']}.npz"
            own = ["--weights", str(safetensors)]
        paths = {"folder": str(PACKAGE / "Benchmarks"), "onnx": str(onnx), "threads": threads, "inputs": str(inputs)}
        commands = (
            [bench, "--peak", workload["name"], "--threads", str(threads)] + own,
            [sys.executable, "-c", MEMORY.format(**paths)])
        # The files are in the system's cache from the second time on, for both.
        measured = [[[float(word) for word in subprocess.run(
            command, check=True, capture_output=True, text=True).stdout.split()] for _ in range(6)][1:]
            for command in commands]
        (ours, theirs) = ([statistics.median(run[i] for run in runs) for i in range(3)]
                          + [statistics.median(run[2] - run[3] for run in runs)] for runs in measured)
        ours[:2], theirs[:2] = ([value / 1e6 for value in side[:2]] for side in (ours, theirs))
        above, their_above = ours[1] - ours[0], theirs[1] - theirs[0]
        results.append({"name": workload["name"], "threads": threads, "apus_megabytes": ours[1],
                        "onnxruntime_megabytes": theirs[1], "apus_megabytes_above": above,
                        "onnxruntime_megabytes_above": their_above, "apus_first_seconds": ours[2],
                        "onnxruntime_first_seconds": theirs[2], "apus_opening_seconds": ours[3],
                        "onnxruntime_opening_seconds": theirs[3]})
        print(f"{workload['name']:36}{ours[1]:7.1f} MB{theirs[1]:7.1f} MB{ours[1] / theirs[1]:8.2f}"
              f"{above:10.1f} MB{their_above:9.1f} MB{above / their_above:8.2f}"
              f"{ours[2] * 1e3:9.1f} ms{theirs[2] * 1e3:9.1f} ms{ours[2] / theirs[2]:8.2f}"
              f"{ours[3] * 1e3:9.1f} ms{theirs[3] * 1e3:11.1f} ms{ours[3] / theirs[3]:8.2f}", flush=True)
    return results


def model_arguments(paths):
    """The arguments that make `bench` measure ONNX files, with inputs drawn for each and kept in `.build/models`.

    Floating-point inputs lie between 0 and 1, integers below 100; dimensions that are not fixed are 1.
    """
    folder = PACKAGE / ".build" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    arguments = []
    for path in paths:
        rng, inputs = np.random.default_rng(1), {}
        for info in session(path, 1).get_inputs():
            shape = [size if isinstance(size, int) else 1 for size in info.shape]
            kind = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
                    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_}[info.type]
            inputs[info.name] = (rng.random(shape) * (100 if np.issubdtype(kind, np.integer) else 1)).astype(kind)
        file = folder / f"{pathlib.Path(path).stem}.npz"
        np.savez(file, **inputs)
        arguments += ["--model", str(pathlib.Path(path).resolve()), "--inputs", str(file)]
    return arguments


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", metavar="REGEX", help="workloads in whose name it occurs")
    parser.add_argument("--threads", default="1", help="numbers of threads, separated by commas (default: 1)")
    parser.add_argument("--rounds", type=int, default=25, help="measurements of each side (default: 25)")
    parser.add_argument("--budget", type=float, default=10, help="milliseconds a measurement takes (default: 10)")
    parser.add_argument("--bench", metavar="PATH", help="the executable (default: .build/release/bench)")
    parser.add_argument("--memory", action="store_true", help="compare the peak memory of whole networks")
    parser.add_argument("--openvino", action="store_true", help="compare with OpenVINO instead")
    parser.add_argument("--cache", metavar="FOLDER", help="with --memory: keep and find laid-out weights of --models there")
    parser.add_argument("--models", nargs="+", metavar="FILE", help="compare these ONNX models, and nothing else")
    parser.add_argument("--json", metavar="FILE", help="also write the results to FILE")
    arguments = parser.parse_args()
    try:
        thread_counts = [int(text) for text in arguments.threads.split(",")]
    except ValueError:
        parser.error(f"--threads: expected numbers, found '{arguments.threads}'")
    if min(thread_counts) < 1 or arguments.rounds < 1 or arguments.budget <= 0:
        parser.error("--threads, --rounds and --budget must be positive")

    if arguments.openvino and arguments.memory:
        parser.error("--memory compares with ONNX Runtime alone")

    peer = OpenVINO.load() if arguments.openvino else OnnxRuntime
    bench = executable(arguments.bench)
    extra = model_arguments(arguments.models or [])
    selected = [workload for workload in workloads(bench, arguments.filter, extra) if workload.get("twin")]
    results = []
    for threads in thread_counts:
        print(f"\n{peer.title} {peer.version} and Apus, {threads} thread{'s' if threads > 1 else ''}; "
              f"ratio: Apus / {peer.title}, below 1 Apus {'takes less' if arguments.memory else 'is faster'}")
        width = max((len(workload["name"]) for workload in selected), default=0) + 2
        if arguments.memory:
            networks = [w for w in selected if w["twin"].get("network") or w["twin"].get("onnx")]
            results += compare_memory(networks, bench, threads, arguments.cache)
            continue
        print(f"{'workload':{width}}{'Apus':>12}{peer.short:>12}{'ratio':>8}{'quartiles':>15}{'least':>8}{'difference':>13}",
              flush=True)
        apus = Apus(bench, threads, extra)
        for workload in selected:
            result = compare(workload, apus, peer, threads, arguments.rounds, arguments.budget * 1e-3)
            results.append(result)
            low, high = result["ratio_quartiles"]
            print(f"{result['name']:{width}}{result['apus_seconds'] * 1e6:9.1f} µs"
                  f"{result['peer_seconds'] * 1e6:9.1f} µs{result['ratio']:8.2f}{low:9.2f}–{high:.2f}"
                  f"{result['ratio_of_least']:8.2f}{result['largest_relative_difference']:12.1e}", flush=True)
        apus.close()
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"peer": peer.title, "version": peer.version, "results": results}, file, indent=2, sort_keys=True)
            file.write("\n")


if __name__ == "__main__":
    main()
