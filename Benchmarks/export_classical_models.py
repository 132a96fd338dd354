#!/usr/bin/env python3
"""Writes models of ai.onnx.ml as scikit-learn, XGBoost and LightGBM are converted to them, with random numbers.

usage: export_classical_models.py FOLDER

Forests, boosted trees, support vector machines and linear models, for 1, 64 and 1,000 rows. Measure them with
compare_onnxruntime.py --models FOLDER/*.onnx.
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper

DOMAIN = "ai.onnx.ml"


def numbers(random, count, scale=1.0):
    return [float(number) for number in random.standard_normal(count) * scale]


def trees(random, count, depth, features, targets, comparison):
    """Complete trees, of which tree t votes for target t modulo their number."""
    nodes = {name: [] for name in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")}
    votes = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    inner = 2**depth - 1
    for tree in range(count):
        for node in range(2 * inner + 1):
            is_leaf = node >= inner
            nodes["treeids"].append(tree)
            nodes["nodeids"].append(node)
            nodes["featureids"].append(0 if is_leaf else int(random.integers(features)))
            nodes["values"].append(0.0 if is_leaf else float(random.standard_normal()))
            nodes["modes"].append("LEAF" if is_leaf else comparison)
            nodes["truenodeids"].append(0 if is_leaf else 2 * node + 1)
            nodes["falsenodeids"].append(0 if is_leaf else 2 * node + 2)
            if is_leaf:
                votes["treeids"].append(tree)
                votes["nodeids"].append(node)
                votes["ids"].append(tree % targets)
                votes["weights"].append(float(random.standard_normal()) * 0.1)
    return nodes, votes


def ensemble(random, kind, prefix, count, depth, features, targets, comparison, **attributes):
    nodes, votes = trees(random, count, depth, features, targets, comparison)
    lists = {f"nodes_{name}": values for name, values in nodes.items()}
    lists |= {f"{prefix}_{name}": values for name, values in votes.items()}
    outputs = ["y"] if kind == "TreeEnsembleRegressor" else ["label", "y"]
    return [helper.make_node(kind, ["x"], outputs, domain=DOMAIN, **lists, **attributes)]


def models(random):
    """Name, features, scores and nodes, which read "x" and give "y", and "label" where there are classes."""
    yield "forest", 20, 1, ensemble(
        random, "TreeEnsembleRegressor", "target", 100, 6, 20, 1, "BRANCH_LEQ", n_targets=1)
    yield "boosted", 30, 3, ensemble(
        random, "TreeEnsembleClassifier", "class", 300, 4, 30, 3, "BRANCH_LT", classlabels_int64s=[0, 1, 2],
        post_transform="SOFTMAX")
    yield "vectors", 16, 1, [
        helper.make_node(
            "SVMRegressor", ["x"], ["y"], domain=DOMAIN, kernel_type="RBF", kernel_params=[0.1, 0.0, 3.0],
            n_supports=200, support_vectors=numbers(random, 200 * 16), coefficients=numbers(random, 200), rho=[0.5])
    ]
    yield "linear", 32, 5, [
        helper.make_node("Scaler", ["x"], ["scaled"], domain=DOMAIN, offset=[0.1] * 32, scale=[0.5] * 32),
        helper.make_node(
            "LinearClassifier", ["scaled"], ["label", "y"], domain=DOMAIN, classlabels_ints=list(range(5)),
            coefficients=numbers(random, 5 * 32), intercepts=[0.1] * 5, post_transform="SOFTMAX"),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for rows in (1, 64, 1000):
        for name, features, scores, nodes in models(np.random.default_rng(0)):
            outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, scores])]
            if nodes[-1].output[0] == "label":
                outputs.insert(0, helper.make_tensor_value_info("label", TensorProto.INT64, [rows]))
            graph = helper.make_graph(
                nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, features])], outputs)
            opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 3)]
            onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), folder / f"{name}-{rows}.onnx")


if __name__ == "__main__":
    main()
