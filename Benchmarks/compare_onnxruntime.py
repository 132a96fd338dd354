#!/usr/bin/env python3
"""Runs the same work in ONNX Runtime and in Apus, in turns, and prints the ratios of their times.

    swift build -c release --product bench
    python3 Benchmarks/compare_onnxruntime.py [--filter REGEX] [--threads 1,2] [--rounds N] [--json FILE]

Every workload of `bench` that has an ONNX twin is built as an ONNX model from the same pseudo-random numbers, its
weights as initialisers, so that ONNX Runtime lays them out in advance as it would for a real model. Inputs and outputs
are bound, so Python costs a call about a microsecond. Both sides run for a few milliseconds each, many times in turns
and in an order that changes; a round gives one ratio of medians, the table shows the median of these. So whatever else
the machine does slows both alike; on a busy machine the ratio of the least times, `least`, says more. The last column is
the largest difference between the two results, relative to the largest value.

Needs onnx, onnxruntime (tested with 1.31) and numpy.
"""

import argparse
import json
import statistics
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from apus_process import PACKAGE, Apus, calls_for, executable, operand, workloads


def model(twin):
    """The ONNX model of a twin, serialised, and its input."""
    x = operand(twin["input"])
    if twin.get("model"):
        return (PACKAGE / "Weights" / twin["model"]).read_bytes(), x
    nodes, initializers, value = [], [], "input"
    for index, node in enumerate(twin["nodes"]):
        names = []
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
        nodes, "twin", [helper.make_tensor_value_info("input", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, None)], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString(), x


SCALARS = {"group", "transA", "transB", "axis", "ceil_mode", "count_include_pad", "num_groups"}


class OnnxRuntime:
    def __init__(self, twin, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.log_severity_level = 3
        content, x = model(twin)
        self.session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        self.binding.bind_ortvalue_input(
            self.session.get_inputs()[0].name, onnxruntime.OrtValue.ortvalue_from_numpy(x))
        (result,) = self.session.run(None, {self.session.get_inputs()[0].name: x})
        self.output = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros_like(result))
        self.binding.bind_ortvalue_output(self.session.get_outputs()[0].name, self.output)

    def values(self):
        self.session.run_with_iobinding(self.binding)
        return self.output.numpy().ravel().copy()

    def seconds(self, calls):
        """The median time of a call, of so many, and the least."""
        run, binding, clock = self.session.run_with_iobinding, self.binding, time.perf_counter_ns
        times = []
        for _ in range(calls):
            start = clock()
            run(binding)
            times.append(clock() - start)
        return statistics.median(times) * 1e-9, min(times) * 1e-9


def compare(workload, apus, threads, rounds, budget):
    name = workload["name"]
    reference = OnnxRuntime(workload["twin"], threads)
    expected, found = reference.values(), apus.values(name)
    if expected.shape != found.shape:
        raise SystemExit(f"{name}: ONNX Runtime computes {expected.size} values, Apus {found.size}")
    difference = float(np.max(np.abs(expected - found)) / max(np.max(np.abs(expected)), 1e-30))
    reference_calls = calls_for(reference.seconds(3)[1], budget)
    apus_calls = calls_for(apus.seconds(name, 3)[1], budget)
    reference.seconds(reference_calls), apus.seconds(name, apus_calls)
    # ONNX Runtime's threads look for work for a while before they sleep; they must not slow the other side.
    pause = 0 if threads == 1 else 0.02
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
        "onnxruntime_seconds": statistics.median(pair[0] for pair in theirs),
        "onnxruntime_least_seconds": reference_least, "ratio_of_least": least / reference_least,
        "ratio": statistics.median(ratios),
        "ratio_quartiles": [ratios[len(ratios) // 4], ratios[len(ratios) * 3 // 4]],
        "largest_relative_difference": difference,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", metavar="REGEX", help="workloads in whose name it occurs")
    parser.add_argument("--threads", default="1", help="numbers of threads, separated by commas (default: 1)")
    parser.add_argument("--rounds", type=int, default=25, help="measurements of each side (default: 25)")
    parser.add_argument("--budget", type=float, default=10, help="milliseconds a measurement takes (default: 10)")
    parser.add_argument("--bench", metavar="PATH", help="the executable (default: .build/release/bench)")
    parser.add_argument("--json", metavar="FILE", help="also write the results to FILE")
    arguments = parser.parse_args()
    try:
        thread_counts = [int(text) for text in arguments.threads.split(",")]
    except ValueError:
        parser.error(f"--threads: expected numbers, found '{arguments.threads}'")
    if min(thread_counts) < 1 or arguments.rounds < 1 or arguments.budget <= 0:
        parser.error("--threads, --rounds and --budget must be positive")

    bench = executable(arguments.bench)
    selected = [workload for workload in workloads(bench, arguments.filter) if workload.get("twin")]
    results = []
    for threads in thread_counts:
        print(f"\nONNX Runtime {onnxruntime.__version__} and Apus, {threads} thread{'s' if threads > 1 else ''}; "
              "ratio: Apus / ONNX Runtime, below 1 Apus is faster")
        width = max((len(workload["name"]) for workload in selected), default=0) + 2
        print(f"{'workload':{width}}{'Apus':>12}{'ORT':>12}{'ratio':>8}{'quartiles':>15}{'least':>8}{'difference':>13}", flush=True)
        apus = Apus(bench, threads)
        for workload in selected:
            result = compare(workload, apus, threads, arguments.rounds, arguments.budget * 1e-3)
            results.append(result)
            low, high = result["ratio_quartiles"]
            print(f"{result['name']:{width}}{result['apus_seconds'] * 1e6:9.1f} µs"
                  f"{result['onnxruntime_seconds'] * 1e6:9.1f} µs{result['ratio']:8.2f}{low:9.2f}–{high:.2f}"
                  f"{result['ratio_of_least']:8.2f}{result['largest_relative_difference']:12.1e}", flush=True)
        apus.close()
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"onnxruntime": onnxruntime.__version__, "results": results}, file, indent=2, sort_keys=True)
            file.write("\n")


if __name__ == "__main__":
    main()
