"""Writes networks that people export as ONNX files, with random weights: what speed is measured on beside files that ship.

    python3 Benchmarks/export_networks.py FOLDER [--only NAME …]
    python3 Benchmarks/compare_onnxruntime.py --models FOLDER/*.onnx

Architectures come from transformers, small enough for a laptop, and a few from plain PyTorch; both of PyTorch's exporters
have their share. Needs torch, onnx, onnxscript and transformers (Weights/requirements.txt).
"""

import argparse
import logging
import pathlib
import warnings

import torch
import transformers as tf
from torch import nn

EAGER = {"attn_implementation": "eager"}
BERT = {"vocab_size": 1000, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1024}


class UNet(nn.Module):
    """Four levels, joined by concatenation."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([self.level(a, b) for a, b in [(3, 16), (16, 32), (32, 64), (64, 128)]])
        self.raised = nn.ModuleList([nn.ConvTranspose2d(2 * c, c, 2, 2) for c in (64, 32, 16)])
        self.up = nn.ModuleList([self.level(2 * c, c) for c in (64, 32, 16)])
        self.head = nn.Conv2d(16, 1, 1)

    @staticmethod
    def level(inputs, outputs):
        def block(a):
            return [nn.Conv2d(a, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()]

        return nn.Sequential(*block(inputs), *block(outputs))

    def forward(self, x):
        kept = []
        for index, level in enumerate(self.down):
            x = level(x if index == 0 else nn.functional.max_pool2d(x, 2))
            kept.append(x)
        for raise_, level, side in zip(self.raised, self.up, reversed(kept[:-1])):
            x = level(torch.cat([raise_(x), side], 1))
        return torch.sigmoid(self.head(x))


class SuperResolution(nn.Module):
    """Residual blocks with PReLU and a pixel shuffle."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 32, 3, padding=1)
        self.blocks = nn.ModuleList([
            nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.PReLU(32), nn.Conv2d(32, 32, 3, padding=1)) for _ in range(6)
        ])
        self.last = nn.Sequential(nn.Conv2d(32, 12, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, x):
        x = self.first(x)
        y = x
        for block in self.blocks:
            y = y + block(y)
        return self.last(y + x)


class TextReader(nn.Module):
    """Convolutions, a bidirectional LSTM, logits a column."""

    def __init__(self):
        super().__init__()
        layers = []
        for inputs, outputs, pool in [(1, 32, 2), (32, 64, 2), (64, 128, (8, 1))]:
            layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.MaxPool2d(pool)]
        self.maps = nn.Sequential(*layers)
        self.lstm = nn.LSTM(128, 128, 2, bidirectional=True)
        self.head = nn.Linear(256, 80)

    def forward(self, x):
        x = self.maps(x).squeeze(2).permute(2, 0, 1)
        return self.head(self.lstm(x)[0]).log_softmax(-1)


