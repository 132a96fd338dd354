"""Golden file of what configurations beside a model make of a picture: what transformers' own image processors give
for a `preprocessor_config.json`, and what timm's `transforms_imagenet_eval` does for a `config.json`, computed with
Pillow.

    picture         [height, width, 3] the picture
    NAME            what becomes of it: pixels an eighth of a side apart of [3, side, side]

The metadata have under NAME the configuration, timm's where the name begins so, and under NAME.side the side. Where
proportions are kept, sides are such that the part that is cut out begins and ends between two pixels of the picture.

Needs transformers 5.24, numpy 2.4 and Pillow 13.0.
"""

import json
import math
import pathlib
import tempfile

import numpy as np
import PIL
import transformers
from PIL import Image
from safetensors.numpy import save_file

FIXTURES = pathlib.Path(__file__).resolve().parent.parent
MEAN, DEVIATION, HALF = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225], [0.5, 0.5, 0.5]

y, x, c = np.meshgrid(np.arange(72), np.arange(144), np.arange(3), indexing="ij")
waves = np.sin(x / (7 + c)) * np.cos(y / (9 - 2 * c)) + (x / 144 + y / 72) * (c - 1) / 3
noise = np.random.default_rng(3).normal(0, 12, waves.shape)
picture = np.clip(128 + 80 * waves + noise, 0, 255).astype(np.uint8)
image = Image.fromarray(picture)
tensors, metadata = {"picture": picture}, {}


def add(name, configuration, pixels):
    step = pixels.shape[1] // 8
    tensors[name] = np.ascontiguousarray(pixels[:, ::step, ::step].astype(np.float32))
    metadata[name] = json.dumps(configuration)
    metadata[name + ".side"] = str(pixels.shape[1])


def hugging_face(name, processor, side=32, **configuration):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "preprocessor_config.json").write_text(json.dumps(configuration))
        loaded = getattr(transformers, processor).from_pretrained(folder)
    pixels = np.asarray(loaded(image, return_tensors="np")["pixel_values"][0])
    assert pixels.shape == (3, side, side), (name, pixels.shape)
    add(name, configuration, pixels)


both = {"height": 36, "width": 36}
kept = {"height": 32, "width": 32}
imagenet = {"image_mean": MEAN, "image_std": DEVIATION}
half = {"image_mean": HALF, "image_std": HALF, "do_normalize": True}
hugging_face("deit", "DeiTImageProcessorPil", image_processor_type="DeiTImageProcessor", do_center_crop=True, size=both,
             crop_size=kept, resample=3, **imagenet)
hugging_face("deit.number", "DeiTImageProcessorPil", feature_extractor_type="DeiTFeatureExtractor", do_center_crop=True,
             size=36, crop_size=32, resample=3, **imagenet)
hugging_face("deit.defaults", "DeiTImageProcessorPil", image_processor_type="DeiTImageProcessor", size=both,
             crop_size=kept, **imagenet)
hugging_face("vit.number", "ViTImageProcessorPil", feature_extractor_type="ViTFeatureExtractor", size=32,
             resample=2, **half)
hugging_face("vit.fast", "ViTImageProcessorPil", image_processor_type="ViTImageProcessorFast", size=32, resample=3,
             **imagenet)
hugging_face("vit.null", "ViTImageProcessorPil", image_processor_type="ViTImageProcessor", size=kept, resample=2,
             do_normalize=None, do_center_crop=None, crop_size=None, do_pad=None, **imagenet)
hugging_face("deit.null", "DeiTImageProcessorPil", image_processor_type="DeiTImageProcessor", size=kept, crop_size=None,
             do_center_crop=None, resample=3, **imagenet)
hugging_face("vit.untyped", "ViTImageProcessorPil", size=32, **half)
hugging_face("beit.number", "BeitImageProcessorPil", feature_extractor_type="BeitFeatureExtractor",
             do_center_crop=False, size=32, crop_size=32, resample=2, **half)
hugging_face("clip.number", "CLIPImageProcessorPil", feature_extractor_type="CLIPFeatureExtractor", do_center_crop=True,
             size=36, crop_size=32, resample=3, **imagenet)
