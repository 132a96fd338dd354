"""Finds objects in many pictures with Spark: each task keeps a child `apus detect --jsonl -`, on one core.

    pip install pyspark pandas pyarrow
    python detect_pictures.py photos answers --model yolov8n.onnx               # a line of JSON a picture
    python detect_pictures.py photos answers --way pandas                       # the same in mapInPandas
    python detect_pictures.py made answers --render 2000 --way pandas --kill    # a trial: see that nothing is lost
    python detect_pictures.py made answers --render 2000 --measure              # what Spark costs

What a task answers counts once it is complete. A child that dies ends its task, which Spark begins again, up to four times
(`local[N,4]`): no picture is lost and none is counted twice. A picture that cannot be read is a line with `error`.

`--measure` has the same pictures detected without Spark first, by as many commands side by side as there are cores, and ends
with 1 where Spark does less than 0.9 of that for a second of a core. Seconds are those that processors worked, Spark's own
included: they are the same however busy a machine is. Starting Spark itself does not count.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession

ENDINGS = {".png", ".jpg", ".jpeg", ".bmp", ".ppm"}


def render(folder, count):
    """Made-up pictures: bright boxes on a dark ground."""
    folder.mkdir(parents=True, exist_ok=True)
    width, height = 96, 64
    for number in range(count):
        random.seed(number)
        left, top = random.randrange(48), random.randrange(32)
        pixels = bytearray(b"\x20\x28\x30" * (width * height))
        for row in range(top, top + 32):
            start = 3 * (row * width + left)
            pixels[start:start + 144] = bytes(random.randrange(256) for _ in range(3)) * 48
        (folder / f"{number:06}.ppm").write_bytes(b"P6 %d %d 255\n" % (width, height) + pixels)


def environment():
    """As many processes as cores: each takes one."""
    return dict(os.environ, APUS_THREADS="1")


def answers(command, requests, kills):
    """The answers to requests, in their order, from a child that is started for them."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), text=True)

    def ask():
        try:
            for request in requests:
                child.stdin.write(request + "\n")
            child.stdin.close()
        except BrokenPipeError:
            pass

    # Asked from a thread of its own: whoever only writes would wait for a child that waits to be read.
    asking = threading.Thread(target=ask, daemon=True)
    ready = child.stdout.readline()
    if not ready:
        raise RuntimeError(f"{command[0]} ended with {child.wait()} before it was ready")
    asking.start()
    context = TaskContext.get()
    for number, line in enumerate(child.stdout):
        if kills and number == 5 and context.partitionId() == 0 and context.attemptNumber() == 0:
            child.send_signal(signal.SIGKILL)
        yield line.rstrip("\n")
    asking.join()
    if child.wait() != 0:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}: the task is begun again")


def worked():
    """The seconds that processors worked for the processes below this one, running and ended."""
    parents, seconds = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            # What follows the command's name, which may hold anything.
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if entry.name.isdigit() and len(fields) > 14:
            parents[int(entry.name)] = int(fields[1])
            seconds[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    below, found = set(), {os.getpid()}
    while found - below:
        below |= found
        found = {child for child, parent in parents.items() if parent in below}
    ended = os.times()
    return ended.children_user + ended.children_system + sum(seconds[pid] for pid in below if pid != os.getpid())


def alone(command, requests, cores):
    """The seconds that commands without Spark take, and those that they work, each with its share of the requests."""
    def run(share):
        asked = "".join(request + "\n" for request in share)
        subprocess.run(command, input=asked, env=environment(), text=True, stdout=subprocess.DEVNULL, check=True)

    threads = [threading.Thread(target=run, args=(requests[start::cores],)) for start in range(cores)]
    begun, before = time.perf_counter(), worked()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun, worked() - before


def main():
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pictures", type=pathlib.Path)
    parser.add_argument("answers", type=pathlib.Path)
    parser.add_argument("--model", help="a detector instead of the one that ships")
    parser.add_argument("--apus", default="apus", help="the command")
    parser.add_argument("--way", choices=["pipe", "pandas"], default="pipe")
    parser.add_argument("--master", help="default: this machine's cores, four attempts")
    parser.add_argument("--tasks", type=int, default=4 * cores, help="each starts a child; default: four for a core")
    parser.add_argument("--render", type=int, help="make so many pictures first")
    parser.add_argument("--kill", action="store_true", help="with --way pandas: kill a child, to see what becomes of it")
    parser.add_argument("--measure", action="store_true", help="compare with the command without Spark, on this machine")
    options = parser.parse_args()
    if options.render:
        render(options.pictures, options.render)
    paths = sorted(str(path) for path in options.pictures.iterdir() if path.suffix.lower() in ENDINGS)
    command = [options.apus, "detect", "--jsonl", "-"] + (["--model", options.model] if options.model else [])

    requests = [json.dumps({"id": path, "path": path}) for path in paths]
    direct = alone(command, requests, cores) if options.measure else None
    # The workers' Python is this one.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(options.master or f"local[{cores},4]").appName("apus detect")
    # The work is in the children: what passes through Java does not repay its slow compiler, or a page about it.
    builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.parallelize(range(cores), cores).count()
    begun, before = time.perf_counter(), worked()
    if options.way == "pipe":
        lines = (
            spark.sparkContext.parallelize(requests, options.tasks)
            .pipe(" ".join(command), env=environment(), checkCode=True)
            .filter(lambda line: not line.startswith('{"ready"'))
        )
        # With its type said: to find it out, Spark would have the first task done twice.
        table = spark.createDataFrame(lines.map(lambda line: (line,)), "value string")
    else:

        def detect(batches):
            import pandas

            asked = (request for batch in batches for request in batch["request"])
            found = []
            for line in answers(command, asked, options.kill):
                found.append(line)
                if len(found) == 256:
                    yield pandas.DataFrame({"value": found})
                    found = []
            yield pandas.DataFrame({"value": found})

        frame = spark.createDataFrame([(request,) for request in requests], ["request"]).repartition(options.tasks)
        table = frame.mapInPandas(detect, "value string")
    table.write.mode("overwrite").text(str(options.answers))
    passed, work = time.perf_counter() - begun, worked() - before

    found = [json.loads(row.value) for row in spark.read.text(str(options.answers)).collect()]
    names = [answer["id"] for answer in found]
    errors = sum("error" in answer for answer in found)
    spark.stop()
    print(f"{len(paths)} pictures, {len(found)} answers, {errors} of them errors")
    if sorted(names) != paths:
        raise SystemExit("some pictures have no answer, or more than one")
    print(f"{passed:.1f} s, {work:.1f} s of a core's work: {len(paths) / work:.2f} pictures a second of a core")
    if direct:
        seconds, alone_work = direct
        print(
            f"without Spark {seconds:.1f} s, {alone_work:.1f} s of work: {len(paths) / alone_work:.2f}; Spark does "
            f"{alone_work / work:.2f} of that, {seconds / passed:.2f} by the clock")
        if alone_work < 0.9 * work:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
