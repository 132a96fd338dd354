"""Writes Tests/Fixtures/torch: programs of torch.export with what PyTorch gives for them, in float32 and in float64.

    python torch_programs.py          # torch 2.13, torchao 0.18

Each is a test as docs/torch.md describes it, and has `double.npz` besides: what the module gives when its parameters and its
inputs are made float64, unless it is quantised, which PyTorch does in float32 alone. The archives are deflated, but for `parts`
and `sizes`, which lie here as PyTorch wrote them.
"""
import copy
import json
import shutil
import zipfile
from pathlib import Path

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

FOLDER = Path(__file__).resolve().parents[1] / "torch"


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x
        return self.relu(y)


class Residuals(nn.Module):
    """A small ResNet, whose rectifiers and sums write over their inputs."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(Residual(4))
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5))

    def forward(self, image):
        return self.head(self.layer1(self.pool(self.stem(image))))


class Depthwise(nn.Module):
    """What MobileNetV3 is made of: depthwise convolutions, squeezing and exciting, hard activations."""

    def __init__(self):
        super().__init__()
        self.expand = nn.Conv2d(4, 16, 1)
        self.depthwise = nn.Conv2d(16, 16, 5, 2, 2, groups=16)
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 4, 1), nn.ReLU(), nn.Conv2d(4, 16, 1), nn.Hardsigmoid())
        self.project = nn.Conv2d(16, 4, 1)
        self.norm = nn.GroupNorm(2, 4)

    def forward(self, x):
        y = F.hardswish(self.depthwise(F.hardswish(self.expand(x))))
        y = self.norm(self.project(y * self.squeeze(y)))
        return {"small": y, "large": [F.interpolate(y, scale_factor=2, mode="bilinear"), F.interpolate(y, size=(5, 7))]}


class Block(nn.Module):
    """A transformer's block with a mask that it keeps, for batches and texts of any length."""

    def __init__(self, width=16, heads=4, length=16):
        super().__init__()
        self.embedding = nn.Embedding(11, width)
        self.position = nn.Parameter(torch.randn(length, width))
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.heads = heads
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).bool())

    def forward(self, tokens):
        batch, length = tokens.shape
        x = self.embedding(tokens) + self.position[:length]
        query, key, value = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(query, key, value, attn_mask=self.mask[:length, :length])
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, -1))
        x = x + self.down(F.gelu(self.up(self.norm2(x))))
        return x @ self.embedding.weight.t(), x.mean(1)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 5)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, state):
        self.calls += 1
        y, (h, c) = self.lstm(x)
        z, last = self.gru(y.transpose(0, 1), state)
        return z, h, c, last


class Sizes(nn.Module):
    """Arithmetic on sizes that the program leaves open."""

    def forward(self, x, y):
        rows, columns = x.shape
        pairs = x.reshape(rows * columns // 2, 2)
        padded = F.pad(y, (0, columns - y.shape[0] + 1))
        return pairs.flip(0), padded, torch.arange(rows, dtype=x.dtype) * columns, x[-2:, 1:], torch.zeros(rows, 2), x.new_full((columns,), 0.1)


class Parts(nn.Module):
    """What is tied, what is a constant, what lies otherwise than in order, and numbers that FLOAT does not have."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 6).t())
        self.tied = self.weight
        self.register_buffer("narrow", torch.randn(6).to(torch.float16))
        self.register_buffer("part", torch.randn(10)[2:8])

    def forward(self, x):
        table = torch.tensor([0.5, 0.25, -2.0], dtype=x.dtype)
        return (x @ self.weight) * 0.1 + 1 / 3, x.new_tensor(2.5), F.linear(x, self.tied.t()), self.narrow + 1, x + self.part, table * x[:, :3]


class Written(nn.Module):
    """Values that are written over through their views, and read under other names."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(3, 4))

    def forward(self, x):
        rows, columns = x.shape
        y = torch.zeros(rows, 2 * columns, dtype=x.dtype)
        first, turned, line = y[0], y.t(), y.view(-1)
        y[:, ::2] = x
        y[:, 1::2] = -x
        before = turned + 1
        turned[3:5].mul_(2)
        line[2:4].add_(10)
        y.permute(1, 0).unsqueeze(1)[-1].squeeze(0)[:2] = 7
        z = y.clone()
        again = z.relu_()
        z[1].sub_(1)
        self.cache[:, 1] = x[:3, 0]
        return first, turned, before, line, y, again * 2, self.cache + 1


class Neighbours(nn.Module):
    """Differences, counts and norms, as language models and those of sound have them."""

    def __init__(self):
        super().__init__()
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(6, 4, 3, padding=1), dim=2)

    def forward(self, x, chosen):
        ends = torch.histc(chosen.to(x.dtype), bins=4, min=0, max=3).cumsum(0).int()
        starts = (torch.diff(chosen, prepend=chosen.new_full((1,), -1)) != 0).cumsum(-1)
        return ends, starts, torch.diff(x, n=2, dim=0), torch.diff(x > 0), self.conv(x.t()[None]), torch.histc(x, 5, -1, 1.5)


