"""Picks of the tests that coremltools' own come to one for each operation: Tests/Fixtures/coreml-cases.tar.xz.

    python coreml_cases.py FOLDER...          # folders of tests as docs/coreml.md describes them

A test counts for the first of its operations. Of each operation the test of middle size is taken, and of one that is never the
first the smallest; tests that are expected to fail, that depend on chance, or that are larger than 20,000 bytes are not.
"""
import io
import json
import lzma
import sys
import tarfile
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1]
FAILURES = {line.split("#")[0].strip() for line in (FIXTURES / "coreml/expected_failures.txt").read_text().splitlines()}
LIMIT = 20_000


def files(test):
    return sorted(path for path in test.rglob("*") if path.is_file())


tests = {}
others = {}
for folder in sys.argv[1:]:
    for test in Path(folder).iterdir():
        if not (test / "test.json").exists() or test.name in FAILURES:
            continue
        operations = [name for name in json.loads((test / "test.json").read_text()).get("ops", []) if name != "cast"]
        size = sum(path.stat().st_size for path in files(test))
        if size < LIMIT and not any(name.startswith("random") for name in operations):
            entry = (size, test.name, test)
            tests.setdefault(operations[0] if operations else "?", []).append(entry)
            for name in operations[1:]:
                others[name] = min(others.get(name, entry), entry, key=lambda entry: entry[:2])

picked = {}
for operation in sorted(tests):
    _, name, test = sorted(tests[operation], key=lambda entry: entry[:2])[len(tests[operation]) // 2]
    picked[name] = test
picked.update({name: test for operation, (_, name, test) in sorted(others.items()) if operation not in tests})

archive = io.BytesIO()
with tarfile.open(fileobj=archive, mode="w") as tar:
    for name, test in sorted(picked.items()):
        for path in files(test):
            info = tarfile.TarInfo(f"{name}/{path.relative_to(test)}")
            info.size = path.stat().st_size
            tar.addfile(info, io.BytesIO(path.read_bytes()))
target = FIXTURES / "coreml-cases.tar.xz"
target.write_bytes(lzma.compress(archive.getvalue(), preset=9 | lzma.PRESET_EXTREME))
print(f"{len(picked)} tests, {target.stat().st_size} bytes")
