"""The set of exported files that the program is judged by (exported_models.py): what is exported, how, and in which
opset. Weights are random; sizes are small where the network allows it. A row is (name, exporter, opset, maker); a
maker returns a module and its example inputs. Exporters: "script" and "dynamo" are PyTorch's two.
Past 500 lines: small networks of kinds that the packages do not have, and the list.
"""
import math

import torch
from torch import nn
from torch.nn import functional


def image(size, channels=3, batch=1, width=None):
    return torch.rand(batch, channels, size, width or size)


class Outputs(nn.Module):
    """Only tensors, in a tuple: what exporters take of dictionaries and lists of results."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *inputs):
        return tuple(tensors_of(self.inner(*inputs)))


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    return [tensor for part in parts for tensor in tensors_of(part)]


# Makers of families.


def vision(name, size=64, **options):
    def make():
        import torchvision
        with torch.random.fork_rng():
            module = torchvision.models.get_model(name, weights=None, **options)
        return module, (image(size),)

    return make


def detector(name, size=160, **options):
    def make():
        import torchvision
        sizes = {} if name.startswith("ssd") else {"min_size": size, "max_size": size}
        module = torchvision.models.get_model(name, weights=None, weights_backbone=None, **sizes, **options)
        class Detector(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = module

            def forward(self, x):
                results = self.inner([x])
                results = results[1] if isinstance(results, tuple) else results
                return tuple(results[0].values())

            def tell_apart(self, x):
                """Scores that differ, as those of trained heads do: a new head scores all places nearly alike, so that
                roundings would decide which come first, and none may be above the threshold."""
                def spread(layer, _, output):
                    factor = 2 / output.std()
                    layer.weight.mul_(factor)
                    hooks.pop(layer).remove()
                    return output * factor

                layers = [layer for name, layer in self.named_modules() if isinstance(layer, (nn.Conv2d, nn.Linear))
                          and ("cls" in name or "classification" in name)]
                hooks = {layer: layer.register_forward_hook(spread) for layer in layers}
                self(x)

        return Detector(), (image(size)[0],)

    return make


def segmenter(name, size=96):
    def make():
        import torchvision
        module = torchvision.models.get_model(name, weights=None, weights_backbone=None)

        class Segmenter(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = module

            def forward(self, x):
                return self.inner(x)["out"]

        return Segmenter(), (image(size),)

    return make


def video(name, frames=8, size=56):
    def make():
        import torchvision
        return torchvision.models.get_model(name, weights=None), (torch.rand(1, 3, frames, size, size),)

    return make


def timm_model(name, size=None, **options):
    def make():
        import timm
        if size and any(part in name for part in ("vit", "swin", "deit", "mixer", "mlp", "coat")):
            options["img_size"] = size
        module = timm.create_model(name, pretrained=False, exportable=True, **options)
        side = size or module.default_cfg["input_size"][-1]
        return module, (image(side),)

    return make


# Networks of our own: what people export besides the families.


def conv(inputs, outputs, kernel=3, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(outputs), nn.ReLU())


def own(module, *inputs):
    return lambda: (module() if isinstance(module, type) else module(), inputs)


class SubPixel(nn.Module):
    """Super-resolution with pixels from channels (ESPCN)."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(),
                                  nn.Conv2d(32, 9, 3, padding=1), nn.PixelShuffle(3))

    def forward(self, x):
        return torch.clamp(self.body(x), 0, 1)


class Interpolated(nn.Module):
    """Super-resolution of an enlarged image (SRCNN)."""

    def __init__(self, mode="bicubic"):
        super().__init__()
        self.mode = mode
        self.body = nn.Sequential(nn.Conv2d(3, 64, 9, padding=4), nn.ReLU(), nn.Conv2d(64, 32, 1), nn.ReLU(),
                                  nn.Conv2d(32, 3, 5, padding=2))

    def forward(self, x):
        x = functional.interpolate(x, scale_factor=2, mode=self.mode, align_corners=False)
        return x + self.body(x)


class Deconvolved(nn.Module):
    """Super-resolution that enlarges at the end (FSRCNN)."""

    def __init__(self):
        super().__init__()
        layers = [nn.Conv2d(1, 56, 5, padding=2), nn.PReLU(56), nn.Conv2d(56, 12, 1), nn.PReLU(12)]
        for _ in range(4):
            layers += [nn.Conv2d(12, 12, 3, padding=1), nn.PReLU(12)]
        layers += [nn.Conv2d(12, 56, 1), nn.PReLU(56), nn.ConvTranspose2d(56, 1, 9, 3, 4, 2)]
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x)