class Corners(nn.Module):
    """Numbers at the edges of what types hold, NaN, and what is written in another way than usual."""

    def forward(self, x, half, steep, picture, strange, mask):
        q = x.reshape(1, 1, 2, 2, 6)
        signal = torch.stft(x.reshape(1, -1), 8, 2, window=torch.hann_window(8), return_complex=True)
        whole = torch.arange(-2, 6)
        both = (x > 0) & (x < 1)
        both |= x > 2
        both ^= x < -1
        shifted = whole.clone()
        shifted <<= 2
        shifted >>= 1
        signs = torch.tensor([0.0, -0.0, 1.0, -torch.inf, torch.nan])
        return (
            half.norm(dim=1), half.var(1), half.std(), torch.linalg.vector_norm(half, 3), F.rms_norm(half / 256 / 256, (4,)),
            torch.logcumsumexp(steep, 1), torch.logcumsumexp(steep, 0), F.interpolate(picture, scale_factor=0.7, mode="bilinear"),
            F.interpolate(picture, scale_factor=2.3, mode="bicubic"), x[:, :4] + torch.arange(4, dtype=torch.uint8),
            torch.log2(2.0 ** torch.arange(-30, 30)).floor(), torch.log10(torch.tensor([0.01, 1000.0, 1e7, 3.0])).floor(),
            F.scaled_dot_product_attention(q, q, q, mask), torch.istft(signal, 8, 2, window=torch.hann_window(8), length=40),
            *strange.median(1), strange.median(), *strange.kthvalue(2, 1), torch.erfc(steep / 20).log(), torch.fmin(both, x > 0),
            torch.atan2(signs[:, None], -signs), F.threshold(strange, 0.0, 1.0), F.hardshrink(strange), F.softshrink(strange),
            strange.sign(), both, shifted, torch.isin(whole, 3), torch.isin(3, whole), torch.hamming_window(5),
            torch.hamming_window(5, True, 0.5, 0.4), torch.blackman_window(6, False), torch.bartlett_window(5), torch.hann_window(1),
            torch.kaiser_window(7, True, 5.0), x.t().as_strided((3, 2), (1, 6)), x[1:].as_strided((2, 2), (7, 1), 6),
        )


