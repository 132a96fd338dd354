"""Golden file of recurrent layers: parameters by their names in the state dictionary, operands, and initial states.

More seeds than elsewhere: the few numbers of a small layer depend on each other, step by step, so that the errors of eight
are luck.
"""

import torch

from golden import GoldenFile, normal

golden = GoldenFile("recurrent", __file__)


def case(kind, inputs, hidden, layers, time, batch, *, bidirectional=False, batch_first=False, bias=True, states=False,
         nonlinearity=None, seeds=range(32)):
    options = {"num_layers": layers, "bidirectional": bidirectional, "batch_first": batch_first, "bias": bias}
    if nonlinearity:
        options["nonlinearity"] = nonlinearity
    module = getattr(torch.nn, kind)
    names = {name: value.shape for name, value in module(inputs, hidden, **options).named_parameters()}
    rows = layers * (2 if bidirectional else 1)

    def make(generator):
        operands = {"x": normal(generator, *((batch, time) if batch_first else (time, batch)), inputs)}
        for name, shape in names.items():
            # States that nothing bounds would grow from step to step, and the largest would be all that counts.
            gain = 0.5 if nonlinearity == "relu" else 1
            operands[f"parameter.{name}"] = normal(generator, *shape, scale=gain * hidden**-0.5)
        if states:
            operands["h0"] = normal(generator, rows, batch, hidden)
            if kind == "LSTM":
                operands["c0"] = normal(generator, rows, batch, hidden)
        return operands

    def run(x, h0=None, c0=None, **parameters):
        layer = module(inputs, hidden, **options).to(x.dtype)
        layer.load_state_dict({name.removeprefix("parameter."): value for name, value in parameters.items()})
        output, final = layer(x, (h0, c0) if c0 is not None else h0)
        if kind == "LSTM":
            return {"output": output, "hidden": final[0], "cell": final[1]}
        return {"output": output, "hidden": final}

    golden.case(
        f"{kind}.{inputs}x{hidden}x{layers}.t{time}.b{batch}"
        + (".both" if bidirectional else "") + (".first" if batch_first else "") + ("" if bias else ".plain")
        + (".states" if states else "") + (f".{nonlinearity}" if nonlinearity else ""),
        make, run,
        {"inputs": inputs, "hidden": hidden, "layers": layers, "bidirectional": bidirectional, "batchFirst": batch_first,
         "nonlinearity": nonlinearity or "tanh"},
        seeds=seeds,
    )


case("RNN", 3, 5, 1, 6, 2)
case("RNN", 4, 6, 2, 5, 1, bidirectional=True, batch_first=True, nonlinearity="relu", states=True, seeds=range(64))
for kind in ("LSTM", "GRU"):
    case(kind, 3, 5, 1, 7, 2)
    case(kind, 5, 4, 2, 5, 3, bidirectional=True, states=True)
    case(kind, 7, 17, 1, 4, 1, batch_first=True, bias=False, seeds=range(8))
    case(kind, 4, 3, 3, 1, 2, batch_first=True, bidirectional=True)
golden.write()
