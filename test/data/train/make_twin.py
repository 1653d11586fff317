#!/usr/bin/env python3
"""The Transformer of frontends/dsl in PyTorch, trained on the same batches.

  make_twin.py model.json model.dgm twin.json

model.dgm is `dragoman compile model.json`: its initial parameters are the
twin's. Writes the batches, the settings of the updates, the loss and nll per
label of the first batch after 0, 1, 10 and 100 updates, and those of the trained
batch with the gradient's norm at each of the first ten, in float64 and float32.
Needs torch.
"""
import json
import math
import random
import struct
import sys
import zipfile

import torch
from torch.nn import functional as F

UPDATES = {"lr": 3e-4, "clip": 1.0}
REPORTED = [0, 1, 10, 100]
IGNORED = -100


def read_parameters(path):
    """Name -> (tensor f64, decay) of an artifact's initial parameters."""
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        blob = archive.read("weights/model.safetensors")
    (header_bytes,) = struct.unpack("<Q", blob[:8])
    header = json.loads(blob[8 : 8 + header_bytes])
    begin, end = header["parameters"]["data_offsets"]
    data = blob[8 + header_bytes + begin : 8 + header_bytes + end]
    flat = torch.frombuffer(bytearray(data), dtype=torch.float32).double()
    parameters = {}
    for entry in manifest["training"]["parameters"]:
        count = math.prod(entry["shape"])
        values = flat[entry["offset"] : entry["offset"] + count]
        parameters[entry["name"]] = (values.reshape(entry["shape"]), entry["decay"])
    return parameters