class Turned(nn.Module):
    """Views that are turned, and what gives its argument itself, written over; graphs that are called as they are."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        y = self.linear(x) + 1
        y.T[0].add_(1)
        y.mT[1].mul_(2)
        y.moveaxis(0, 1)[2].sub_(3)
        F.dropout(y, 0.5, False)[0].add_(3)
        torch.atleast_3d(y)[:, 1:].mul_(-1)
        y[1:].t_().add_(0.5)
        (+y).mul_(1.5)
        with torch.no_grad():
            add = self.linear(y) + 2
            linear = add * y
        with torch.autocast("cpu", enabled=False):
            mul = self.linear(add) * linear
        return y, mul + add


class Counted(nn.Module):
    """How many elements there are the data say, or the rows."""

    def forward(self, x):
        rows, found = x.shape[0], x[x > 0]
        first, second = torch.where(x > 0)
        return (
            found.sum(), (found > 0.5).sum(), (found > 0.5).cumsum(0), (found > 0.5).any(), found.std(), F.normalize(found, dim=0),
            found.softmax(0, dtype=torch.float64), torch.isin(first, torch.tensor([1, 2])),
            torch.cat([found, found, x[0]]).softmax(0), torch.bucketize(found, torch.tensor([0.5, 1.0])),
            F.one_hot(second, 3), first, second, torch.nonzero(x > 0, as_tuple=True)[1], found[:, None].expand(-1, 4).reshape(-1),
            x.repeat_interleave(rows, dim=0), x.repeat_interleave(rows), torch.arange(4) < rows / 4, x.roll(16, 0), x.roll(-1, 0),
            x.roll((1, 7), (0, 1)), torch.logcumsumexp(x * 100, 0),
            x.repeat_interleave(torch.tensor([2]), dim=0), torch.repeat_interleave(torch.tensor([1, 0, 2])),
        )


class Spectra(nn.Module):
    """Complex numbers: turned pairs as in language models, spectra of signals and of pictures, and their parts."""

    def __init__(self):
        super().__init__()
        self.register_buffer("angles", torch.outer(torch.arange(6.0), 10.0 ** -torch.arange(4.0)))
        self.register_buffer("window", torch.hann_window(12))

    def forward(self, x, signal):
        batch, length, heads, width = x.shape
        turns = torch.polar(torch.ones_like(self.angles), self.angles)[:length].view(1, length, 1, width // 2)
        turned = torch.view_as_complex(x.reshape(batch, length, heads, -1, 2)) * turns
        spectra = torch.stft(signal, 12, 3, window=self.window, return_complex=True)
        flat = torch.fft.rfft2(x.transpose(1, 2), norm="ortho")
        moved = torch.cat([flat, flat.conj() * 0.5], dim=-1).flip(-1)[..., 1:]
        return (
            torch.view_as_real(turned).flatten(3), spectra.abs(), spectra[0, 1:4].angle() / 10,
            torch.istft(spectra, 12, 3, window=self.window, length=40),
            torch.fft.irfft2(flat / (flat + 3), s=(length, width), norm="ortho"),
            torch.view_as_real(moved.sum(1)), torch.fft.fft(x, dim=1).imag, torch.fft.fftshift(x, dim=(1, 3)),
        )


class Algebra(nn.Module):
    """Products over any axes, determinants and inverses, and places between those of an order."""

    def __init__(self):
        super().__init__()
        self.bilinear = nn.Bilinear(4, 6, 3)

    def forward(self, x, squares):
        shares = torch.tensor([0.125, 0.75, 1.0], dtype=x.dtype)
        return (
            torch.quantile(x, shares, dim=1, keepdim=True), torch.quantile(x, 0.3, interpolation="nearest"),
            torch.tensordot(squares, squares, dims=([1], [2])), torch.linalg.inv(squares), torch.linalg.det(squares),
            self.bilinear(x[:, :4], x), torch.special.ndtr(x), torch.special.entr(x.abs()), torch.linalg.vecdot(x, x),
            torch.linalg.multi_dot([x, x.t(), x]),
        )


class Masked(nn.Module):
    """What core ATen writes out: attention with rows that see nothing, hard functions, layers of tensors of four axes, and a
    batch times one number over and over."""

    def __init__(self):
        super().__init__()
        self.up, self.norm, self.conv = nn.Linear(4, 6), nn.LayerNorm(6), nn.Conv2d(3, 4, 3, bias=False)
        self.batch = nn.BatchNorm2d(4)

    def forward(self, x, mask):
        rows = self.norm(F.gelu(self.up(x)))
        seen = F.scaled_dot_product_attention(rows, rows, rows, mask)
        maps = F.hardswish(self.batch(self.conv(x)))
        flat = rows.flatten(0, 1)
        return (
            seen, F.hardsigmoid(maps), torch.bmm(flat, torch.full_like(flat.transpose(1, 2), 0.25)),
            torch.matmul(x.permute(0, 2, 1, 3), self.up.weight.t()),
            x.clamp(-0.5, 0.75), x.clamp(max=mask[0, 0, 1, 0]), x.clamp(min=0.25), torch.clamp_max(x, 0.5),
            torch.where(x > 0, torch.full_like(x, 3), x),
        )


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm, self.conv2 = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Conv2d(4, 8, 3, 2)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        y = F.relu(self.conv2(F.relu(self.norm(self.conv1(x)))))
        return self.head(y.mean((2, 3)))


class FeedForward(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(x)))


def quantized(module, x, **settings):
    """A module by PT2E: what it is calibrated with, three times other numbers like `x`."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer.x86_inductor_quantizer import (
        X86InductorQuantizer, get_default_x86_inductor_quantization_config)

    quantizer = X86InductorQuantizer().set_global(get_default_x86_inductor_quantization_config(**settings))
    prepared = prepare_pt2e(torch.export.export(module.eval(), (x,)).module(), quantizer)
    for _ in range(3):
        prepared(torch.randn_like(x))
    return convert_pt2e(prepared)


