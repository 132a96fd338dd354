"""Copies the installed ONNX Runtime and has the copy believe that the processor knows AVX2 and nothing beyond.

    python3 Benchmarks/onnxruntime_without_avx512.py FOLDER
    PYTHONPATH=FOLDER APUS_KERNELS=avx2 python3 Benchmarks/compare_onnxruntime.py …

ONNX Runtime has no setting for that. Where its kernels are chosen, it asks which registers the system keeps (XGETBV): the copy
finds there that those of AVX-512 are not kept. What else it chooses, VNNI of AVX2 for one, stays as it is. Nothing outside
FOLDER is changed.
"""

import argparse
import pathlib
import shutil
import sys

import onnxruntime

# xgetbv; mov eax, eax; shl rdx, 32; or rdx, rax; not rax; mov r8, rdx; test al, 6 — as ONNX Runtime 1.32.0 is compiled.
ASKING = bytes.fromhex("0f01d0 89c0 48c1e220 4809c2 48f7d0 4989d0 a806")
# What is kept lies in r8, of which only AVX-512 and AMX are asked later on: xor r8d, r8d.
FROM, TO = bytes.fromhex("4989d0 a806"), bytes.fromhex("4531c0 a806")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    copy = parser.parse_args().folder / "onnxruntime"
    if copy.exists():
        parser.error(f"{copy} is there already")
    shutil.copytree(pathlib.Path(onnxruntime.__file__).parent, copy)
    (library,) = (copy / "capi").glob("onnxruntime_pybind11_state*.so")
    program = library.read_bytes()
    if program.count(ASKING) != 1:
        shutil.rmtree(copy)
        sys.exit(f"ONNX Runtime {onnxruntime.__version__} does not ask as 1.32.0 does; nothing was written")
    library.write_bytes(program.replace(ASKING, ASKING.replace(FROM, TO)))
    print(copy)


if __name__ == "__main__":
    main()
