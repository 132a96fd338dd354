"""Writes Sources/ApusGraph/Operators/StandardSignatures.swift: how many inputs and outputs the standard's operators have,
and what their attributes are called, in any version of theirs.

    python onnx_signatures.py
"""

import pathlib

import onnx

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "Sources/ApusGraph"
MANY = 2**31 - 1


def main():
    (path,) = SOURCES.rglob("StandardSignatures.swift")
    signatures = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            inputs, outputs, attributes = signatures.get(schema.name, (0, 0, set()))
            signatures[schema.name] = (
                max(inputs, schema.max_input), max(outputs, schema.max_output), attributes | set(schema.attributes))
    count = lambda n: "*" if n == MANY else str(n)
    lines = [" ".join([name, count(inputs), count(outputs), *sorted(attributes)])
             for name, (inputs, outputs, attributes) in sorted(signatures.items())]
    head, _, rest = path.read_text().partition('"""\n')
    tail = rest.partition('"""')[2]
    text = "".join(f"    {line}\n" for line in lines)
    path.write_text(f'{head}"""\n{text}    """{tail}')
    print(f"{path}: {len(lines)} operators of onnx {onnx.__version__}, up to version {onnx.defs.onnx_opset_version()}")


if __name__ == "__main__":
    main()