def weights_in_blocks(module):
    """Weights of four bits, 16 with a scale, against numbers that are quantised row by row."""
    import torchao.quantization as ao
    from torchao.utils import unwrap_tensor_subclass

    ao.quantize_(module, ao.Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=ao.PerGroup(16)))
    return unwrap_tensor_subclass(module.eval())


class Steps(nn.Module):
    """The operators that quantised programs are made of, one by one."""

    def forward(self, x, scales, zeros):
        ops, full = torch.ops.quantized_decomposed, (-128, 127, torch.int8)
        narrow = ops.quantize_per_tensor(x, 0.0371, -3, -100, 100, torch.int8)
        wide = ops.quantize_per_tensor(x, 0.00371, 5, -(2**31), 2**31 - 1, torch.int32)
        channels = ops.quantize_per_channel(x, scales, zeros, 1, *full)
        scale, zero = ops.choose_qparams_per_token_asymmetric(x, torch.int8)
        rows = ops.quantize_per_token(x, scale, zero, *full)
        matrix, groups, middles = x.reshape(8, 16), scales[:4].repeat(8, 1) + 0.2, zeros[:4].repeat(8, 1)
        grouped = ops.quantize_per_channel_group(matrix, groups, middles, -8, 7, torch.int8, 4)
        return (
            narrow, ops.dequantize_per_tensor(narrow, 0.0371, -3, -100, 100, torch.int8),
            wide, ops.dequantize_per_tensor(wide, 0.00371, 5, -(2**31), 2**31 - 1, torch.int32),
            channels, ops.dequantize_per_channel(channels, scales, zeros, 1, *full),
            ops.dequantize_per_channel(channels, scales, None, 1, *full, out_dtype=torch.float16),
            scale, zero, rows, ops.dequantize_per_token(rows, scale, zero, *full, torch.float32),
            grouped, ops.dequantize_per_channel_group(grouped, groups, middles, -8, 7, torch.int8, 4, torch.float32),
            *ops.choose_qparams.tensor(x, 0, 255, 1e-5, torch.uint8), *ops.choose_qparams.tensor(x * 0, -128, 127, 1e-5, torch.int8),
            *ops.choose_qparams_symmetric.tensor(x, -127, 127, 1e-5, torch.int8),
            torch.fake_quantize_per_tensor_affine(x, 0.05, 3, 0, 127), torch.fake_quantize_per_tensor_affine(x, 0.005, 3, -900, 900),
            torch.fake_quantize_per_channel_affine(x, scales, zeros.int(), 1, -100, 100),
            torch._int_mm(rows.reshape(8, 16).repeat(3, 1), channels.reshape(16, 8)),
        )


class Controlled(nn.Module):
    """Branches within branches, a loop, and what is done row by row; what each is called with, and what it takes from around it."""

    def __init__(self):
        super().__init__()
        self.wide, self.narrow, self.cell = nn.Linear(4, 4), nn.Linear(4, 4), nn.GRUCell(4, 4)

    def chosen(self, x):
        def inner(x):
            with torch.no_grad():
                y = x.clone()
                y[0] *= 2
            return torch.cond(y.max() > 2, lambda y: y * 3, lambda y: torch.fft.rfft(y).real.sum(1, keepdim=True) - y, (y,))

        return torch.cond(x.sum() > 0, lambda x: self.wide(x).relu(), inner, (x,))

    def forward(self, x, turns, state):
        from torch._higher_order_ops import while_loop
        from torch._higher_order_ops.map import map as mapped
        from torch._higher_order_ops.scan import scan

        def row(state, entry):
            state = self.cell(entry[None], state[None])[0]
            return state, state.sin()

        def step(turn, x, last):
            return turn + 1, self.narrow(x).tanh() + turn, x.clone()

        index, looped, last = while_loop(lambda turn, x, last: (turn < turns) & (x.abs().max() < 100), step, (torch.zeros_like(turns), x, x.clone()))
        rows = x.shape[0]
        two = torch.cond(rows > 3, lambda x, y: (x + y, x.sum() * rows), lambda x, y: (x * y, x.mean() - rows), (x, x[0].clone()))
        return (
            self.chosen(x), self.chosen(-x), self.chosen(x - 1), index, looped, last, two, scan(row, state, x, dim=0, reverse=True),
            mapped(lambda entry, state: entry.softmax(-1) * state, x, state),
        )


