"""Writes networks of forty further architectures of Hugging Face's library as ONNX files, by torch.onnx.export.

    python3 Benchmarks/export_architectures.py FOLDER [NAME …]
    python3 Benchmarks/compare_onnxruntime.py --models FOLDER/*.onnx

Of a tenth to a quarter of the published sizes, with the weights that they begin with: kinds of graphs, not models, that
nothing was tuned to. Needs torch, transformers and onnxscript (Weights/requirements.txt).
"""

import argparse
import pathlib

import torch
import transformers

torch.manual_seed(0)
IDS = torch.randint(5, 900, (1, 64))
MASK = torch.ones_like(IDS)
VOCABULARY = 1000
TEXT = dict(
    hidden_size=256, num_hidden_layers=4, num_attention_heads=8, intermediate_size=1024, vocab_size=VOCABULARY,
    max_position_embeddings=256)
PICTURE = dict(
    hidden_size=192, num_hidden_layers=4, num_attention_heads=6, intermediate_size=768, image_size=224, patch_size=16)
SPEECH = dict(
    hidden_size=256, num_hidden_layers=3, num_attention_heads=8, intermediate_size=1024, conv_dim=(128,) * 4,
    conv_stride=(5, 2, 2, 2), conv_kernel=(10, 3, 3, 3), num_conv_pos_embeddings=64, num_conv_pos_embedding_groups=8)
SERIES = dict(num_input_channels=7, context_length=512, patch_length=16, patch_stride=8, prediction_length=96)


def network(name, head="Model", **settings):
    configuration = getattr(transformers, f"{name}Config")
    return getattr(transformers, name + head)(configuration(**settings))


def pixels(size, *frames):
    return torch.randn(1, *frames, 3, size, size)


def text(name, mask=True, without=(), **settings):
    settings = {**{key: value for key, value in TEXT.items() if key not in without}, **settings}
    inputs = dict(input_ids=IDS, attention_mask=MASK) if mask else dict(input_ids=IDS)
    return lambda: (network(name, **settings), inputs)


def decoder(name, tokens=64, mask=True, common=True, **settings):
    base = {**TEXT, "num_key_value_heads": 4, "pad_token_id": 0} if common else {"vocab_size": VOCABULARY}
    inputs = dict(input_ids=IDS[:, :tokens], **({"attention_mask": MASK} if mask else {}))
    return lambda: (network(name, "ForCausalLM", **{**base, "use_cache": False, **settings}), inputs)


def pair(name, tokens=16, **settings):
    inputs = dict(input_ids=IDS, attention_mask=MASK, decoder_input_ids=IDS[:, :tokens])
    return lambda: (
        network(name, "ForConditionalGeneration", vocab_size=VOCABULARY, use_cache=False, **settings), inputs)


def picture(name, size=224, head="Model", **settings):
    return lambda: (network(name, head, **settings), dict(pixel_values=pixels(size)))


def transformer(name, head="Model", without=(), **settings):
    settings = {**{key: value for key, value in PICTURE.items() if key not in without}, **settings}
    return picture(name, head=head, **settings)


def halves(*names, **sizes):
    """Settings that an encoder and a decoder have alike."""
    return {f"{side}_{name}": sizes[name] for side in ("encoder", "decoder") for name in names}


LAYERS = ("layers", "attention_heads", "ffn_dim")