class ResidualScaled(nn.Module):
    """Super-resolution by residual blocks, with channel attention (EDSR, RCAN)."""

    class Block(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(),
                                      nn.Conv2d(channels, channels, 3, padding=1))
            self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, 4, 1), nn.ReLU(),
                                      nn.Conv2d(4, channels, 1), nn.Sigmoid())

        def forward(self, x):
            y = self.body(x)
            return x + 0.1 * y * self.gate(y)

    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(3, 32, 3, padding=1)
        self.body = nn.Sequential(*[self.Block(32) for _ in range(4)])
        self.tail = nn.Sequential(nn.Conv2d(32, 128, 3, padding=1), nn.PixelShuffle(2), nn.Conv2d(32, 3, 3, padding=1))

    def forward(self, x):
        y = self.head(x)
        return self.tail(y + self.body(y))


class DenseUpscaler(nn.Module):
    """Super-resolution by dense blocks and nearest neighbours (ESRGAN)."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Conv2d(32 + 16 * i, 16 if i < 4 else 32, 3, padding=1) for i in range(5)])

        def forward(self, x):
            seen = [x]
            for layer in self.layers[:-1]:
                seen.append(functional.leaky_relu(layer(torch.cat(seen, 1)), 0.2))
            return x + 0.2 * self.layers[-1](torch.cat(seen, 1))

    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(3, 32, 3, padding=1)
        self.body = nn.Sequential(self.Block(), self.Block(), self.Block())
        self.up = nn.Conv2d(32, 32, 3, padding=1)
        self.tail = nn.Conv2d(32, 3, 3, padding=1)

    def forward(self, x):
        y = self.body(self.head(x))
        y = functional.leaky_relu(self.up(functional.interpolate(y, scale_factor=2, mode="nearest")), 0.2)
        return self.tail(y)


class UNet(nn.Module):
    def __init__(self, bilinear):
        super().__init__()
        widths = [16, 32, 64, 128]
        self.down = nn.ModuleList([nn.Sequential(conv(3 if i == 0 else widths[i - 1], w), conv(w, w))
                                   for i, w in enumerate(widths)])
        self.up = nn.ModuleList([nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
                                               nn.Conv2d(2 * w, w, 1)) if bilinear else
                                 nn.ConvTranspose2d(2 * w, w, 2, 2) for w in widths[-2::-1]])
        self.merge = nn.ModuleList([conv(2 * w, w) for w in widths[-2::-1]])
        self.head = nn.Conv2d(widths[0], 5, 1)

    def forward(self, x):
        seen = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else functional.max_pool2d(x, 2))
            seen.append(x)
        for up, merge, skip in zip(self.up, self.merge, seen[-2::-1]):
            x = merge(torch.cat([skip, up(x)], 1))
        return torch.argmax(self.head(x), 1), torch.softmax(self.head(x), 1)


class StyleTransfer(nn.Module):
    def __init__(self):
        super().__init__()

        def layer(inputs, outputs, kernel, stride=1):
            return nn.Sequential(nn.ReflectionPad2d(kernel // 2), nn.Conv2d(inputs, outputs, kernel, stride),
                                 nn.InstanceNorm2d(outputs, affine=True))

        self.body = nn.Sequential(layer(3, 16, 9), nn.ReLU(), layer(16, 32, 3, 2), nn.ReLU(), layer(32, 64, 3, 2),
                                  nn.ReLU(), layer(64, 64, 3), nn.ReLU(), nn.Upsample(scale_factor=2),
                                  layer(64, 32, 3), nn.ReLU(), nn.Upsample(scale_factor=2), layer(32, 16, 3), nn.ReLU(),
                                  nn.ReflectionPad2d(4), nn.Conv2d(16, 3, 9))

    def forward(self, x):
        return self.body(x * 255)


class Generator(nn.Module):
    """Images from noise, by transposed convolutions (DCGAN)."""

    def __init__(self):
        super().__init__()
        widths = [64, 128, 64, 32, 3]
        layers = []
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            layers += [nn.ConvTranspose2d(a, b, 4, 1 if i == 0 else 2, 0 if i == 0 else 1, bias=False)]
            layers += [nn.BatchNorm2d(b), nn.ReLU()] if i < 3 else [nn.Tanh()]
        self.body = nn.Sequential(*layers)

    def forward(self, z):
        return self.body(z[:, :, None, None])


class OneStage(nn.Module):
    """A detector with grids and anchors decoded in the file (YOLO)."""

    def __init__(self, filters=False):
        super().__init__()
        self.filters = filters
        self.stem = nn.Sequential(conv(3, 16, 3, 2), conv(16, 32, 3, 2), conv(32, 32), conv(32, 64, 3, 2))
        self.deep = nn.Sequential(conv(64, 128, 3, 2), nn.MaxPool2d(5, 1, 2))
        self.fine, self.coarse = nn.Conv2d(192, 27, 1), nn.Conv2d(128, 27, 1)
        self.register_buffer("anchors", torch.rand(2, 3, 1, 1, 2) * 40 + 8)

    def decoded(self, x, anchors, stride):
        batch, _, height, width = x.shape
        x = x.view(batch, 3, 9, height, width).permute(0, 1, 3, 4, 2).sigmoid()
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        grid = torch.stack((columns, rows), 2).view(1, 1, height, width, 2).float()
        centre, size, rest = x.split((2, 2, 5), 4)
        return torch.cat(((centre * 2 - 0.5 + grid) * stride, (size * 2) ** 2 * anchors, rest), 4).view(batch, -1, 9)

    def forward(self, x):
        fine = self.stem(functional.silu(x))
        coarse = self.deep(fine)
        up = functional.interpolate(coarse, scale_factor=2.0, mode="nearest")
        boxes = torch.cat((self.decoded(self.fine(torch.cat((fine, up), 1)), self.anchors[0], 8),
                           self.decoded(self.coarse(coarse), self.anchors[1], 16)), 1)
        if not self.filters:
            return boxes
        import torchvision
        corners = torch.cat((boxes[0, :, :2] - boxes[0, :, 2:4] / 2, boxes[0, :, :2] + boxes[0, :, 2:4] / 2), 1)
        scores, labels = (boxes[0, :, 4:5] * boxes[0, :, 5:]).max(1)
        kept = torchvision.ops.nms(corners, scores, 0.5)
        return corners[kept], scores[kept], labels[kept]


class Centres(nn.Module):
    """A detector by heat maps and the largest of them (CenterNet)."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 16, 3, 2), conv(16, 32, 3, 2), conv(32, 32))
        self.heat, self.size = nn.Conv2d(32, 4, 1), nn.Conv2d(32, 2, 1)

    def forward(self, x):
        x = self.body(x)
        heat = self.heat(x).sigmoid()
        heat = heat * (functional.max_pool2d(heat, 3, 1, 1) == heat).float()
        scores, places = torch.topk(heat.flatten(1), 20)
        classes = places // (heat.shape[2] * heat.shape[3])
        pixels = places % (heat.shape[2] * heat.shape[3])
        sizes = self.size(x).flatten(2).gather(2, pixels[:, None].expand(-1, 2, -1))
        return scores, classes, pixels, sizes