class Sized(nn.Module):
    """Pictures in other sizes, by factors and lengths that float32 does not hold."""

    def forward(self, x):
        row, cube = x[:, :, 0], x[:, :, None, :6, :5]
        return (
            *[F.interpolate(x, scale_factor=factor, mode="nearest") for factor in (1 / 3, 0.6, 0.3, 1.1, 1.7, (1.1, 0.4))],
            *[F.interpolate(row, scale_factor=factor, mode="nearest") for factor in (1 / 3, 1.1, 1.2, 2.0)],
            F.interpolate(cube, scale_factor=(1.0, 1.2, 1.1), mode="nearest"), F.interpolate(x, size=(14, 11), mode="nearest"),
            *[F.interpolate(x, scale_factor=factor, mode="nearest-exact") for factor in (1.1, 0.6, (2.0, 1 / 3))],
            F.interpolate(x, scale_factor=1.1, mode="bilinear"), F.interpolate(x, scale_factor=1.125, mode="bicubic"),
            *[F.interpolate(x, scale_factor=1.1, mode=mode, antialias=True) for mode in ("bilinear", "bicubic")],
            F.interpolate(x, scale_factor=1.7, mode="bilinear", align_corners=True), F.interpolate(row, scale_factor=1.1, mode="linear"),
        )


class Resized(nn.Module):
    """Pictures of open size by factors, of which the run alone says what sizes come; 0.29 · 100 is a little less than 29."""

    def forward(self, x, y, row):
        return (
            F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=True), F.interpolate(y, scale_factor=1.5, mode="nearest"),
            *[F.interpolate(x, scale_factor=2, mode=mode, align_corners=True) for mode in ("bilinear", "bicubic")],
            *[F.interpolate(x, scale_factor=factor, mode="nearest") for factor in (1.5, 0.5, 1.1, (1.0, 2.0))],
            *[F.interpolate(x, scale_factor=factor, mode="nearest-exact") for factor in (2.5, 1.1)],
            *[F.interpolate(x, scale_factor=factor, mode="bilinear") for factor in (1.1, (0.5, 1.1))],
            *[F.interpolate(row.isfinite().to(x.dtype), scale_factor=factor, mode="linear") for factor in (0.29, 1.1, 0.7, 1 / 3)],
        )


class Batches(nn.Module):
    """What goes by the sizes of axes that are known, of batches of any size."""

    def forward(self, x, signal):
        fft = torch.fft
        largest, places = F.max_pool2d(x, 2, return_indices=True)
        return (
            fft.irfft(fft.rfft(signal, norm="ortho"), n=8, norm="ortho"), fft.fft(signal, norm="ortho").real,
            fft.ifft(signal, norm="forward").real, fft.irfft2(fft.rfft2(x, norm="forward"), norm="ortho"),
            F.pixel_unshuffle(x, 2), F.channel_shuffle(x, 2), F.max_unpool2d(largest, places, 2),
            *[F.avg_pool2d(x, 3, 2, 1, ceil_mode=rounds_up, divisor_override=4) for rounds_up in (False, True)],
            F.mse_loss(x, x.flip(1)), F.huber_loss(signal, signal[:, :1].expand_as(signal)), torch.broadcast_tensors(signal[:, None, :6], x[:, 0])[0],
        )


class Unsized(nn.Module):
    """What goes by the sizes of axes that only the run says."""

    def forward(self, x):
        fft, y = torch.fft, x[0]
        return (
            F.group_norm(x, 2) + F.instance_norm(x), F.pixel_unshuffle(y, 3), F.channel_shuffle(x, 2), F.layer_norm(y, y.shape[-1:]),
            F.rms_norm(y, y.shape[-2:], eps=1e-5), *[torch.cat(parts[::-1], 2) for parts in (y.chunk(2, 2), y.tensor_split(4, 2), y.tensor_split([1, -3], 2))],
            torch.quantile(y, 0.3, dim=2), torch.quantile(x, 0.6), *[y.diagonal(offset, 1, 2) for offset in (0, 2, -1)],
            *F.adaptive_max_pool2d(x, (2, 4), return_indices=True), *F.adaptive_max_pool2d(y, (3, 2), return_indices=True),
            F.avg_pool2d(y, 2, divisor_override=3), fft.fft(y, norm="ortho").real, fft.irfft2(fft.rfft2(y), norm="ortho"),
            fft.fftshift(y, (1, 2)), fft.ifftshift(y, (1, 2)), torch.broadcast_tensors(y, y[:1, :, :1])[1],
        )


