"""Writes the table of StandardSignatures.swift: the inputs and outputs of the standard's operators, and what their attributes
are called, for each version in which they changed.

    python onnx_signatures.py
"""

import pathlib

import onnx

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "Sources/ApusGraph"

KINDS = {
    onnx.defs.OpSchema.FormalParameterOption.Single: "s",
    onnx.defs.OpSchema.FormalParameterOption.Optional: "o",
    onnx.defs.OpSchema.FormalParameterOption.Variadic: "v"}


def signature(schema):
    kinds = lambda parameters: "".join(KINDS[parameter.option] for parameter in parameters) or "-"
    inputs = kinds(schema.inputs)
    if inputs.endswith("v") and schema.min_input == len(inputs):
        # One value at least.
        inputs = inputs[:-1] + "V"
    return " ".join([inputs, kinds(schema.outputs), *sorted(schema.attributes)])


def main():
    (path,) = SOURCES.rglob("StandardSignatures.swift")
    schemas = sorted((s for s in onnx.defs.get_all_schemas_with_history() if s.domain == ""),
                     key=lambda s: (s.name, s.since_version))
    lines, last = [], None
    for schema in schemas:
        if (schema.name, signature(schema)) != last:
            last = schema.name, signature(schema)
            lines.append(f"{schema.name} {schema.since_version} {signature(schema)}")
    head, _, rest = path.read_text().partition('"""\n')
    tail = rest.partition('"""')[2]
    text = "".join(f"    {line}\n" for line in lines)
    path.write_text(f'{head}"""\n{text}    """{tail}')
    print(f"{path}: {len(lines)} signatures of onnx {onnx.__version__}, up to version {onnx.defs.onnx_opset_version()}")


if __name__ == "__main__":
    main()