hugging_face("siglip", "SiglipImageProcessorPil", image_processor_type="SiglipImageProcessor", size=kept, resample=3,
             **half)
tops = (("on", {"include_top": True}), ("unsaid", {}), ("off", {"include_top": False}), ("null", {"include_top": None}))
for name, keys in tops:
    hugging_face("efficientnet." + name, "EfficientNetImageProcessorPil",
                 image_processor_type="EfficientNetImageProcessor", do_center_crop=False, size=kept, resample=0,
                 rescale_offset=False, image_mean=MEAN, image_std=[0.47853944, 0.4732864, 0.47434163], **keys)
hugging_face("efficientnet.top", "EfficientNetImageProcessorPil", image_processor_type="EfficientNetImageProcessor",
             do_normalize=False, include_top=True, rescale_offset=True, size=kept, resample=3, **imagenet)
for name, keys in (("", {"do_flip_channel_order": True}), (".unsaid", {}), (".null", {"do_flip_channel_order": None})):
    hugging_face("mobilevit" + name, "MobileViTImageProcessorPil", image_processor_type="MobileViTImageProcessor",
                 do_center_crop=True, size={"shortest_edge": 36}, crop_size=kept, resample=2, **keys)
hugging_face("levit", "LevitImageProcessorPil", image_processor_type="LevitImageProcessor", do_center_crop=True,
             size={"shortest_edge": 32}, crop_size=kept, resample=3, **imagenet)
hugging_face("convnext", "ConvNextImageProcessorPil", image_processor_type="ConvNextImageProcessor",
             size={"shortest_edge": 32}, resample=3, **imagenet)
hugging_face("convnext.384", "ConvNextImageProcessorPil", 384, image_processor_type="ConvNextImageProcessor",
             crop_pct=None, size={"shortest_edge": 384}, resample=3, **imagenet)
hugging_face("poolformer", "PoolFormerImageProcessorPil", image_processor_type="PoolFormerImageProcessor",
             crop_pct=0.8888, do_center_crop=True, size={"shortest_edge": 32}, crop_size=kept, resample=3, **imagenet)


def timm(name, **configuration):
    """`transforms_imagenet_eval` of timm 1.0, with what `resolve_data_config` makes of keys that are absent."""
    side = configuration["input_size"][1]
    scaled = math.floor(side / configuration.get("crop_pct", 0.875))
    filters = {"bicubic": Image.Resampling.BICUBIC, "bilinear": Image.Resampling.BILINEAR}
    resample = filters[configuration.get("interpolation", "bicubic")]
    if configuration.get("crop_mode") == "squash":
        resized = image.resize((scaled, scaled), resample)
    else:
        shorter = min(image.size)
        resized = image.resize(tuple(int(scaled * length / shorter) for length in image.size), resample)
    # torchvision's CenterCrop: of halves the even one.
    left, top = (int(round((length - side) / 2.0)) for length in resized.size)
    pixels = np.asarray(resized.crop((left, top, left + side, top + side))) / 255
    pixels = (pixels - configuration.get("mean", MEAN)) / configuration.get("std", DEVIATION)
    add("timm." + name, {"architecture": "x", "pretrained_cfg": configuration}, pixels.transpose(2, 0, 1))


timm("defaults", input_size=[3, 63, 63])
timm("defaults.squash", input_size=[3, 32, 32], crop_mode="squash")
timm("bilinear", input_size=[3, 32, 32], interpolation="bilinear", crop_mode="squash", mean=HALF, std=HALF)
for share in (1.0, 0.9, 0.91):
    timm(f"squash.{share}", input_size=[3, 32, 32], crop_pct=share, interpolation="bicubic", crop_mode="squash",
         mean=HALF, std=HALF)

metadata |= {
    "generator": "Tests/Fixtures/generate/picture_configurations.py",
    "transformers": transformers.__version__,
    "numpy": np.__version__,
    "pillow": PIL.__version__,
}
path = FIXTURES / "picture_configurations.safetensors"
save_file(tensors, path, metadata=metadata)
print(f"{path.name}: {len(tensors)} tensors, {path.stat().st_size / 1024:.0f} KiB")
