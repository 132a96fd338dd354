#!/usr/bin/env python3
"""Compares matrix products of Apus with bare OpenBLAS calls under several core types, alternately.

    swift build -c release --product bench
    python3 Benchmarks/compare_openblas.py [--filter REGEX] [--rounds N] [--poor-core NAME] [--json FILE]

Five `bench --serve` processes run the same shapes a few milliseconds each, many times alternately, on one thread:

    apus       as Apus multiplies by itself: OpenBLAS with the core type it chooses
    swift      Apus without a BLAS library
    right      cblas_sgemm called directly, OPENBLAS_CORETYPE set to what this processor deserves
    untouched  cblas_sgemm of a library loaded without a word about the core type
    poor       cblas_sgemm with --poor-core (default: Prescott), the kernels an OpenBLAS falls back to on a processor
               newer than itself. Where the untouched library knows the processor, this stands in for one that does not.

The table shows the rate of each, and ratios of speeds: medians over rounds of paired medians, and in parentheses of the
least times, which a busy machine disturbs less. Needs numpy and an OpenBLAS.
"""

import argparse
import json
import statistics

from apus_process import Apus, calls_for, executable, workloads


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", metavar="REGEX", default="", help="shapes in whose name it occurs")
    parser.add_argument("--rounds", type=int, default=25, help="measurements of each side (default: 25)")
    parser.add_argument("--budget", type=float, default=10, help="milliseconds a measurement takes (default: 10)")
    parser.add_argument("--right-core", metavar="NAME", default="SkylakeX", help="for `right` (default: SkylakeX)")
    parser.add_argument("--poor-core", metavar="NAME", default="Prescott", help="for `poor` (default: Prescott)")
    parser.add_argument("--bench", metavar="PATH", help="the executable (default: .build/release/bench)")
    parser.add_argument("--json", metavar="FILE", help="also write the results to FILE")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.budget <= 0:
        parser.error("--rounds and --budget must be positive")

    bench = executable(arguments.bench)
    plain = {"OPENBLAS_NUM_THREADS": "1", "APUS_BLAS": "none"}
    sides = {
        "apus": ("gemm/", Apus(bench, OPENBLAS_CORETYPE=None, APUS_BLAS=None)),
        "swift": ("gemm-swift/", Apus(bench, OPENBLAS_CORETYPE=None, APUS_BLAS="none")),
        "right": ("gemm-blas/", Apus(bench, OPENBLAS_CORETYPE=arguments.right_core, **plain)),
        "untouched": ("gemm-blas/", Apus(bench, OPENBLAS_CORETYPE=None, **plain)),
        "poor": ("gemm-blas/", Apus(bench, OPENBLAS_CORETYPE=arguments.poor_core, **plain)),
    }
    names = [workload["name"] for workload in workloads(bench, f"^gemm/.*(?:{arguments.filter})")]
    shapes = [name.removeprefix("gemm/") for name in names]
    width = max(len(shape) for shape in shapes) + 2
    print(f"{'GFLOP/s':{width}}" + "".join(f"{side:>11}" for side in sides)
          + f"{'apus/right':>14}{'swift/right':>14}{'apus/poor':>14}")
    results = []
    for shape in shapes:
        m, n, k = (int(part) for part in shape.removesuffix("-bt").split("x"))
        operations = 2 * m * n * k
        calls = {}
        for side, (prefix, process) in sides.items():
            process.seconds(prefix + shape, 3)
            calls[side] = calls_for(process.seconds(prefix + shape, 5)[1], arguments.budget * 1e-3)
        times = {side: [] for side in sides}
        for round in range(arguments.rounds):
            order = list(sides)
            rotation = round % len(order)
            for side in order[rotation:] + order[:rotation]:
                prefix, process = sides[side]
                times[side].append(process.seconds(prefix + shape, calls[side]))

        def speed(fast, slow):
            return statistics.median(b[0] / a[0] for a, b in zip(times[fast], times[slow]))

        medians = {side: statistics.median(value[0] for value in values) for side, values in times.items()}
        least = {side: min(value[1] for value in values) for side, values in times.items()}
        ratios = {
            "apus_to_right": speed("apus", "right"), "swift_to_right": speed("swift", "right"),
            "apus_to_poor": speed("apus", "poor"),
        }
        of_least = {
            "apus_to_right": least["right"] / least["apus"], "swift_to_right": least["right"] / least["swift"],
            "apus_to_poor": least["poor"] / least["apus"],
        }
        results.append({
            "shape": shape, "seconds": medians, "least_seconds": least, "speed_ratios": ratios,
            "speed_ratios_of_least": of_least,
        })
        print(f"{shape:{width}}" + "".join(f"{operations / medians[side] * 1e-9:11.1f}" for side in sides)
              + "".join(f"{ratios[key]:7.2f} ({of_least[key]:.2f})" for key in ratios), flush=True)
    for _, process in sides.values():
        process.close()
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"right_core": arguments.right_core, "poor_core": arguments.poor_core, "results": results},
                      file, indent=2, sort_keys=True)
            file.write("\n")


if __name__ == "__main__":
    main()
