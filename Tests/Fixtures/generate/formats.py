"""Small files in every format that Apus reads, written by the libraries that define the formats.

    python Tests/Fixtures/generate/formats.py

Each safetensors and NumPy file holds the same values in another type, so that the tests can state them in one line:
element i of a floating tensor is (i - 3) * 0.75, of an integer tensor i - 3 (i for unsigned), of a Boolean tensor i % 3 == 0.
"""

import pathlib
import zipfile

import numpy as np
import torch
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "formats"
SHAPE = (2, 3, 4)

FLOATING = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
SIGNED = {"I8": torch.int8, "I16": torch.int16, "I32": torch.int32, "I64": torch.int64}
UNSIGNED = {"U8": torch.uint8, "U16": torch.uint16, "U32": torch.uint32, "U64": torch.uint64}


def values(dtype):
    index = torch.arange(24).reshape(SHAPE)
    if dtype == torch.bool:
        return index % 3 == 0
    if dtype.is_floating_point:
        return ((index - 3) * 0.75).to(dtype)
    return (index - 3 if dtype.is_signed else index).to(dtype)


def safetensors_files():
    types = {**FLOATING, **SIGNED, **UNSIGNED, "BOOL": torch.bool}
    tensors = {f"all.{name}": values(dtype) for name, dtype in types.items()}
    tensors["scalar"] = torch.tensor(1.5)
    tensors["empty"] = torch.zeros(0, 4)
    tensors["naïve \"quoted\" 😀"] = torch.tensor([1.0, 2.0])
    save_file(tensors, FOLDER / "all-types.safetensors", metadata={"note": "tab\there, \x01\b\f ünïcode 😀"})


def numpy_types():
    for name, dtype in {**FLOATING, **SIGNED, **UNSIGNED, "BOOL": torch.bool}.items():
        if dtype != torch.bfloat16:
            yield name, values(dtype).numpy()


def numpy_files():
    arrays = dict(numpy_types())
    np.savez(FOLDER / "stored.npz", **arrays)
    np.savez_compressed(FOLDER / "deflated.npz", **arrays)
    np.save(FOLDER / "float32.npy", arrays["F32"])
    np.save(FOLDER / "fortran.npy", np.asfortranarray(arrays["F32"]))
    np.save(FOLDER / "fortran-i8.npy", np.asfortranarray(arrays["I8"]))
    np.save(FOLDER / "big-endian.npy", arrays["F32"].astype(">f4"))
    np.save(FOLDER / "big-endian-fortran.npy", np.asfortranarray(arrays["F64"].astype(">f8")))
    np.save(FOLDER / "big-endian-i2.npy", arrays["I16"].astype(">i2"))
    np.save(FOLDER / "scalar.npy", np.float32(1.5))
    np.save(FOLDER / "empty.npy", np.zeros((0, 4), np.float32))
    for version in (2, 3):
        with open(FOLDER / f"version-{version}.npy", "wb") as file:
            np.lib.format.write_array(file, arrays["F32"], version=(version, 0))
    np.save(FOLDER / "structured.npy", np.zeros(3, dtype=[("x", "<f4"), ("y", "<i4")]))
    np.save(FOLDER / "object.npy", np.array([1, "a"], dtype=object), allow_pickle=True)
    np.save(FOLDER / "complex.npy", np.zeros(3, np.complex64))
    np.save(FOLDER / "text.npy", np.array(["a", "bc"]))


def archives():
    """Archives as other programs write them: streamed, with a comment, 64-bit records, in several blocks of each kind."""
    array = dict(numpy_types())["F32"]
    with open(FOLDER / "streamed.npz", "wb") as file:
        with zipfile.ZipFile(Unseekable(file), "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("a.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array)
            archive.comment = b"a comment at the end"
    # Text that deflates to dynamic Huffman blocks, noise that stays stored, and zeros that make long matches.
    generator = np.random.default_rng(7)
    np.savez_compressed(
        FOLDER / "blocks.npz",
        noise=generator.integers(0, 256, 3000, dtype=np.uint8),
        zeros=np.zeros(300_000, np.float32),
        words=generator.choice(np.frombuffer(b"the quick brown fox ", np.uint8), 40_000),
    )


class Unseekable:
    """A stream that cannot go back, so that zipfile writes sizes after the data."""

    def __init__(self, file):
        self.write, self.flush = file.write, file.flush


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    safetensors_files()
    numpy_files()
    archives()
    for path in sorted(FOLDER.iterdir()):
        print(f"{path.stat().st_size:8} {path.name}")