class GroupNormTCN(nn.Module):
    """Dilated convolutions over time with group normalisation and GELU."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv1d(12, 64, 1), nn.Conv1d(64, 10, 1)
        self.layers = nn.ModuleList([nn.Conv1d(64, 64, 3, padding=2**i, dilation=2**i) for i in range(6)])
        self.norms = nn.ModuleList([nn.GroupNorm(8, 64) for _ in range(6)])

    def forward(self, x):
        x = self.first(x)
        for layer, norm in zip(self.layers, self.norms):
            x = x + nn.functional.gelu(norm(layer(x)))
        return self.last(x)


class Mixer(nn.Module):
    """MLPs over patches and over channels in turn."""

    def __init__(self, width=128, patches=196, depth=6):
        super().__init__()

        def mlp(size, hidden):
            return nn.Sequential(nn.Linear(size, hidden), nn.GELU(), nn.Linear(hidden, size))

        self.stem = nn.Conv2d(3, width, 16, 16)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2 * depth)])
        self.tokens = nn.ModuleList([mlp(patches, 256) for _ in range(depth)])
        self.channels = nn.ModuleList([mlp(width, 512) for _ in range(depth)])
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)
        for index, (tokens, channels) in enumerate(zip(self.tokens, self.channels)):
            x = x + tokens(self.norms[2 * index](x).transpose(1, 2)).transpose(1, 2)
            x = x + channels(self.norms[2 * index + 1](x))
        return self.head(x.mean(1))


def picture(size=224):
    return {"pixel_values": torch.randn(1, 3, size, size)}


def text(length):
    return {"input_ids": torch.randint(0, 1000, (1, length))}


# Name: the network, its inputs (a dictionary by argument, or a list), whether torch.export's exporter writes it.
NETWORKS = {
    "bert": lambda: (tf.BertModel(tf.BertConfig(hidden_size=256, **BERT, **EAGER)), text(128), False),
    "bert-export": lambda: (tf.BertModel(tf.BertConfig(hidden_size=256, **BERT)), text(128), True),
    "distilbert": lambda: (
        tf.DistilBertModel(tf.DistilBertConfig(vocab_size=1000, dim=384, n_layers=3, n_heads=6, hidden_dim=1536, **EAGER)),
        text(64), False),
    "albert": lambda: (
        tf.AlbertModel(tf.AlbertConfig(embedding_size=128, hidden_size=256, **BERT, **EAGER)), text(64), False),
    "mobilebert": lambda: (
        tf.MobileBertModel(tf.MobileBertConfig(vocab_size=1000, num_hidden_layers=6)), text(32), False),
    "gpt2": lambda: (
        tf.GPT2LMHeadModel(tf.GPT2Config(vocab_size=1000, n_embd=256, n_layer=4, n_head=4, use_cache=False, **EAGER)),
        text(64), True),
    "llama": lambda: (
        tf.LlamaForCausalLM(tf.LlamaConfig(
            vocab_size=1000, hidden_size=256, intermediate_size=688, num_hidden_layers=4, num_attention_heads=4,
            use_cache=False, **EAGER)), text(64), True),
    "t5-encoder": lambda: (
        tf.T5EncoderModel(tf.T5Config(vocab_size=1000, d_model=256, d_ff=1024, num_layers=4, num_heads=4, d_kv=64)),
        text(64), False),
    "whisper-encoder": lambda: (
        tf.models.whisper.modeling_whisper.WhisperEncoder(tf.WhisperConfig(
            d_model=256, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=1024, max_source_positions=400,
            **EAGER)), {"input_features": torch.randn(1, 80, 800)}, False),
    "vit": lambda: (vit(**EAGER), picture(), False),
    "vit-export": lambda: (vit(), picture(), True),
    "swin": lambda: (
        tf.SwinForImageClassification(tf.SwinConfig(embed_dim=48, depths=[2, 2, 4, 2], num_heads=[3, 6, 12, 24], **EAGER)),
        picture(), False),
    "convnext": lambda: (
        tf.ConvNextForImageClassification(tf.ConvNextConfig(depths=[2, 2, 4, 2], hidden_sizes=[48, 96, 192, 384])),
        picture(), False),
    "mobilenet-v1": lambda: (
        tf.MobileNetV1ForImageClassification(tf.MobileNetV1Config(depth_multiplier=0.75)), picture(), False),
    "mobilenet-v2": lambda: (tf.MobileNetV2ForImageClassification(tf.MobileNetV2Config()), picture(), False),
    "efficientnet": lambda: (
        tf.EfficientNetForImageClassification(tf.EfficientNetConfig(
            width_coefficient=1.0, depth_coefficient=1.0, image_size=224, hidden_dim=1280)), picture(), False),
    "resnet": lambda: (
        tf.ResNetForImageClassification(tf.ResNetConfig(
            layer_type="basic", hidden_sizes=[64, 128, 256, 512], depths=[2, 2, 2, 2])), picture(), False),
    "regnet": lambda: (
        tf.RegNetForImageClassification(tf.RegNetConfig(
            hidden_sizes=[32, 64, 160, 384], depths=[1, 3, 7, 4], groups_width=16)), picture(), False),
    "segformer": lambda: (
        tf.SegformerForSemanticSegmentation(tf.SegformerConfig(
            hidden_sizes=[32, 64, 160, 256], depths=[2, 2, 2, 2], decoder_hidden_size=256)), picture(256), False),
    "mobilevit": lambda: (
        tf.MobileViTForImageClassification(tf.MobileViTConfig(
            hidden_sizes=[96, 120, 144], neck_hidden_sizes=[16, 32, 48, 64, 80, 96, 384])), picture(256), False),
    "poolformer": lambda: (
        tf.PoolFormerForImageClassification(tf.PoolFormerConfig(depths=[2, 2, 4, 2], hidden_sizes=[32, 64, 160, 256])),
        picture(), False),
    "cvt": lambda: (
        tf.CvtForImageClassification(tf.CvtConfig(embed_dim=[32, 64, 128], num_heads=[1, 2, 4], depth=[1, 2, 4])),
        picture(), False),
    "levit": lambda: (
        tf.LevitForImageClassification(tf.LevitConfig(
            hidden_sizes=[64, 128, 192], num_attention_heads=[2, 4, 6], depths=[2, 2, 2], key_dim=[16, 16, 16])),
        picture(), False),
    "unet": lambda: (UNet(), [torch.randn(1, 3, 256, 256)], False),
    "super-resolution": lambda: (SuperResolution(), [torch.randn(1, 3, 128, 128)], False),
    "text-reader": lambda: (TextReader(), [torch.randn(1, 1, 32, 256)], False),
    "tcn-group-norm": lambda: (GroupNormTCN(), [torch.randn(1, 12, 512)], False),
    "mixer": lambda: (Mixer(), [torch.randn(1, 3, 224, 224)], False),
}


def vit(**options):
    return tf.ViTForImageClassification(tf.ViTConfig(
        hidden_size=192, num_hidden_layers=6, num_attention_heads=3, intermediate_size=768, **options))


class FirstOutput(nn.Module):
    """A network of transformers as a function of tensors with one result."""

    def __init__(self, network, names):
        super().__init__()
        self.network, self.names = network, names

    def forward(self, *values):
        result = self.network(**dict(zip(self.names, values))) if self.names else self.network(*values)
        for name in ("logits", "last_hidden_state"):
            if hasattr(result, name):
                return getattr(result, name)
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=NETWORKS)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    for name in arguments.only or NETWORKS:
        torch.manual_seed(0)
        network, inputs, is_export = NETWORKS[name]()
        names = list(inputs) if isinstance(inputs, dict) else []
        values = tuple(inputs.values()) if names else tuple(inputs)
        path = arguments.folder / f"{name}.onnx"
        with torch.no_grad():
            torch.onnx.export(
                FirstOutput(network, names).eval(), values, path, dynamo=is_export, opset_version=18, verbose=False,
                input_names=names or [f"x{index}" for index in range(len(values))])
        print(path, flush=True)


if __name__ == "__main__":
    main()
