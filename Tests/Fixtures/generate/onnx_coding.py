"""What every code of the small number types stands for, and where the rounding of every Float to them changes.

    python Tests/Fixtures/generate/onnx_coding.py

Values come from ml_dtypes, which the reference implementation of ONNX rounds with. Each `.steps` table has rows of two
numbers: the bits of a Float, and the code of it and of all Floats up to the next row. So a table of a few hundred rows
says what becomes of each of the 2^32 Floats.
"""

import pathlib

import ml_dtypes
import numpy as np
from onnx import numpy_helper
from safetensors.numpy import save_file

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "onnx"
FLOATS = {
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "float6e2m3": ml_dtypes.float6_e2m3fn,
    "float6e3m2": ml_dtypes.float6_e3m2fn,
}
INTEGERS = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int2": ml_dtypes.int2, "uint2": ml_dtypes.uint2}
BITS = {"float4e2m1": 4, "float6e2m3": 6, "float6e3m2": 6, "int4": 4, "uint4": 4, "int2": 2, "uint2": 2}


def steps(code_of):
    """Rows (bits, code) where the code changes, over all Floats in the order of their bits."""

    def codes(bits):
        return code_of(np.asarray(bits, np.uint32).view(np.float32)).astype(np.int64)

    # Between two neighbours of this grid a code changes at most once.
    grid = np.arange(0, 2**32, 2**14, dtype=np.int64)
    grid_codes = codes(grid)
    rows = [(0, int(grid_codes[0]))]
    ends = np.append(grid, 2**32 - 1)
    end_codes = np.append(grid_codes, codes([2**32 - 1]))
    for index in np.nonzero(np.diff(end_codes))[0]:
        low, high = int(ends[index]), int(ends[index + 1])
        while high - low > 1:
            middle = (low + high) // 2
            if codes([middle])[0] == end_codes[index]:
                low = middle
            else:
                high = middle
        rows.append((high, int(end_codes[index + 1])))
    return np.array(rows, np.int64)


def main():
    tensors = {}
    for name, dtype in FLOATS.items():
        count = 2 ** BITS.get(name, 8)
        tensors[f"{name}.values"] = np.arange(count, dtype=np.uint8).view(dtype).astype(np.float32)
        tensors[f"{name}.steps"] = steps(lambda x: x.astype(dtype).view(np.uint8))
        # Clipped first, as the reference implementation saturates.
        tensors[f"{name}.saturating.steps"] = steps(lambda x: numpy_helper.saturate_cast(x, dtype).view(np.uint8))
    for name, dtype in INTEGERS.items():
        count = 2 ** BITS[name]
        mask = count - 1
        tensors[f"{name}.values"] = np.arange(count, dtype=np.uint8).view(dtype).astype(np.float32)
        numbers = np.array([0, 0.9, -0.9, 1.5, 2, -2, 2.7, -2.7, 7, 8, -8, -9, 15, 16, 17.5, 300, -300.2], np.float32)
        tensors[f"{name}.numbers"] = numbers
        tensors[f"{name}.codes"] = numbers.astype(dtype).view(np.uint8) & mask
        whole = np.array([0, 1, -1, 7, 8, -8, -9, 200, -300, 2**33 + 5, -(2**40) - 3], np.int64)
        tensors[f"{name}.whole"] = whole
        tensors[f"{name}.whole.codes"] = whole.astype(dtype).view(np.uint8) & mask
    powers = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    tensors["float8e8m0.values"] = powers
    # Normal numbers alone: below them the reference does not keep to the tables of the standard.
    generator = np.random.default_rng(5)
    bits = generator.integers(0x00800000, 0x7F800000, 500, dtype=np.uint32)
    exact = np.arange(1, 255, dtype=np.uint32) << 23
    bits = np.concatenate([bits, exact, exact + 1, exact - 1, exact + 0x400000, exact + 0x3FFFFF, exact + 0x400001])
    numbers = bits[bits >= 0x00800000].view(np.float32)
    tensors["float8e8m0.numbers"] = numbers
    for mode in ("up", "down", "nearest"):
        for saturate in (True, False):
            codes = numpy_helper.to_float8e8m0(numbers, saturate, mode).view(np.uint8)
            tensors[f"float8e8m0.{mode}{'.saturating' if saturate else ''}"] = codes
    FOLDER.mkdir(exist_ok=True)
    save_file({name: np.ascontiguousarray(value) for name, value in tensors.items()}, FOLDER / "coding.safetensors")


main()
