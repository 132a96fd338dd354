"""Files of named tensors that `apus parity` reads: .safetensors or .npz, by their ending."""

import json
from pathlib import Path

import numpy as np

#: Element types by the names that safetensors has for them. numpy has no bfloat16; ml_dtypes provides it.
SAFETENSORS_TYPES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}


def write(path, arrays, metadata=None):
    """Writes `arrays`, a dictionary; returns the names of those that the format cannot hold (strings, float8, ...)."""
    path = Path(path)
    if path.suffix == ".npz":
        kept = {name: array for name, array in arrays.items() if array.dtype.name in SAFETENSORS_TYPES}
        kept = {name: array for name, array in kept.items() if array.dtype.name != "bfloat16"}
        np.savez(path, **kept)
    elif path.suffix == ".safetensors":
        kept = {name: array for name, array in arrays.items() if array.dtype.name in SAFETENSORS_TYPES}
        write_safetensors(path, kept, metadata or {})
    else:
        raise SystemExit(f"{path}: expected a name that ends in .npz or .safetensors")
    return sorted(set(arrays) - set(kept))


def write_safetensors(path, arrays, metadata):
    # Wide types first, so that every tensor is aligned.
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header, offset = {"__metadata__": {key: str(value) for key, value in metadata.items()}}, 0
    for name in order:
        array = arrays[name]
        header[name] = {
            "dtype": SAFETENSORS_TYPES[array.dtype.name], "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            file.write(np.ascontiguousarray(arrays[name]).tobytes())


def read(path):
    """The arrays of a .npz, .npy or .safetensors file; a .npy file's has the name ''."""
    path = Path(path)
    if path.suffix == ".npz":
        return dict(np.load(path))
    if path.suffix == ".npy":
        return {"": np.load(path)}
    from safetensors.numpy import load_file

    return load_file(path)