class Cut(nn.Module):
    """Pictures of any size in so many parts, and norms of vectors and matrices."""

    def forward(self, x, y):
        norm = torch.linalg.norm
        return (
            F.adaptive_avg_pool2d(x, (4, 3)), F.adaptive_avg_pool2d(x, (1, 5)), F.adaptive_avg_pool1d(x[0], 2), torch.angle(x[0, 0, 0]),
            norm(y), norm(y, dim=(3, 1)), norm(y, float("inf"), (1, 3), True), norm(y, -1, (3, 1)), norm(y[0, 0, 0], 3),
            torch.linalg.matrix_norm(y), torch.linalg.matrix_norm(y, -float("inf"), (2, 1)), norm(y[0, 0], "fro"),
        )


class Opened(nn.Module):
    """Windows, turns and transforms along an axis of any length, and complex numbers of one kind."""

    def forward(self, x):
        fft, (rows, length) = torch.fft, x.shape
        spectrum, pairs = fft.rfft(x), torch.view_as_real
        return (
            x.unfold(1, 4, 2), fft.irfft(spectrum, n=length), fft.irfft(fft.rfft(x, n=length + 2, norm="ortho"), n=length + 2, norm="ortho"),
            x.roll(length // 2, 1), x.roll((rows, -length // 3), (1, 0)), x.roll(length + 1), pairs(spectrum.roll(length - 1, 1)),
            x / torch.tensor([length, rows, 3])[:, None, None], pairs(torch.zeros_like(spectrum)), pairs(torch.ones_like(spectrum)),
            pairs(torch.full_like(spectrum, 2.5)), torch.ones_like(spectrum, dtype=x.dtype), pairs(spectrum.new_zeros(3, length)),
            pairs(torch.ones(rows, 2, dtype=spectrum.dtype)), pairs(torch.full((2, length), -0.5, dtype=spectrum.dtype)),
        )


class Limits(nn.Module):
    """Integers near the limits of their types, what is infinite, masks of one column, an index shorter than its source, and numbers
    compared in place."""

    def forward(self, x, places, whole, query, keys):
        wide, attend = whole.int() << 24, F.scaled_dot_product_attention
        seen, twice, start = query[0, 0, :, :1] < 9, x * 2, torch.where(x > 0, torch.inf, x)
        line = twice.view(-1)
        line.add_(1)
        return (
            twice, whole >> 7, whole >> 6, whole >> whole, wide >> 31, wide.long() >> 63, whole.clamp(min=0).to(torch.uint8) >> 8,
            whole // 5, whole // -7, wide // 3, torch.div(whole, whole[1:2], rounding_mode="floor"), x // torch.inf, x // -0.3,
            torch.lerp(start, x + 1, 0.75), torch.lerp(start, x + 1, x), whole.clone().floor_divide_(places.new_full((5,), 300)),
            attend(query, keys[:, :1], keys[:, :1], seen), attend(query, keys[:, :1], keys[:, :1], query[..., :1]),
            attend(query, keys, keys, seen[:1]), attend(x[None], x[None], x[None], x[:, :1]),
            x.scatter_add(0, places[:-1], x * 3), x.scatter(0, places[1:], x), x[:, :2].gather(0, places[:, :1]),
            x.clone().lt_(0) * 2.5, whole.clone().eq_(-5).sum(), x.clone().logical_not_(), torch.square(x > 0),
        )


class Instances(nn.Module):
    """Instances by what training has kept, which core ATen writes out as one batch of as many channels as there are in all."""

    def __init__(self):
        super().__init__()
        self.weighted, self.plain = (nn.InstanceNorm1d(3, affine=affine, track_running_stats=True) for affine in (True, False))

    def forward(self, x):
        return self.weighted(x), self.plain(x)


class Blocks(nn.Module):
    """torchao's blocks of each kind, and the scales that fit them."""

    def forward(self, x):
        import torchao.quantization.quant_primitives as ao

        results = []
        for mapping, block, bounds, keeps in (
            ("SYMMETRIC", [4, 2, 16], (-128, 127), False), ("ASYMMETRIC", [1, 2, 16], (-128, 127), False),
            ("SYMMETRIC_NO_CLIPPING_ERR", [1, 1, 4], (-8, 7), False), ("ASYMMETRIC", [1, 1, 4], (-8, 7), True),
            ("SYMMETRIC", [1, 1, 16], (-128, 127), True), ("ASYMMETRIC", [4, 2, 1], (-100, 100), True),
        ):
            scale, zero = torch.ops.torchao.choose_qparams_affine(
                x, mapping, block, torch.int8, *bounds, 1e-6, torch.float32, torch.int32, keeps)
            whole = torch.ops.torchao.quantize_affine(x, block, scale, zero, torch.int8, *bounds)
            results += [scale, zero, whole, torch.ops.torchao.dequantize_affine(whole, block, scale, zero, torch.int8, *bounds)]
        return results


def deflate(path):
    """Writes an archive again, smaller: the text in it is most of it."""
    with zipfile.ZipFile(path) as archive:
        entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)


