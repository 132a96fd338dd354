"""Models that try the graph rather than an operator: `Tests/Fixtures/onnx/core.zip`."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from onnx_cases import Cases, reference

FLOAT = TensorProto.FLOAT


def model(nodes, inputs, outputs, initializers=(), functions=(), opset=21, domains=(), ir_version=10):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    return helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=ir_version)


def tensor(name, *shape, type=FLOAT):
    return helper.make_tensor_value_info(name, type, shape)


def main():
    cases = Cases("core")
    rng = np.random.default_rng(1)
    x = rng.standard_normal((3, 5), dtype=np.float32)
    y = rng.standard_normal((3, 5), dtype=np.float32)
    node = helper.make_node

    # The file's order is no order in which nodes could run.
    cases.add(
        "unordered",
        model([node("Relu", ["s"], ["y"]), node("Sigmoid", ["x"], ["s"])], [tensor("x", 3, 5)], [tensor("y", 3, 5)]),
        [x],
        [np.maximum(1 / (1 + np.exp(-x.astype(np.float64))), 0).astype(np.float32)],
    )
    # An initialiser that is also an input is a default, which may be replaced.
    for name, inputs, used in (("default_kept", [], y), ("default_replaced", [x], x)):
        cases.add(
            name,
            model(
                [node("LeakyRelu", ["w"], ["y"], alpha=0.25)], [tensor("w", 3, 5)], [tensor("y", 3, 5)],
                [numpy_helper.from_array(y, "w")], ir_version=3,
            ),
            inputs,
            [np.where(used < 0, used * np.float32(0.25), used)],
        )
    # An output that is an initialiser, an output that is an input, and one value given twice.
    cases.add(
        "outputs_without_nodes",
        model(
            [node("Identity", ["x"], ["z"])], [tensor("x", 3, 5)],
            [tensor("x", 3, 5), tensor("w", 3, 5), tensor("z", 3, 5)], [numpy_helper.from_array(y, "w")],
        ),
        [x],
        [x, y, x],
    )
    # A function that calls another; attributes given, referred to and left at their defaults.
    inner = helper.make_function(
        "local", "Inner", ["a"], ["b"], [node("LeakyRelu", ["a"], ["b"])],
        [helper.make_opsetid("", 21)], attributes=["alpha"],
    )
    attribute = inner.node[0].attribute.add()
    attribute.name, attribute.ref_attr_name, attribute.type = "alpha", "alpha", 1
    outer = helper.make_function(
        "local", "Outer", ["a"], ["c"],
        [node("Inner", ["a"], ["b"], domain="local", alpha=0.5), node("Relu", ["b"], ["c"])],
        [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)],
    )
    calls = model(
        [node("Outer", ["x"], ["p"], domain="local"), node("Inner", ["x"], ["q"], domain="local", alpha=0.125),
         node("Inner", ["x"], ["r"], domain="local")],
        [tensor("x", 3, 5)], [tensor("p", 3, 5), tensor("q", 3, 5), tensor("r", 3, 5)],
        functions=[inner, outer], domains=["local"],
    )
    scaled = lambda alpha: np.where(x < 0, x * np.float32(alpha), x)
    cases.add("functions", calls, [x], [np.maximum(x, 0), scaled(0.125), scaled(0.01)])
    cases.write()


if __name__ == "__main__":
    main()
