"""Copies the installed ONNX Runtime and has the copy believe that the processor knows AVX2 and nothing beyond.

    python3 Benchmarks/onnxruntime_without_avx512.py FOLDER [--vnni]
    PYTHONPATH=FOLDER APUS_KERNELS=avx2 python3 Benchmarks/compare_onnxruntime.py …

With --vnni the copy still knows AVX-VNNI, where the processor has it; APUS_KERNELS=avxvnni is the same of Apus.

ONNX Runtime has no setting for that. Where its kernels are chosen, it asks which registers the system keeps (XGETBV): the copy
finds there that those of AVX-512 are not kept. Its other question is whether there are products of bytes (CPUID, bit 4 of
EAX): no. Nothing outside FOLDER is changed.
"""

import argparse
import pathlib
import shutil
import sys

import onnxruntime

# Both as ONNX Runtime 1.32.0 is compiled: what it asks, and what the copy has there.
# xgetbv; mov eax, eax; shl rdx, 32; or rdx, rax; not rax; mov r8, rdx; test al, 6. What is kept lies in r8, of which only
# AVX-512 and AMX are asked later on: xor r8d, r8d.
REGISTERS = ("0f01d0 89c0 48c1e220 4809c2 48f7d0 4989d0 a806", "0f01d0 89c0 48c1e220 4809c2 48f7d0 4531c0 a806")
# cpuid; test al, 16; je 56 bytes further: test al, 0.
PRODUCTS = ("0fa2 a810 7438", "0fa2 a800 7438")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--vnni", action="store_true", help="keep AVX-VNNI")
    arguments = parser.parse_args()
    copy = arguments.folder / "onnxruntime"
    if copy.exists():
        parser.error(f"{copy} is there already")
    shutil.copytree(pathlib.Path(onnxruntime.__file__).parent, copy)
    (library,) = (copy / "capi").glob("onnxruntime_pybind11_state*.so")
    program = library.read_bytes()
    for question, answer in [REGISTERS] + ([] if arguments.vnni else [PRODUCTS]):
        question, answer = bytes.fromhex(question), bytes.fromhex(answer)
        if program.count(question) != 1:
            shutil.rmtree(copy)
            sys.exit(f"ONNX Runtime {onnxruntime.__version__} does not ask as 1.32.0 does; nothing was written")
        program = program.replace(question, answer)
    library.write_bytes(program)
    print(copy)


if __name__ == "__main__":
    main()