def write(name, module, inputs, dynamic=None, core=False, quantize=None):
    torch.manual_seed(0)
    for parameter in list(module.parameters()) + list(module.buffers()):
        if parameter.dtype == torch.float32 and parameter.dim() == 1 and parameter.numel() > 1:
            parameter.data += torch.rand_like(parameter) * 0.5
    module.eval()
    twin = copy.deepcopy(module)
    if quantize:
        module = quantize(module)
    program = torch.export.export(copy.deepcopy(module), inputs, dynamic_shapes=dynamic)
    if core:
        program = program.run_decompositions()
    for graph in program.graph_module.modules():
        for node in getattr(graph, "graph", program.graph).nodes:
            node.meta.pop("stack_trace", None)      # which is most of an archive
    test = FOLDER / name
    shutil.rmtree(test, ignore_errors=True)
    test.mkdir(parents=True)
    torch.export.save(program, test / "model.pt2")
    if name not in ("parts", "sizes"):
        deflate(test / "model.pt2")
    if dynamic is not None:
        inputs = tuple(torch.cat([value] * 2) if open_axes and value.dim() > 1 else value for value, open_axes in zip(inputs, dynamic.values()))

    def outputs(module, inputs):
        with torch.no_grad():
            leaves = torch.utils._pytree.tree_leaves(copy.deepcopy(module)(*inputs))
        return {str(place): leaf.detach().numpy() for place, leaf in enumerate(leaves)}

    names = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    numpy.savez_compressed(test / "inputs.npz", **{key: value.numpy() for key, value in zip(names, inputs)})
    numpy.savez_compressed(test / "expected.npz", **outputs(module, inputs))
    operators = sorted({str(node.target).rsplit(".", 1)[0] for node in program.graph.nodes if hasattr(node.target, "overloadpacket")})
    (test / "test.json").write_text(json.dumps({"ops": operators}, indent=1) + "\n")
    if quantize:
        return
    wide = tuple(value.double() if value.is_floating_point() else value for value in inputs)
    torch.set_default_dtype(torch.float64)
    numpy.savez_compressed(test / "double.npz", **outputs(twin.double(), wide))
    torch.set_default_dtype(torch.float32)