class Recogniser(nn.Module):
    """Text in an image: convolutions, a recurrent layer, one letter per column (CRNN)."""

    def __init__(self, cell):
        super().__init__()
        self.body = nn.Sequential(conv(1, 16), nn.MaxPool2d(2), conv(16, 32), nn.MaxPool2d(2), conv(32, 64),
                                  nn.MaxPool2d((2, 1)), conv(64, 64), nn.MaxPool2d((4, 1)))
        self.cell = cell(64, 32, 2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(64, 37)

    def forward(self, x):
        x = self.body(x).squeeze(2).transpose(1, 2)
        return functional.log_softmax(self.head(self.cell(x)[0]), 2)


class Attention(nn.Module):
    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, mask=None):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        if self.causal:
            scores = scores.masked_fill(torch.ones(length, length).tril() == 0, float("-inf"))
        if mask is not None:
            scores = scores + (1.0 - mask[:, None, None, :].float()) * -10000.0
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))


class Layer(nn.Module):
    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.attention = Attention(width, heads, causal)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh" if causal else "none"),
                                 nn.Linear(4 * width, width))
        self.causal = causal

    def forward(self, x, mask=None):
        if self.causal:
            x = x + self.attention(self.first(x))
            return x + self.mlp(self.second(x))
        x = self.first(x + self.attention(x, mask))
        return self.second(x + self.mlp(x))