class Twin:
    def __init__(self, config, parameters, dtype):
        self.config = config
        self.heads = config["heads"]
        self.eps = config.get("norm_eps", 1e-5)
        self.pre = config.get("norm", "post") == "pre"
        self.p = {
            name: values.to(dtype).clone().requires_grad_()
            for name, (values, _) in parameters.items()
        }
        d = config["d_model"]
        position = torch.arange(config.get("max_positions", 512)).double()[:, None]
        rate = 10000.0 ** (-2.0 * torch.arange(d // 2).double() / d)
        self.positions = torch.cat(
            [torch.sin(position * rate), torch.cos(position * rate)], 1
        ).to(dtype)

    def linear(self, x, name):
        return F.linear(x, self.p[name + ".weight"], self.p.get(name + ".bias"))

    def norm(self, x, name):
        return F.layer_norm(
            x, x.shape[-1:], self.p[name + ".weight"], self.p[name + ".bias"], self.eps
        )

    def around(self, x, norm, f):
        if self.pre:
            return x + f(self.norm(x, norm))
        return self.norm(x + f(x), norm)

    def attention(self, x, memory, name, visible):
        b, t, c = x.shape
        split = lambda y: y.reshape(b, y.shape[1], self.heads, -1).transpose(1, 2)
        q = split(self.linear(x, name + ".q_proj"))
        k = split(self.linear(memory, name + ".k_proj"))
        v = split(self.linear(memory, name + ".v_proj"))
        scores = q @ k.transpose(2, 3) / math.sqrt(c // self.heads)
        weights = torch.softmax(scores.masked_fill(~visible, -math.inf), -1)
        return self.linear((weights @ v).transpose(1, 2).reshape(b, t, c), name + ".out_proj")

    def feed_forward(self, x, name):
        kind = self.config.get("activation", "relu")
        act = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}[kind]
        return self.linear(act(self.linear(x, name + ".fc1")), name + ".fc2")

    def embed(self, ids, table):
        x = self.p[table][ids] * math.sqrt(self.config["d_model"])
        return x + self.positions[: ids.shape[1]]

    def logits(self, batch):
        tie = self.config.get("tie_embeddings", "all")
        tables = {
            "all": ["shared.weight"] * 3,
            "target": ["encoder.embed_tokens.weight"] + ["decoder.embed_tokens.weight"] * 2,
            "none": ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"],
        }[tie]
        source = torch.tensor(batch["source_ids"])
        target = torch.tensor(batch["target_ids"])
        length = torch.tensor(batch["source_length"])
        keys = (torch.arange(source.shape[1]) < length[:, None])[:, None, None, :]
        causal = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).tril()
        x = self.embed(source, tables[0])
        for l in range(self.config["encoder_layers"]):
            name = f"encoder.layers.{l}"
            x = self.around(
                x, name + ".self_attn_layer_norm",
                lambda h: self.attention(h, h, name + ".self_attn", keys))
            x = self.around(
                x, name + ".final_layer_norm", lambda h: self.feed_forward(h, name))
        memory = self.norm(x, "encoder.layer_norm") if self.pre else x
        x = self.embed(target, tables[1])
        for l in range(self.config["decoder_layers"]):
            name = f"decoder.layers.{l}"
            x = self.around(
                x, name + ".self_attn_layer_norm",
                lambda h: self.attention(h, h, name + ".self_attn", causal))
            x = self.around(
                x, name + ".encoder_attn_layer_norm",
                lambda h: self.attention(h, memory, name + ".encoder_attn", keys))
            x = self.around(
                x, name + ".final_layer_norm", lambda h: self.feed_forward(h, name))
        if self.pre:
            x = self.norm(x, "decoder.layer_norm")
        return F.linear(x, self.p[tables[2]], self.p.get("final_logits_bias"))

    def sums(self, batch):
        """Sums of loss and nll over the labels, and their number."""
        logits = self.logits(batch)
        forbidden = {self.config["pad"]}
        if self.config["start"] != self.config["end"]:
            forbidden.add(self.config["start"])
        allowed = torch.ones(logits.shape[-1], dtype=torch.bool)
        allowed[list(forbidden)] = False
        logs = torch.log_softmax(logits.masked_fill(~allowed, -math.inf), -1)
        labels = torch.tensor(batch["labels"])
        counted = labels != IGNORED
        gold = logs.gather(-1, labels.clamp(min=0)[..., None])[..., 0]
        nll = -gold[counted].sum()
        uniform = -logs[..., allowed].mean(-1)[counted].sum()
        smoothing = self.config.get("label_smoothing", 0)
        return (1 - smoothing) * nll + smoothing * uniform, nll, int(counted.sum())


def make_batches(config):
    """Batches of pairs: the target is the source backwards. The last is the one
    that a model learns by heart."""
    draw = random.Random(7)
    special = {config["start"], config["end"], config["pad"]}
    words = [id for id in range(config["vocab"]) if id not in special]
    batches = []
    for size in [6] * 5 + [8]:
        pairs = [
            [draw.choice(words) for _ in range(draw.randint(1, 9))]
            for _ in range(size)
        ]
        longest = max(map(len, pairs)) + 1
        pad = lambda ids, value: ids + [value] * (longest - len(ids))
        batches.append({
            "source_ids": [pad(p + [config["end"]], config["pad"]) for p in pairs],
            "source_length": [len(p) + 1 for p in pairs],
            "target_ids": [pad([config["start"]] + p[::-1], config["pad"]) for p in pairs],
            "labels": [pad(p[::-1] + [config["end"]], IGNORED) for p in pairs],
        })
    return batches


def train(config, parameters, batches, dtype):
    """The curve at the reported updates, and the first ten steps."""
    twin = Twin(config, parameters, dtype)
    options = config["training"]
    groups = [
        {"params": [twin.p[n] for n, (_, d) in parameters.items() if d == decay],
         "weight_decay": options.get("weight_decay", 0) if decay else 0}
        for decay in (True, False)
    ]
    optimizer = torch.optim.AdamW(
        groups, lr=UPDATES["lr"], eps=options["eps"],
        betas=(options["beta1"], options["beta2"]))
    curve, steps = [], []
    for update in range(max(REPORTED) + 1):
        if update in REPORTED:
            with torch.no_grad():
                loss, nll, count = twin.sums(batches[0])
                curve.append([loss.item() / count, nll.item() / count])
        loss, nll, count = twin.sums(batches[update % len(batches)])
        optimizer.zero_grad()
        (loss / count).backward()
        gradients = [p.grad for p in twin.p.values() if p.grad is not None]
        norm = math.sqrt(sum((g.double() ** 2).sum().item() for g in gradients))
        steps.append([loss.item() / count, nll.item() / count, norm])
        if norm > UPDATES["clip"]:
            for gradient in gradients:
                gradient *= UPDATES["clip"] / norm
        optimizer.step()
    return {"curve": curve, "steps": steps[:10]}


def main():
    description, artifact, output = sys.argv[1:]
    torch.set_num_threads(1)
    with open(description) as file:
        config = json.load(file)
    parameters = read_parameters(artifact)
    *batches, overfit = make_batches(config)
    fixture = {
        "updates": UPDATES,
        "reported": REPORTED,
        "batches": batches,
        "overfit": overfit,
    }
    for name, dtype in (("float64", torch.float64), ("float32", torch.float32)):
        fixture[name] = train(config, parameters, batches, dtype)
    with open(output, "w") as file:
        text = json.dumps(fixture).replace("}, {", "},\n{")
        file.write(text + "\n")


if __name__ == "__main__":
    main()
