"""Runs an ONNX model with ONNX Runtime and writes every value inside it, for `apus parity`.

    python Weights/reference/onnx_reference.py MODEL.onnx --output reference.safetensors
    python Weights/reference/onnx_reference.py MODEL.onnx --inputs inputs.npz --output reference.npz
    python Weights/reference/onnx_reference.py MODEL.onnx --dims batch=2 seq=16 --seed 7 --output reference.safetensors
    apus parity MODEL.onnx --expected reference.safetensors

The file holds the inputs as well, so it is all that `apus parity` needs. Without `--inputs` they are random: normal numbers,
0 to 1 with `--uniform`, integers below `--integers`.

Every output of every node becomes an output of the model. With the optimisations off, which is the default, that is what the
model's file says, node by node. With `--optimization all` ONNX Runtime still fuses what lies between two wanted values, and
so would fuse nothing if all of them were wanted: add `--names PATTERN` for the values that are to be kept, and compare the
two files to see what the optimisations change.

Values that the file format cannot hold (strings, sequences, float8, four bits) are omitted with a note, and values inside
the bodies of If, Loop and Scan are not seen. The model with its weights must stay below 2 GB.
"""

import argparse
import fnmatch
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import reference_file

LEVELS = {
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
#: Types that ONNX Runtime's Python API cannot return as arrays; FLOAT represents all of their values.
WIDENED = {TensorProto.BFLOAT16: "bfloat16"}


def inferred_types(model):
    """The types of values inside the model, as far as they are known."""
    try:
        graph = onnx.shape_inference.infer_shapes(model).graph
    except Exception as error:  # the model may still run
        print(f"note: shapes could not be inferred: {error}")
        graph = model.graph
    return {value.name: value.type for value in [*graph.value_info, *graph.output, *graph.input]}


def with_all_outputs(model, patterns):
    """The model with all intermediate values as outputs; those of bfloat16 are cast, and returned by their new names."""
    model, types = onnx.ModelProto.FromString(model.SerializeToString()), inferred_types(model)
    existing = {output.name for output in model.graph.output}
    wanted = [
        name for node in model.graph.node for name in node.output
        if name and (not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))
    ]
    casts = {}
    for name in dict.fromkeys([*wanted, *existing]):
        kind = types[name].tensor_type.elem_type if name in types else 0
        if kind in WIDENED:
            cast = f"{name}/as FLOAT"
            model.graph.node.append(helper.make_node("Cast", [name], [cast], to=TensorProto.FLOAT))
            casts[cast] = (name, WIDENED[kind])
            existing.add(name)
            name = cast
        if name not in existing:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model, casts


def random_inputs(model, dims, arguments):
    """An array for each input that has no default."""
    generator = np.random.default_rng(arguments.seed)
    defaults = {tensor.name for tensor in model.graph.initializer}
    arrays = {}
    for value in model.graph.input:
        if value.name in defaults:
            continue
        kind = value.type.tensor_type
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        shape = []
        for axis, dimension in enumerate(kind.shape.dim):
            size = dimension.dim_value or dims.get(dimension.dim_param) or dims.get(f"{value.name}.{axis}") or 1
            shape.append(size)
        if dtype.kind == "b":
            arrays[value.name] = generator.integers(0, 2, shape).astype(dtype)
        elif dtype.kind in "iu":
            arrays[value.name] = generator.integers(0, arguments.integers, shape).astype(dtype)
        elif dtype.kind in "OSU":
            raise SystemExit(f"input '{value.name}' holds texts: give --inputs")
        else:
            draw = generator.random if arguments.uniform else generator.standard_normal
            arrays[value.name] = draw(shape).astype(dtype)
    return arrays


def run(model, inputs, level="none", patterns=()):
    """The values inside `model` by name, and notes on what is missing."""
    whole, casts = with_all_outputs(model, patterns)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = LEVELS[level]
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    tensors = [output.name for output in session.get_outputs() if output.type.startswith("tensor(")]
    notes = [f"{o.name}: {o.type}" for o in session.get_outputs() if not o.type.startswith("tensor(")]
    unreadable = ("tensor(bfloat16)", "tensor(string)", "tensor(float8", "tensor(float4", "tensor(int4", "tensor(uint4")
    types = {output.name: output.type for output in session.get_outputs()}
    notes += [f"{name}: {types[name]}" for name in tensors
              if types[name].startswith(unreadable) and name not in {old for old, _ in casts.values()}]
    tensors = [name for name in tensors if not types[name].startswith(unreadable)]
    values = {}
    for name, array in zip(tensors, session.run(tensors, inputs)):
        if name in casts:
            import ml_dtypes

            name, dtype = casts[name]
            array = array.astype(getattr(ml_dtypes, dtype))
        values[name] = np.asarray(array)
    return values, notes


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL.onnx", type=Path)
    parser.add_argument("--inputs", metavar="FILE", type=Path, help=".npz, .safetensors, or .npy for a single input")
    parser.add_argument("--output", metavar="FILE", type=Path, required=True, help=".safetensors or .npz")
    parser.add_argument("--optimization", choices=LEVELS, default="none")
    parser.add_argument("--names", metavar="PATTERN", nargs="+", default=[], help="only these values; * for any characters")
    parser.add_argument("--dims", metavar="NAME=N", nargs="+", default=[], help="sizes of axes that the model leaves open")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--uniform", action="store_true", help="random inputs between 0 and 1")
    parser.add_argument("--integers", type=int, default=2, help="random integers are below this")
    arguments = parser.parse_args()
    model = onnx.load(arguments.model)
    if arguments.inputs:
        inputs = reference_file.read(arguments.inputs)
        names = [value.name for value in model.graph.input]
        inputs = {name or names[0]: array for name, array in inputs.items() if not name or name in names}
    else:
        inputs = random_inputs(model, {n: int(s) for n, s in (d.split("=") for d in arguments.dims)}, arguments)
    values, notes = run(model, inputs, arguments.optimization, arguments.names)
    metadata = {
        "made by": "Weights/reference/onnx_reference.py", "onnxruntime": onnxruntime.__version__,
        "optimization": arguments.optimization, "model": arguments.model.name,
    }
    left_out = reference_file.write(arguments.output, {**values, **inputs}, metadata)
    for name in [*notes, *left_out]:
        print(f"omitted: {name}")
    print(f"{arguments.output}: {len(inputs)} inputs, {len(values) - len(left_out)} values, "
          f"{arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
