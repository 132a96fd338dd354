"""Tests of ApusTorch: small models of Hugging Face's architectures, as torch.export writes them.

    python torch_architectures.py FOLDER [NAME …] [--core] [--open]
    apus conformance FOLDER

A test is a folder as docs/torch.md describes it. Weights are random, and sizes small: two layers of 64 numbers. `--core`
decomposes each program to core ATen, `--open` leaves batch, length, height and width open. What torch.export refuses is said and
left out.
"""
import argparse
import json
import shutil
import warnings
from pathlib import Path

import numpy
import torch
import transformers
from torch.utils import _pytree as pytree

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()

SMALL = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128)
WORDS = SMALL | dict(vocab_size=100)
PATCHES = SMALL | dict(image_size=64, patch_size=16)
GPT = dict(n_embd=64, n_layer=2, n_head=4, vocab_size=100)
PAIR = dict(d_model=64, vocab_size=100, decoder_layers=2, encoder_layers=2, decoder_attention_heads=4, decoder_ffn_dim=128)
PAIR |= dict(encoder_attention_heads=4, encoder_ffn_dim=128, pad_token_id=0, bos_token_id=1, eos_token_id=2)
PAIR |= dict(decoder_start_token_id=1)

# Those that read texts, that write them, that see and that hear: by the settings of their own.
READERS = {name: WORDS for name in """
    Albert Bert BigBird Camembert Canine ConvBert Deberta DebertaV2 Electra Ernie FNet IBert LayoutLM MegatronBert MobileBert
    MPNet Nystromformer RemBert RoFormer Roberta XLMRoberta""".split()}
READERS["DistilBert"] = dict(dim=64, n_layers=2, n_heads=4, hidden_dim=128, vocab_size=100)
WRITERS = {name: WORDS for name in """
    Apertus Arcee Bamba Bloom DeepseekV3 Doge Ernie4_5 Falcon FalconMamba GPTNeoX Granite Jamba Mamba Olmo Olmo2 Olmoe Persimmon Phi
    Qwen3Moe RecurrentGemma Rwkv Starcoder2""".split()}
WRITERS |= {name: WORDS | dict(num_key_value_heads=2) for name in "Llama Mistral Mixtral Qwen2 Qwen3".split()}
WRITERS |= {name: WORDS | dict(num_key_value_heads=2, head_dim=16) for name in "Gemma Gemma2 Gemma3".split()}
WRITERS |= {name: WORDS | dict(pad_token_id=0) for name in "Cohere Glm Phi3".split()}
WRITERS |= {"GPT2": GPT, "GPTJ": GPT | dict(rotary_dim=8), "CodeGen": GPT | dict(rotary_dim=8)}
WRITERS |= {"OPT": WORDS | dict(ffn_dim=128, word_embed_proj_dim=64), "Mpt": dict(d_model=64, n_layers=2, n_heads=4, vocab_size=100)}
WRITERS |= {"GPTNeo": dict(hidden_size=64, num_layers=2, num_heads=4, vocab_size=100, attention_types=[[["global", "local"], 1]])}
VIEWERS = {name: PATCHES for name in "Beit Data2VecVision DeiT Dinov2 IJepa ViT".split()}
VIEWERS |= {name: dict(image_size=64) for name in "MobileViT MobileViTV2".split()}
VIEWERS |= {name: dict(image_size=64, embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4) for name in ("Swin", "Swinv2")}
VIEWERS |= {name: {} for name in """
    ConvNext ConvNextV2 Cvt EfficientNet FocalNet Levit MobileNetV2 PoolFormer PvtV2 RegNet ResNet Segformer SwiftFormer
    TextNet""".split()}
HEARERS = {name: SMALL for name in "Data2VecAudio Hubert SEW UniSpeech Wav2Vec2 WavLM".split()}
OTHERS = {
    "T5": dict(d_model=64, d_ff=128, num_layers=2, num_heads=4, d_kv=16, vocab_size=100),
    "Bart": PAIR, "Whisper": PAIR | dict(max_source_positions=50),
    "CLIP": dict(text_config=WORDS, vision_config=PATCHES),
}


def build(name):
    """A model, and what it is called with."""
    torch.manual_seed(0)
    side = 224 if name == "Levit" else 64
    words, picture = torch.randint(1, 99, (2, 12)), torch.randn(1, 3, side, side)
    settings = (READERS | WRITERS | VIEWERS | HEARERS | OTHERS)[name]
    config = getattr(transformers, {"Gemma3": "Gemma3Text"}.get(name, name) + "Config")(**settings)
    kind = "ForCausalLM" if name in WRITERS else "Model"
    kind = {"GPT2": "LMHeadModel"}.get(name, kind)
    model = getattr(transformers, name + kind)(config).eval()
    if name in READERS:
        return model, dict(input_ids=words)
    if name in WRITERS:
        return model, dict(input_ids=words, use_cache=False)
    if name in VIEWERS:
        return model, dict(pixel_values=picture)
    if name in HEARERS:
        return model, dict(input_values=torch.randn(1, 4000))
    if name == "CLIP":
        return model, dict(input_ids=words, pixel_values=torch.randn(2, 3, 64, 64))
    first = dict(input_features=torch.randn(2, 80, 100)) if name == "Whisper" else dict(input_ids=words)
    return model, first | dict(decoder_input_ids=words[:, :5], use_cache=False)


def write(test, name, core, is_open):
    model, inputs = build(name)
    axes = {2: (0, 1), 3: (0,), 4: (0, 2, 3)}
    dynamic = {
        key: {axis: torch.export.Dim.AUTO for axis in axes[value.dim()]} if isinstance(value, torch.Tensor) else None
        for key, value in inputs.items()
    }
    with torch.no_grad():
        program = torch.export.export(model, (), inputs, strict=False, dynamic_shapes=dynamic if is_open else None)
        outputs = [leaf for leaf in pytree.tree_leaves(model(**inputs)) if isinstance(leaf, torch.Tensor)]
    if core:
        program = program.run_decompositions()
    shutil.rmtree(test, ignore_errors=True)
    test.mkdir(parents=True)
    torch.export.save(program, test / "model.pt2")
    given = {key: value.numpy() for key, value in inputs.items() if isinstance(value, torch.Tensor)}
    numpy.savez(test / "inputs.npz", **given)
    numpy.savez(test / "expected.npz", **{str(place): value.numpy() for place, value in enumerate(outputs)})
    (test / "test.json").write_text(json.dumps({"ops": [name], "rtol": 1e-3, "atol": 1e-4}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--open", action="store_true")
    options = parser.parse_args()
    for name in options.names or READERS | WRITERS | VIEWERS | HEARERS | OTHERS:
        try:
            write(options.folder / name, name, options.core, options.open)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error).strip().splitlines()[0][:160]}")


if __name__ == "__main__":
    main()
