#!/usr/bin/env python3
"""Times training steps of a Transformer in PyTorch, for tools/bench train.

The model is that of frontends/dsl/models/Transformer.cpp: norms behind each
sub-layer, one table for source, target and projection, sinusoidal positions,
dropout on embeddings, sub-layers and attention weights, label smoothing, Adam.
Prints one JSON object for each mode.
"""
import argparse
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

PAD = -100


class Attention(nn.Module):
    def __init__(self, size, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.q, self.k, self.v, self.out = (nn.Linear(size, size) for _ in range(4))

    def forward(self, x, memory, mask=None, causal=False):
        def split(y):
            return y.view(y.shape[0], y.shape[1], self.heads, -1).transpose(1, 2)

        y = F.scaled_dot_product_attention(
            split(self.q(x)), split(self.k(memory)), split(self.v(memory)),
            attn_mask=mask, is_causal=causal,
            dropout_p=self.dropout if self.training else 0.0)
        return self.out(y.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, size, inner):
        super().__init__()
        self.first, self.second = nn.Linear(size, inner), nn.Linear(inner, size)

    def forward(self, x):
        return self.second(F.relu(self.first(x)))


class Layer(nn.Module):
    def __init__(self, c, cross):
        super().__init__()
        size = c["d_model"]
        attention = lambda: Attention(size, c["heads"], c["attention_dropout"])
        self.self_attention, self.ffn = attention(), FeedForward(size, c["ffn"])
        self.cross_attention = attention() if cross else None
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3 if cross else 2))
        self.dropout = nn.Dropout(c["dropout"])

    def forward(self, x, mask=None, memory=None, memory_mask=None):
        causal = self.cross_attention is not None
        x = self.norms[0](x + self.dropout(self.self_attention(x, x, mask, causal)))
        if causal:
            x = self.norms[1](x + self.dropout(self.cross_attention(x, memory, memory_mask)))
        return self.norms[-1](x + self.dropout(self.ffn(x)))


class Transformer(nn.Module):
    def __init__(self, c):
        super().__init__()
        size = c["d_model"]
        self.size = size
        self.table = nn.Embedding(c["vocab"], size)
        nn.init.normal_(self.table.weight, std=size ** -0.5)
        self.encoder = nn.ModuleList(Layer(c, False) for _ in range(c["encoder_layers"]))
        self.decoder = nn.ModuleList(Layer(c, True) for _ in range(c["decoder_layers"]))
        self.dropout = nn.Dropout(c["dropout"])
        self.smoothing = c["label_smoothing"]
        places = torch.arange(c["max_positions"])[:, None]
        waves = torch.exp(torch.arange(size // 2) * (-math.log(1e4) / (size // 2)))
        self.register_buffer("positions", torch.cat([torch.sin(places * waves), torch.cos(places * waves)], 1))

    def embed(self, ids):
        return self.dropout(self.table(ids) * math.sqrt(self.size) + self.positions[: ids.shape[1]])

    def forward(self, source, length, target, labels):
        mask = (torch.arange(source.shape[1]) < length[:, None])[:, None, None]
        memory = self.embed(source)
        for layer in self.encoder:
            memory = layer(memory, mask)
        x = self.embed(target)
        for layer in self.decoder:
            x = layer(x, None, memory, mask)
        logits = x.flatten(0, 1) @ self.table.weight.t()
        return F.cross_entropy(logits, labels.flatten(), ignore_index=PAD, reduction="sum",
                               label_smoothing=self.smoothing)


def measure(config, args, mode):
    torch.manual_seed(1)
    model = Transformer(config)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98))
    loss_of = torch.compile(model, dynamic=False) if mode == "compile" else model
    ids = lambda length: torch.randint(4, config["vocab"], (args.pairs, length))
    batch = (ids(args.source), torch.full((args.pairs,), args.source), ids(args.target), ids(args.target))
    count = args.pairs * args.target

    def step():
        optimiser.zero_grad(set_to_none=True)
        loss = loss_of(*batch)
        (loss / count).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        return loss.item()

    start = time.perf_counter()
    step()
    first = time.perf_counter() - start
    step()
    times, start = [], time.perf_counter()
    while time.perf_counter() - start < args.seconds or len(times) < 3:
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    low, middle, high = statistics.quantiles(times, n=4)
    print(json.dumps({
        "name": f"torch {torch.__version__.split('+')[0]} {mode}",
        "milliseconds": middle * 1e3, "quartiles": [low * 1e3, high * 1e3],
        "tokens_per_second": args.pairs * (args.source + args.target) / middle,
        "first_step_seconds": first}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("description", help="the model's description, as dragoman compile reads it")
    parser.add_argument("--pairs", type=int, default=64)
    parser.add_argument("--source", type=int, default=64)
    parser.add_argument("--target", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--modes", default="eager,compile")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    config = {"vocab": 32000, "d_model": 512, "encoder_layers": 6, "decoder_layers": 6, "heads": 8,
              "ffn": 2048, "dropout": 0.0, "attention_dropout": 0.0, "label_smoothing": 0.0,
              "max_positions": 512}
    with open(args.description) as file:
        config.update(json.load(file))
    for mode in args.modes.split(","):
        measure(config, args, mode)


if __name__ == "__main__":
    main()
