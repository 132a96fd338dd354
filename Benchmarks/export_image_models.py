"""Writes image classifiers of some hundred kinds, of timm's (PyTorch Image Models), as ONNX files, by torch.onnx.export.

    python3 Benchmarks/export_image_models.py FOLDER [NAME …]
    ls FOLDER/*.onnx | xargs -n 30 python3 Benchmarks/compare_onnxruntime.py --models

A small one of nearly every family, of the published size (6 GB together: some at a time are compared, since all stay
open), with random weights: kinds of graphs, not models. Needs torch (Weights/requirements.txt), and timm and PyYAML
without what they depend on: `pip install --no-deps timm pyyaml`. timm imports torchvision, of which no version fits each
torch, for pictures and training alone; here nothing is imported in its place.
"""

import argparse
import enum
import importlib.abc
import importlib.machinery
import pathlib
import sys
import types

import torch

NAMES = """
bat_resnext26ts beitv2_base_patch16_224 botnet26t_256 caformer_s18 coat_tiny coatnet_nano_rw_224
coatnet_rmlp_nano_rw_224 convformer_s18 convit_tiny convmixer_768_32 convnext_pico crossvit_tiny_240 cs3darknet_s
cspnext_tiny davit_tiny deit3_small_patch16_224 deit_tiny_patch16_224 densenet121 dla34 dpn68 eca_resnet33ts
edgenext_x_small efficientformer_l1 efficientformerv2_s1 efficientnet_b0 efficientnetv2_rw_t efficientvim_m2
efficientvit_b0 efficientvit_m3 ese_vovnet19b_slim_dw eva02_tiny_patch14_224 fasternet_t0 fastvit_t8 fbnetc_100
fbnetv3_b focalnet_tiny_lrf gcresnext26ts gcvit_xxtiny gernet_s ghostnet_050 ghostnetv3_050 gmlp_s16_224
hardcorenas_c hgnetv2_b0 hiera_tiny_224 hrnet_w18_small iformer_t inception_next_atto lambda_resnet26t lcnet_050
lcnetv2_small legacy_seresnext26_32x4d levit_128s lowformer_b0 mambaout_femto maxvit_tiny_rw_224
maxxvit_rmlp_nano_rw_256 mixer_s32_224 mixnet_s mnasnet_100 mobilenetv3_small_050 mobilenetv3_small_100
mobilenetv4_conv_small mobilenetv4_hybrid_medium mobilevit_xs mobilevitv2_050 mvitv2_tiny nest_tiny nextvit_small
nf_regnet_b0 pit_ti_224 poolformer_s12 pvt_v2_b0 rdnet_tiny regnetx_004_tv regnety_004 repghostnet_050 repvgg_a0
repvit_m1 res2net50d resnest14d resnet18 resnet26d resnet51q resnetv2_18 resnetv2_50 rexnet_100 selecsls42
semnasnet_075 sequencer2d_s seresnext26d_32x4d shvit_s1 skresnet18 spnasnet_100 starnet_s2 swiftformer_xs
swin_tiny_patch4_window7_224 swinv2_cr_tiny_ns_224 swinv2_tiny_window8_256 tf_efficientnet_lite0 tf_inception_v3
tiny_vit_5m_224 tinynet_b tnt_s_patch16_224 tresnet_m twins_pcpvt_small twins_svt_small visformer_tiny
vit_base_patch32_clip_224 vit_relpos_small_patch16_224 vit_small_patch16_18x2_224 vit_srelpos_small_patch16_224
vit_tiny_patch16_224 vitamin_small_224 xception41 xcit_nano_12_p8_224
""".split()


class Nothing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """torchvision, whose every name is a class that does nothing."""

    class Module(types.ModuleType):
        __path__ = ()

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            if name == "InterpolationMode":
                return enum.Enum(name, "NEAREST BILINEAR BICUBIC BOX HAMMING LANCZOS")
            return type(name, (), {"__init__": lambda self, *_, **__: None})

    def find_spec(self, name, path, target=None):
        is_wanted = name.partition(".")[0] == "torchvision"
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_wanted else None

    def create_module(self, spec):
        return self.Module(spec.name)

    def exec_module(self, module):
        pass


def network(name):
    """One of timm's, with random weights and statistics, and a picture for it. Needs `Nothing` in place of torchvision."""
    import timm

    torch.manual_seed(0)
    model = timm.create_model(name, exportable=True).eval()
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    return model, torch.randn(1, *model.default_cfg["input_size"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    sys.meta_path.insert(0, Nothing())
    import timm

    if unknown := set(options.names) - set(timm.list_models()):
        parser.error(f"timm does not know: {', '.join(sorted(unknown))}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or NAMES:
        model, picture = network(name)
        path = options.folder / f"{name}.onnx"
        with torch.no_grad():
            torch.onnx.export(model, (picture,), path, input_names=["picture"], dynamo=False, opset_version=17)
        print(path, flush=True)


if __name__ == "__main__":
    main()