class Encoder(nn.Module):
    """Tokens with a mask and segments (BERT)."""

    def __init__(self, width=128, layers=2):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(500, width), nn.Embedding(64, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList([Layer(width, 4) for _ in range(layers)])
        self.pool = nn.Linear(width, width)

    def forward(self, tokens, mask, kinds):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))[None] + self.kinds(kinds)
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pool(x[:, 0]))


class Decoder(nn.Module):
    """Next tokens (GPT-2)."""

    def __init__(self, width=128, layers=2):
        super().__init__()
        self.words, self.places = nn.Embedding(500, width), nn.Embedding(64, width)
        self.layers = nn.ModuleList([Layer(width, 4, causal=True) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 500, bias=False)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class Rotary(nn.Module):
    """Next tokens, with rotated places, root mean squares and gates (Llama)."""

    def __init__(self, width=128, heads=4, layers=2):
        super().__init__()
        self.heads = heads
        self.words, self.head = nn.Embedding(500, width), nn.Linear(width, 500, bias=False)
        linear = lambda a, b: nn.Linear(a, b, bias=False)
        self.layers = nn.ModuleList([nn.ModuleDict({"q": linear(width, width), "kv": linear(width, width),
                                                    "o": linear(width, width), "gate": linear(width, 3 * width),
                                                    "up": linear(width, 3 * width), "down": linear(3 * width, width)})
                                     for _ in range(layers)])
        self.scales = nn.Parameter(torch.rand(2 * layers + 1, width) + 0.5)

    @staticmethod
    def norm(x, scale):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * scale

    @staticmethod
    def rotated(x):
        half = x.shape[-1] // 2
        angles = torch.arange(x.shape[-2]).float()[:, None] * 10000 ** (-torch.arange(half).float() / half)
        angles = torch.cat((angles, angles), -1)
        return x * angles.cos() + torch.cat((-x[..., half:], x[..., :half]), -1) * angles.sin()

    def forward(self, tokens):
        x = self.words(tokens)
        batch, length, width = x.shape
        for i, layer in enumerate(self.layers):
            y = self.norm(x, self.scales[2 * i])
            q = self.rotated(layer["q"](y).view(batch, length, self.heads, -1).transpose(1, 2))
            k, v = layer["kv"](y).view(batch, length, self.heads // 2, 2, -1).permute(3, 0, 2, 1, 4)
            k = self.rotated(k).repeat_interleave(2, 1)
            y = functional.scaled_dot_product_attention(q, k, v.repeat_interleave(2, 1), is_causal=True)
            x = x + layer["o"](y.transpose(1, 2).reshape(batch, length, width))
            y = self.norm(x, self.scales[2 * i + 1])
            x = x + layer["down"](functional.silu(layer["gate"](y)) * layer["up"](y))
        return self.head(self.norm(x, self.scales[-1]))


class Translator(nn.Module):
    """PyTorch's own transformer, encoder and decoder."""

    def __init__(self):
        super().__init__()
        torch.backends.mha.set_fastpath_enabled(False)  # a layer as one operator, which one exporter does not know
        self.inner = nn.Transformer(64, 4, 2, 2, 128, batch_first=True)

    def forward(self, source, target):
        return self.inner(source, target)


class Speech(nn.Module):
    """Sound to words: one-dimensional convolutions, dilated, gated (WaveNet), and group norms (wav2vec)."""

    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(1, 32, 10, 5, bias=False), nn.GroupNorm(32, 32), nn.GELU(),
                                   nn.Conv1d(32, 32, 3, 2), nn.GELU())
        self.filters = nn.ModuleList([nn.Conv1d(32, 64, 2, dilation=2 ** i) for i in range(4)])
        self.mixes = nn.ModuleList([nn.Conv1d(32, 32, 1) for _ in range(4)])
        self.head = nn.Conv1d(32, 12, 1)

    def forward(self, x):
        x = self.front(x)
        for i, (filters, mix) in enumerate(zip(self.filters, self.mixes)):
            a, b = filters(functional.pad(x, (2 ** i, 0))).chunk(2, 1)
            x = x + mix(torch.tanh(a) * torch.sigmoid(b))
        return functional.avg_pool1d(self.head(functional.max_pool1d(x, 3)), 4)


class Tagger(nn.Module):
    """Words to tags by a recurrent layer with given states."""

    def __init__(self, cell):
        super().__init__()
        self.words, self.cell, self.head = nn.Embedding(100, 24), cell(24, 40, 2), nn.Linear(40, 9)

    def forward(self, tokens, state):
        states = (state, state * 0.5) if isinstance(self.cell, nn.LSTM) else state
        y, _ = self.cell(self.words(tokens), states)
        return self.head(y)


class Separator(nn.Module):
    """Three-dimensional U-net of volumes."""

    def __init__(self):
        super().__init__()
        block = lambda a, b: nn.Sequential(nn.Conv3d(a, b, 3, padding=1), nn.InstanceNorm3d(b), nn.LeakyReLU(0.01))
        self.first, self.second, self.third = block(1, 8), block(8, 16), block(24, 8)
        self.head = nn.Conv3d(8, 3, 1)

    def forward(self, x):
        a = self.first(x)
        b = self.second(functional.max_pool3d(a, 2))
        up = functional.interpolate(b, scale_factor=2, mode="trilinear", align_corners=False)
        return torch.softmax(self.head(self.third(torch.cat((a, up), 1))), 1)


class Warped(nn.Module):
    """An image moved by what a network reads in it (spatial transformer)."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(1, 8, 5, 2), conv(8, 10, 5, 2), nn.Flatten(),
                                  nn.Linear(490, 32), nn.ReLU(), nn.Linear(32, 6))
        self.head = nn.Sequential(conv(1, 16, 5, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))

    def forward(self, x):
        theta = self.body(x).view(-1, 2, 3) * 0.1 + torch.tensor([[1.0, 0, 0], [0, 1, 0]])
        return self.head(functional.grid_sample(x, functional.affine_grid(theta, x.shape, align_corners=False),
                                                align_corners=False))


class Variational(nn.Module):
    """An autoencoder with fully connected layers and several outputs."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ELU(), nn.Linear(128, 32))
        self.decode = nn.Sequential(nn.Linear(16, 128), nn.SELU(), nn.Linear(128, 784), nn.Sigmoid())

    def forward(self, x):
        mean, spread = self.encode(x).chunk(2, 1)
        return self.decode(mean + torch.exp(0.5 * spread)).view(-1, 1, 28, 28), mean, spread


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(50, 16) for _ in range(4)])
        self.dense, self.head = nn.Linear(13, 16), nn.Sequential(nn.Linear(26, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, numbers, places):
        x = torch.stack([functional.relu(self.dense(numbers))] +
                        [table(places[:, i]) for i, table in enumerate(self.tables)], 1)
        pairs = torch.einsum("bij,bkj->bik", x, x)
        rows, columns = torch.tril_indices(5, 5, -1)
        return torch.sigmoid(self.head(torch.cat((pairs[:, rows, columns], x[:, 0]), 1)))


TOKENS = torch.randint(0, 500, (1, 32))
MASK = torch.cat((torch.ones(1, 25, dtype=torch.long), torch.zeros(1, 7, dtype=torch.long)), 1)
KINDS = torch.zeros(1, 32, dtype=torch.long)


def rows():
    """All rows: name, exporter, opset, maker."""
    found = []

    def add(name, exporter, opset, maker):
        found.append((f"{name}-{exporter}-{opset}", exporter, opset, maker))

    # torchvision
    for opset, (name, size) in zip([9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 9, 11, 13, 17, 18, 16, 17, 12],
                                   [("alexnet", 224), ("vgg11_bn", 224), ("resnet18", 64), ("resnet50", 64),
                                    ("densenet121", 64), ("googlenet", 64), ("inception_v3", 96), ("mnasnet0_5", 64),
                                    ("mobilenet_v2", 64), ("mobilenet_v3_small", 64), ("shufflenet_v2_x0_5", 64),
                                    ("squeezenet1_1", 64), ("efficientnet_b0", 64), ("efficientnet_v2_s", 64),
                                    ("regnet_y_400mf", 64), ("resnext50_32x4d", 64), ("convnext_tiny", 64),
                                    ("squeezenet1_0", 64)]):
        add("tv_" + name, "script", opset, vision(name, size))
    for opset, name in zip([18, 19, 20, 21, 22, 23, 18, 18, 20, 18, 23],
                           ["resnet18", "mobilenet_v3_large", "googlenet", "shufflenet_v2_x1_0", "densenet121",
                            "regnet_x_400mf", "convnext_tiny", "efficientnet_b0", "mobilenet_v2", "squeezenet1_1",
                            "resnet50"]):
        add("tv_" + name, "dynamo", opset, vision(name, 64))
    add("tv_swin_t", "script", 17, vision("swin_t", 224))
    add("tv_swin_v2_t", "dynamo", 18, vision("swin_v2_t", 64))
    add("tv_maxvit_t", "dynamo", 20, vision("maxvit_t", 224))
    add("tv_r3d_18", "script", 13, video("r3d_18"))
    add("tv_mc3_18", "dynamo", 18, video("mc3_18"))
    for name, opset in [("fasterrcnn_mobilenet_v3_large_320_fpn", 11), ("retinanet_resnet50_fpn", 13),
                        ("ssdlite320_mobilenet_v3_large", 14), ("ssd300_vgg16", 12), ("fcos_resnet50_fpn", 16),
                        ("maskrcnn_resnet50_fpn", 17), ("keypointrcnn_resnet50_fpn", 16)]:
        add("tv_" + name, "script", opset, detector(name))
    for name, exporter, opset in [("lraspp_mobilenet_v3_large", "script", 11), ("deeplabv3_mobilenet_v3_large", "script", 16),
                                  ("fcn_resnet50", "script", 12), ("deeplabv3_resnet50", "dynamo", 19),
                                  ("lraspp_mobilenet_v3_large", "dynamo", 20)]:
        add("tv_" + name, exporter, opset, segmenter(name))

    # timm, at small sizes where the network takes them
    small = ["mobilenetv3_small_050", "tf_efficientnet_lite0", "tinynet_e", "lcnet_050", "mnasnet_small", "fbnetc_100",
             "spnasnet_100", "ghostnet_100", "ghostnetv2_100", "hardcorenas_a", "repvgg_a0", "res2net50_14w_8s",
             "resnest14d", "legacy_seresnet18", "ecaresnet26t", "skresnet18", "gcresnet33ts", "eca_nfnet_l0",
             "nf_regnet_b0", "dla46_c", "hrnet_w18_small", "ese_vovnet19b_slim", "cspresnet50", "cspdarknet53", "dpn68",
             "legacy_xception", "selecsls42", "rexnet_100", "regnety_002", "resnetv2_50", "resnet10t",
             "convnext_atto", "convnextv2_atto", "mobilenetv4_conv_small", "repghostnet_050", "hgnetv2_b0", "mobileone_s0",
             "starnet_s1", "tresnet_m", "mixnet_s"]
    fixed = ["deit_tiny_patch16_224", "mixer_s32_224", "gmlp_s16_224", "resmlp_12_224", "poolformer_s12", "pit_ti_224",
             "pvt_v2_b0", "swin_tiny_patch4_window7_224", "twins_pcpvt_small", "visformer_tiny", "xcit_nano_12_p16_224",
             "mobilevit_xxs", "mobilevitv2_050", "edgenext_xx_small", "efficientformer_l1", "efficientvit_b0",
             "efficientvit_m0", "fastvit_t8", "repvit_m0_9", "tiny_vit_5m_224", "focalnet_tiny_srf", "davit_tiny",
             "gcvit_xxtiny", "sequencer2d_s", "convit_tiny", "coat_lite_tiny", "crossvit_tiny_240", "levit_128s",
             "cait_xxs24_224", "botnet26t_256", "lambda_resnet26t", "halonet26t", "nest_tiny", "mambaout_femto"]
    opsets = [9, 11, 11, 12, 13, 14, 15, 16, 17, 18]
    for i, name in enumerate(small):
        if i % 3 == 2:
            add("timm_" + name, "dynamo", 18 + i % 6, timm_model(name, 64))
        else:
            add("timm_" + name, "script", opsets[i % len(opsets)], timm_model(name, 64))
    for i, name in enumerate(fixed):
        if i % 2 == 1:
            add("timm_" + name, "dynamo", 18 + i % 6, timm_model(name))
        else:
            add("timm_" + name, "script", [14, 16, 17][i % 3], timm_model(name))

    # super-resolution
    add("espcn", "script", 11, own(SubPixel, image(32, 1)))
    add("espcn", "dynamo", 18, own(SubPixel, image(32, 1)))
    add("srcnn_bicubic", "script", 13, own(Interpolated, image(24)))
    add("srcnn_bicubic", "dynamo", 20, own(Interpolated, image(24)))
    add("srcnn_bilinear", "script", 10, own(lambda: Interpolated("bilinear"), image(24)))
    add("fsrcnn", "script", 9, own(Deconvolved, image(24, 1)))
    add("edsr", "script", 14, own(ResidualScaled, image(24)))
    add("edsr", "dynamo", 21, own(ResidualScaled, image(24)))
    add("esrgan", "script", 16, own(DenseUpscaler, image(24)))
    # segmenters, detectors and generators of our own
    add("unet", "script", 11, own(lambda: UNet(True), image(64)))
    add("unet_transposed", "script", 17, own(lambda: UNet(False), image(64)))
    add("unet", "dynamo", 18, own(lambda: UNet(True), image(64)))
    add("unet3d", "script", 15, own(Separator, torch.rand(1, 1, 16, 16, 16)))
    add("unet3d", "dynamo", 19, own(Separator, torch.rand(1, 1, 16, 16, 16)))
    add("style", "script", 12, own(StyleTransfer, image(48)))
    add("style", "dynamo", 22, own(StyleTransfer, image(48)))
    add("dcgan", "script", 10, own(Generator, torch.randn(2, 64)))
    add("yolo", "script", 12, own(OneStage, image(96)))
    add("yolo", "dynamo", 18, own(OneStage, image(96)))
    add("yolo_nms", "script", 17, own(lambda: OneStage(True), image(96)))
    add("centernet", "script", 13, own(Centres, image(64)))
    add("centernet", "dynamo", 20, own(Centres, image(64)))
    # text in images, sound, text
    add("crnn_lstm", "script", 11, own(lambda: Recogniser(nn.LSTM), image(32, 1, 1, 96)))
    add("crnn_gru", "script", 14, own(lambda: Recogniser(nn.GRU), image(32, 1, 1, 96)))
    add("crnn_lstm", "dynamo", 18, own(lambda: Recogniser(nn.LSTM), image(32, 1, 1, 96)))
    add("speech", "script", 13, own(Speech, torch.randn(1, 1, 2000)))
    add("speech", "dynamo", 20, own(Speech, torch.randn(1, 1, 2000)))
    add("tagger_lstm", "script", 9, own(lambda: Tagger(nn.LSTM), TOKENS[0, :10, None] % 100, torch.randn(2, 1, 40)))
    add("tagger_gru", "script", 12, own(lambda: Tagger(nn.GRU), TOKENS[0, :10, None] % 100, torch.randn(2, 1, 40)))
    add("tagger_rnn", "script", 16, own(lambda: Tagger(nn.RNN), TOKENS[0, :10, None] % 100, torch.randn(2, 1, 40)))
    add("bert", "script", 11, own(Encoder, TOKENS, MASK, KINDS))
    add("bert", "script", 17, own(Encoder, TOKENS, MASK, KINDS))
    add("bert", "dynamo", 18, own(Encoder, TOKENS, MASK, KINDS))
    add("gpt", "script", 14, own(Decoder, TOKENS))
    add("gpt", "dynamo", 20, own(Decoder, TOKENS))
    add("llama", "script", 16, own(Rotary, TOKENS))
    add("llama", "dynamo", 18, own(Rotary, TOKENS))
    add("llama", "dynamo", 23, own(Rotary, TOKENS))
    add("transformer", "script", 15, own(Translator, torch.randn(1, 10, 64), torch.randn(1, 8, 64)))
    add("transformer", "dynamo", 18, own(Translator, torch.randn(1, 10, 64), torch.randn(1, 8, 64)))
    add("warped", "script", 20, own(Warped, image(28, 1)))
    add("warped", "dynamo", 20, own(Warped, image(28, 1)))
    add("variational", "script", 9, own(Variational, image(28, 1)))
    add("recommender", "script", 13, own(Recommender, torch.randn(4, 13), torch.randint(0, 50, (4, 4))))
    add("recommender", "dynamo", 19, own(Recommender, torch.randn(4, 13), torch.randint(0, 50, (4, 4))))
    return found