def main():
    torch.manual_seed(0)
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=15)
    image, tokens = torch.randn(2, 3, 14, 12), torch.randint(0, 11, (2, 7))
    for suffix, core in (("", False), ("-core", True)):
        write("residuals" + suffix, Residuals(), (image,), {"image": {0: batch}}, core)
        write("depthwise" + suffix, Depthwise(), (torch.randn(2, 4, 9, 8),), None, core)
        write("block" + suffix, Block(), (tokens,), {"tokens": {0: batch, 1: length}}, core)
        write("parts" + suffix, Parts(), (torch.randn(2, 6),), None, core)
    write("recurrent", Recurrent(), (torch.randn(2, 6, 3), torch.randn(1, 2, 5)))
    rows = torch.export.Dim("rows", min=2)
    write("sizes", Sizes(), (torch.randn(4, 6), torch.randn(3)), {"x": {0: 2 * rows}, "y": None})
    small, rows_of_32 = torch.randn(2, 3, 9, 8), torch.randn(3, 4, 32)
    write("quantized", Small(), (small,), None, False, lambda module: quantized(module, small))
    write("quantized-rows", FeedForward(), (rows_of_32,), None, False, lambda module: quantized(module, rows_of_32, is_dynamic=True))
    write("quantized-blocks", FeedForward(), (rows_of_32,), {"x": {0: batch}}, False, weights_in_blocks)
    write("steps", Steps(), (torch.randn(4, 8, 4) * 3, torch.rand(8) / 10 + 0.01, torch.arange(-4, 4)), quantize=lambda module: module)
    write("blocks", Blocks(), (torch.randn(4, 2, 16) + 0.5,), quantize=lambda module: module)
    write("written", Written(), (torch.randn(3, 4),))
    write("neighbours", Neighbours(), (torch.randn(7, 6), torch.tensor([3, 0, 0, 1, 3, 1, 1])))
    half = torch.tensor([[200.0, -200, 200, -199], [0.5, 60000, 1, 2], [1, 2, 3, 5]], dtype=torch.float16)
    steep = torch.tensor([[-200.0, -100, 0, 50], [0, 100, -100, -200]])
    nan, seen = torch.nan, torch.ones(2, 2, dtype=torch.bool)
    seen[1] = False
    strange = torch.tensor([[1, nan, 3, 0], [2, 1, 5, 4], [nan, 0.25, -1, -2]])
    write("corners", Corners(), (torch.randn(4, 6), half, steep, torch.randn(1, 1, 50, 2), strange, seen), quantize=lambda module: module)
    write("turned", Turned(), (torch.randn(3, 4),))
    rows = torch.export.Dim("rows", min=3)
    entries = torch.randn(4, 3), torch.tensor([[0, 1, 2], [2, 0, 3], [1, 3, 0], [3, 2, 1]])
    whole = torch.tensor([-128, -127, -5, 7, 127], dtype=torch.int8)
    write(
        "limits", Limits(), (*entries, whole, torch.randn(2, 1, 2, 4), torch.randn(2, 2, 3, 4)),
        {"x": {0: rows}, "places": {0: rows}, "whole": None, "query": None, "keys": None})
    write("instances-core", Instances(), (torch.randn(2, 3, 4),), {"x": {0: batch}}, core=True)
    write("sized", Sized(), (torch.randn(1, 2, 9, 8),))
    free = torch.export.Dim.AUTO
    pictures = torch.randn(2, 1, 8, 6), torch.randn(2, 1, 3, 4), torch.randn(2, 1, 100)
    write("resized", Resized(), pictures, {"x": {0: free, 2: free, 3: free}, "y": {0: free, 3: free}, "row": {0: free, 2: free}})
    for suffix, core in (("", False), ("-core", True)):
        write("batches" + suffix, Batches(), (torch.randn(2, 4, 4, 6), torch.randn(2, 8)), {"x": {0: free}, "signal": {0: free}}, core)
    write("unsized", Unsized(), (torch.randn(2, 4, 3, 9),), {"x": dict.fromkeys(range(4), free)})
    write("cut", Cut(), (torch.randn(3, 2, 5, 7), torch.randn(2, 3, 4, 5)), {"x": {0: batch, 3: torch.export.Dim("width", min=2)}, "y": None})
    for suffix, core in (("", False), ("-core", True)):
        write("opened" + suffix, Opened(), (torch.arange(18.0).reshape(2, 9).sin(),), {"x": {0: free, 1: free}}, core)
    for suffix, core in (("", False), ("-core", True)):
        write("controlled" + suffix, Controlled(), (torch.randn(3, 4), torch.tensor(4), torch.randn(4)), {"x": {0: batch}, "turns": None, "state": None}, core)
    write("counted", Counted(), (torch.randn(3, 3),), {"x": {0: torch.export.Dim("count", min=2)}})
    for suffix, core in (("", False), ("-core", True)):
        write("spectra" + suffix, Spectra(), (torch.randn(2, 5, 3, 8), torch.randn(2, 50)), None, core)
    for suffix, core in (("", False), ("-core", True)):
        write("algebra" + suffix, Algebra(), (torch.randn(5, 6), torch.randn(2, 3, 3)), None, core)
    mask = torch.zeros(1, 1, 5, 5).masked_fill(torch.tensor([1, 0, 0, 1, 0]).bool()[:, None], -torch.inf)
    for suffix, core in (("", False), ("-core", True)):
        write("masked" + suffix, Masked(), (torch.randn(2, 3, 5, 4), mask), None, core)


if __name__ == "__main__":
    main()
