"""Picks of PyTorch's own samples one for each operator: Tests/Fixtures/torch-cases.tar.xz.

    python Weights/reference/torch_operators.py FOLDER; python torch_cases.py FOLDER [LIST]

A test counts for the first of its operators. Of each operator the test of middle size is taken; tests whose names LIST has, those
that do not pass or call what is not covered, and those that are larger than 9,000 bytes are not.
"""
import io
import json
import lzma
import sys
import tarfile
from pathlib import Path

LIMIT = 9_000
folder = Path(sys.argv[1])
left_out = set(Path(sys.argv[2]).read_text().split()) if len(sys.argv) > 2 else set()


def files(test):
    return sorted(path for path in test.rglob("*") if path.is_file())


tests = {}
for test in folder.iterdir():
    operators = [name for name in json.loads((test / "test.json").read_text())["ops"] if not name.startswith("aten._assert")]
    size = sum(path.stat().st_size for path in files(test))
    if operators and test.name not in left_out and size < LIMIT:
        tests.setdefault(operators[0], []).append((size, test.name, test))

archive = io.BytesIO()
with tarfile.open(fileobj=archive, mode="w") as tar:
    for operator in sorted(tests):
        _, name, test = sorted(tests[operator], key=lambda entry: entry[:2])[len(tests[operator]) // 2]
        for path in files(test):
            info = tarfile.TarInfo(f"{name}/{path.relative_to(test)}")
            info.size = path.stat().st_size
            tar.addfile(info, io.BytesIO(path.read_bytes()))
target = Path(__file__).resolve().parents[1] / "torch-cases.tar.xz"
target.write_bytes(lzma.compress(archive.getvalue(), preset=9 | lzma.PRESET_EXTREME))
print(f"{len(tests)} tests, {target.stat().st_size} bytes")