NETWORKS = {
    # Texts.
    "convbert": text("ConvBert", embedding_size=128),
    "deberta": text(
        "DebertaV2", relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=32, share_att_key=True,
        norm_rel_ebd="layer_norm"),
    "esm": text("Esm", pad_token_id=0, mask_token_id=3),
    "fnet": text("FNet", mask=False, without=["num_attention_heads"]),
    "funnel": lambda: (
        network("Funnel", vocab_size=VOCABULARY, block_sizes=[2, 2], d_model=256, n_head=8, d_head=32, d_inner=1024),
        dict(input_ids=IDS, attention_mask=MASK)),
    "modernbert": text(
        "ModernBert", global_attn_every_n_layers=2, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
        sep_token_id=2),
    "squeezebert": text("SqueezeBert", embedding_size=256),
    "xlnet": lambda: (
        network("XLNet", vocab_size=VOCABULARY, d_model=256, n_layer=4, n_head=8, d_inner=1024), dict(input_ids=IDS)),
    # Decoders.
    "bloom": decoder("Bloom", common=False, hidden_size=256, n_layer=4, n_head=8),
    "cohere": decoder("Cohere"),
    "gemma2": decoder("Gemma2", head_dim=32, sliding_window=16),
    "mamba": decoder("Mamba", 32, mask=False, common=False, hidden_size=256, num_hidden_layers=2, state_size=16),
    "mamba2": decoder(
        "Mamba2", mask=False, common=False, hidden_size=256, num_hidden_layers=2, state_size=32, num_heads=16,
        head_dim=32, n_groups=1, chunk_size=16),
    "olmo2": decoder("Olmo2"),
    "phi3": decoder("Phi3"),
    "qwen3": decoder("Qwen3", head_dim=32),
    "rwkv": decoder("Rwkv", 32, mask=False, common=False, hidden_size=256, num_hidden_layers=2, context_length=64),
    # Encoders with decoders.
    "bart": pair(
        "Bart", d_model=256, max_position_embeddings=128,
        **halves(*LAYERS, layers=3, attention_heads=8, ffn_dim=1024)),
    "t5": pair("T5", d_model=256, d_kv=32, d_ff=1024, num_layers=3, num_heads=8),
    "whisper": lambda: (
        network(
            "Whisper", "ForConditionalGeneration", vocab_size=VOCABULARY, use_cache=False, d_model=192, num_mel_bins=80,
            max_source_positions=250, max_target_positions=64, pad_token_id=0, bos_token_id=1, eos_token_id=2,
            decoder_start_token_id=3, suppress_tokens=[], begin_suppress_tokens=[],
            **halves(*LAYERS, layers=2, attention_heads=6, ffn_dim=768)),
        dict(input_features=torch.randn(1, 80, 500), decoder_input_ids=IDS[:, :8])),
    # Sounds and series.
    "ast": lambda: (
        network(
            "AST", hidden_size=192, num_hidden_layers=4, num_attention_heads=6, intermediate_size=768, max_length=256,
            num_mel_bins=128),
        dict(input_values=torch.randn(1, 256, 128))),
    "patchtst": lambda: (
        network(
            "PatchTST", "ForPrediction", **SERIES, d_model=128, num_hidden_layers=3, num_attention_heads=8,
            ffn_dim=256),
        dict(past_values=torch.randn(1, 512, 7))),
    "tsmixer": lambda: (
        network("PatchTSMixer", "ForPrediction", **SERIES, d_model=64, num_layers=4),
        dict(past_values=torch.randn(1, 512, 7))),
    "wav2vec2": lambda: (network("Wav2Vec2", "ForCTC", vocab_size=32, **SPEECH), dict(input_values=torch.randn(1, 8000))),
    "wavlm": lambda: (network("WavLM", **SPEECH), dict(input_values=torch.randn(1, 8000))),
    # Pictures.
    "beit": transformer("Beit"),
    "convnextv2": picture("ConvNextV2", hidden_sizes=[32, 64, 128, 256], depths=[2, 2, 2, 2]),
    "dinov2": transformer("Dinov2", without=["intermediate_size"]),
    "focalnet": picture(
        "FocalNet", image_size=224, embed_dim=48, depths=[1] * 4, focal_levels=[2] * 4, focal_windows=[3] * 4),
    "hiera": picture("Hiera", embed_dim=32, depths=[1, 1, 2, 1], num_heads=[1, 2, 4, 8]),
    "mobilevitv2": picture("MobileViTV2", 256, image_size=256, width_multiplier=0.5),
    "swinv2": picture(
        "Swinv2", 128, image_size=128, patch_size=4, embed_dim=48, depths=[2, 2], num_heads=[3, 6], window_size=8),
    "videomae": lambda: (
        network("VideoMAE", **{**PICTURE, "image_size": 112, "num_frames": 8}), dict(pixel_values=pixels(112, 8))),
    "vitdet": transformer("VitDet", pretrain_image_size=224, window_block_indices=[0, 2], window_size=7, without=[
        "intermediate_size"]),
    # Pictures and texts.
    "clip": lambda: (
        network("CLIP", text_config=dict(TEXT, eos_token_id=2), vision_config=PICTURE, projection_dim=128),
        dict(input_ids=IDS, attention_mask=MASK, pixel_values=pixels(224))),
    # Detection, depth, larger pictures.
    "detr": lambda: (
        network(
            "Detr", "ForObjectDetection", use_timm_backbone=False, use_pretrained_backbone=False, backbone=None,
            backbone_config=transformers.ResNetConfig(
                embedding_size=32, hidden_sizes=[32, 64, 128], depths=[1, 1, 1], out_features=["stage3"]),
            d_model=128, num_queries=50, **halves(*LAYERS, layers=2, attention_heads=8, ffn_dim=512)),
        dict(pixel_values=pixels(256), pixel_mask=torch.ones(1, 256, 256, dtype=torch.long))),
    "dpt": transformer(
        "DPT", "ForDepthEstimation", backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[24, 48, 96, 96],
        fusion_hidden_size=48, reassemble_factors=[4, 2, 1, 0.5]),
    "glpn": picture(
        "GLPN", head="ForDepthEstimation", hidden_sizes=[16, 32, 64, 128], depths=[1] * 4,
        num_attention_heads=[1, 2, 4, 8], decoder_hidden_size=32),
    "rtdetr": lambda: (
        network(
            "RTDetr", "ForObjectDetection",
            backbone_config=transformers.RTDetrResNetConfig(
                embedding_size=32, hidden_sizes=[32, 64, 128, 256], depths=[1] * 4, layer_type="basic",
                out_features=["stage2", "stage3", "stage4"]),
            encoder_hidden_dim=128, encoder_in_channels=[64, 128, 256], d_model=128,
            decoder_in_channels=[128] * 3, decoder_layers=3, num_queries=100, num_denoising=0,
            freeze_backbone_batch_norms=False, use_pretrained_backbone=False,
            **halves("attention_heads", "ffn_dim", attention_heads=8, ffn_dim=512)),
        dict(pixel_values=pixels(320))),
    "swin2sr": picture(
        "Swin2SR", 64, "ForImageSuperResolution", image_size=64, patch_size=1, embed_dim=48, depths=[2, 2],
        num_heads=[4, 4], window_size=8, num_channels=3, upscale=2),
    "yolos": transformer("Yolos", "ForObjectDetection", image_size=[224, 224], num_detection_tokens=50),
}


class Tensors(torch.nn.Module):
    """A network whose inputs come in order, and whose results are the tensors among its own."""

    def __init__(self, network, names):
        super().__init__()
        self.network, self.names = network, names

    def forward(self, *inputs):
        results = self.network(**dict(zip(self.names, inputs))).to_tuple()
        return tuple(result for result in results if isinstance(result, torch.Tensor))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if unknown := set(options.names) - set(NETWORKS):
        parser.error(f"not known: {', '.join(sorted(unknown))}; known are {', '.join(NETWORKS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or NETWORKS:
        model, inputs = NETWORKS[name]()
        path = options.folder / f"{name}.onnx"
        with torch.no_grad():
            torch.onnx.export(
                Tensors(model, list(inputs)).eval(), tuple(inputs.values()), path, input_names=list(inputs), dynamo=True,
                external_data=False, verbose=False)
        print(path, flush=True)


if __name__ == "__main__":
    main()
