"""Golden file of attention: the function and the layer with its projections."""

import torch
import torch.nn.functional as F

from golden import GoldenFile, normal

golden = GoldenFile("attention", __file__)

for shape, keys, values, causal in (((2, 3, 5, 8), 7, 8, False), ((1, 2, 6, 4), 6, 3, True), ((3, 9, 16), 9, 16, False)):
    lead, queries, features = shape[:-2], shape[-2], shape[-1]
    for mask in (None, "boolean", "additive") if not causal else (None,):
        def make(generator):
            operands = {
                "query": normal(generator, *shape),
                "key": normal(generator, *lead, keys, features),
                "value": normal(generator, *lead, keys, values),
            }
            if mask == "boolean":
                allowed = torch.rand(queries, keys, generator=generator) > 0.4
                allowed[:, 1] = True
                operands["mask"] = allowed
            if mask == "additive":
                operands["mask"] = normal(generator, queries, keys)
            return operands

        golden.case(
            f"function.{'x'.join(map(str, shape))}.{keys}x{values}.{mask or ('causal' if causal else 'plain')}",
            make,
            lambda query, key, value, mask=None: F.scaled_dot_product_attention(
                query, key, value, attn_mask=mask, is_causal=causal),
            {"isCausal": causal},
        )


def layer(embedding, heads, queries, keys, batch, *, batch_first=False, bias=True, mask=None, padding=False, sizes=None):
    options = {"batch_first": batch_first, "bias": bias}
    if sizes:
        options |= {"kdim": sizes[0], "vdim": sizes[1]}
    module = torch.nn.MultiheadAttention
    names = {name: value.shape for name, value in module(embedding, heads, **options).named_parameters()}

    def operand(generator, time, features):
        return normal(generator, *((batch, time) if batch_first else (time, batch)), features)

    def make(generator):
        operands = {"query": operand(generator, queries, embedding)}
        if keys:
            operands["key"] = operand(generator, keys, sizes[0] if sizes else embedding)
            operands["value"] = operand(generator, keys, sizes[1] if sizes else embedding)
        for name, shape in names.items():
            operands[f"parameter.{name}"] = normal(generator, *shape, scale=embedding**-0.5)
        count = keys or queries
        if mask == "boolean":
            left_out = torch.rand(queries, count, generator=generator) > 0.6
            left_out[:, 0] = False
            operands["mask"] = left_out
        if mask == "additive":
            operands["mask"] = normal(generator, queries, count)
        if padding:
            left_out = torch.zeros(batch, count, dtype=torch.bool)
            left_out[0, -2:] = True
            operands["padding"] = left_out
        return operands

    def run(query, key=None, value=None, mask=None, padding=None, **parameters):
        attention = module(embedding, heads, **options).to(query.dtype).eval()
        attention.load_state_dict({name.removeprefix("parameter."): v for name, v in parameters.items()})
        key = query if key is None else key
        value = key if value is None else value
        if padding is not None and mask is not None and mask.dtype != torch.bool:
            padding = torch.zeros(padding.shape, dtype=mask.dtype).masked_fill(padding, float("-inf"))
        return attention(
            query, key, value, attn_mask=mask, key_padding_mask=padding, need_weights=False)[0]

    golden.case(
        f"layer.{embedding}x{heads}.{queries}x{keys or queries}.b{batch}"
        + (".first" if batch_first else "") + ("" if bias else ".plain") + (f".{mask}" if mask else "")
        + (".padding" if padding else "") + (".sizes" if sizes else ""),
        make, run,
        {"embedding": embedding, "heads": heads, "batchFirst": batch_first}
        | ({"keyFeatures": sizes[0], "valueFeatures": sizes[1]} if sizes else {}),
    )


layer(12, 3, 5, None, 2)
layer(16, 2, 4, 6, 2, batch_first=True, mask="boolean", padding=True)
layer(8, 4, 3, 5, 1, bias=False, mask="additive")
layer(10, 2, 7, None, 2, batch_first=True, mask="additive", padding=True)
layer(12, 2, 3, 4, 2, batch_first=True, sizes=(5, 9))
golden.write()
