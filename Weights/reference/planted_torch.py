"""Exported programs with and without a fault of the module they were made of; see planted_faults.py."""

import torch
from torch.fx import Interpreter, Node


def export(network, inputs, path):
    """The program, also written as .pt2."""
    program = torch.export.export(network, tuple(inputs.values()))
    torch.export.save(program, path)
    return program


class Recorder(Interpreter):
    """Runs a graph and keeps what every node gives, by the node's name."""

    def __init__(self, module, graph):
        super().__init__(module, graph=graph)
        self.values = {}

    def run_node(self, node):
        value = super().run_node(node)
        if isinstance(value, torch.Tensor) and node.op in ("call_function", "placeholder"):
            self.values[node.name] = value.detach().contiguous().numpy()
        return value


def parameters(program):
    """What placeholders that are no inputs stand for, by their names."""
    signature = program.graph_signature
    stored = {**program.state_dict, **program.constants}
    targets = {**signature.inputs_to_parameters, **signature.inputs_to_buffers, **signature.inputs_to_lifted_tensor_constants}
    return {name: stored[target] for name, target in targets.items()}


def values(program, inputs):
    """What every node of a program gives."""
    given, rest = parameters(program), iter(inputs.values())
    placeholders = [node.name for node in program.graph.nodes if node.op == "placeholder"]
    recorder = Recorder(program.graph_module, program.graph)
    with torch.no_grad():
        recorder.run(*[given[name] if name in given else next(rest) for name in placeholders])
    return {name: value for name, value in recorder.values.items() if name not in given}


def described(node, given, places):
    """What a node does: its function, its constants, the weights and the places of the nodes that it reads."""
    def one(value):
        if isinstance(value, (list, tuple)):
            return tuple(map(one, value))
        if isinstance(value, Node):
            weight = given.get(value.name)
            return places.get(value.name, value.name) if weight is None else weight.detach().numpy().tobytes()
        return repr(value)
    return str(node.target), one(node.args), tuple((name, one(value)) for name, value in sorted(node.kwargs.items()))


def name(node):
    """What Apus calls a node: behind the path of the module that it is of."""
    path = [path for path, _ in node.meta.get("nn_module_stack", {}).values()][-1:]
    return "/".join([*filter(None, path), node.name])


def faulty_nodes(sound, wrong):
    """The names of the nodes of `wrong` that do something else than those of `sound`: the one in the same place, or, where
    there are more, the first that has none like it and those that read it."""
    lists = []
    for program in (sound, wrong):
        nodes = [node for node in program.graph.nodes if node.op == "call_function"]
        places, given = {node.name: index for index, node in enumerate(nodes)}, parameters(program)
        lists.append([(node, described(node, given, places)) for node in nodes])
    if len(lists[0]) == len(lists[1]):
        return {name(new) for (_, old), (new, text) in zip(*lists) if old != text}
    first = next(i for i, ((_, old), (_, new)) in enumerate(zip(*lists)) if old != new)
    node = lists[1][first][0]
    return {name(each) for each in (node, *node.users)}
