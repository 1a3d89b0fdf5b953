#!/usr/bin/env python3
"""Prefill of transformers beside the chip's roof: bench/chip_roofline.py LENTO [OUT.csv]

Maps each network (`lento chip map`), simulates one inference without probes (`lento chip simulate`) and divides the
larger of two lower bounds by the simulated time: operations of the mapping over all cores, without copies of weights
that cores hand on and without stages of exchanges, and the bytes that must pass the DRAM ports however a network is
mapped (weights once, the first layer's input, the last layer's output). The bytes that the mapping does read and write,
and those over the middle of the chip, stand beside them."""

import json
import os
import re
import subprocess
import sys
import tempfile

# name in examples/models, side of the chip, batch, tokens, layers (0: all)
RUNS = [
    ("gpt2", 8, 1, 256, 0), ("gpt2", 8, 8, 512, 4), ("gpt2", 8, 32, 512, 4),
    ("vit-b16", 8, 1, 0, 0), ("vit-b16", 8, 8, 0, 0), ("vit-b16", 8, 32, 0, 4),
    ("llama", 8, 1, 256, 2), ("llama", 8, 8, 512, 2), ("llama", 8, 16, 512, 2),
    ("mixture", 8, 1, 256, 2), ("mixture", 8, 8, 512, 2), ("mixture", 8, 32, 512, 2),
    ("gpt2", 16, 32, 512, 4), ("vit-b16", 16, 64, 0, 4), ("llama", 16, 32, 512, 2),
    ("mixture", 16, 32, 512, 2),
]


def volume(block):
    out = len(block["cores"])
    for r in block["tensor_slice"]:
        out *= r["end"] - r["start"]
    return out


def hands_on(layer):
    """Whether a layer only reads weights for others."""
    return layer["type"] == "trans" and layer["name"].endswith(".weights")


def once(feature):
    slices = {json.dumps(b["tensor_slice"]) for b in feature["blocks"]}
    return sum(volume({"cores": [0], "tensor_slice": json.loads(s)}) for s in slices)


def weight_shapes(mapping):
    """Bytes of all weights, each once."""
    total = 0
    for layer in mapping["layers"]:
        if hands_on(layer):
            total += once(layer["input_feature"][0])
        for feature in layer["wgt_feature"]:
            if feature["source"] != "dram":
                continue
            total += once(feature)
    return total


def exchanges(layer):
    """Whether a layer is a stage on the way to another."""
    return re.search(r"[.](gather\d+([.][ab])?|sum[.]\d+[.]\d+)$", layer["name"]) is not None


def copied(mapping):
    """Operations of layers that only read, gather or add up for others: no work of the network."""
    batch = mapping["batch_size"]
    return sum(sum(volume(b) for b in layer["output_feature"][0]["blocks"]) * (batch // layer["layer_batch_size"])
               for layer in mapping["layers"] if hands_on(layer) or exchanges(layer))


def around(blocks):
    """The box that holds all blocks."""
    slices = [b["tensor_slice"] for b in blocks]
    return [{"start": min(s[a]["start"] for s in slices), "end": max(s[a]["end"] for s in slices)} for a in range(4)]


def ends(mapping):
    """Bytes of the network's input, once, and of what the last layer makes."""
    batch = mapping["batch_size"]
    read = set()
    for layer in mapping["layers"]:
        passes = batch // layer["layer_batch_size"]
        for feature in layer["input_feature"]:
            if feature["source_layer_id"] < 0 and not hands_on(layer):
                read.add((json.dumps(around(feature["blocks"])), passes))
    # An input that several layers read, each cut in another way, counts once. Two inputs of one size would count as one.
    inputs = sum(volume({"cores": [0], "tensor_slice": json.loads(s)}) * n for s, n in read)
    out = 0
    for layer in mapping["layers"]:
        if not layer["output_feature"][0]["next"]:
            out += sum(volume(b) for b in layer["output_feature"][0]["blocks"]) * (batch // layer["layer_batch_size"])
    return inputs, out


def simulate(lento, chip, mapping, folder):
    text = subprocess.run(
        [lento, "chip", "simulate", "--chip", chip, "--mapping", mapping, "--probes", "none", "--figures", folder],
        check=True, capture_output=True, text=True).stdout
    cycles = int(re.search(r"total time\s+(\d+)", text).group(1))
    busy = float(re.search(r"compute units busy, mean\s+([\d.]+)", text).group(1)) / 100
    return cycles, busy


def server_bytes(folder, side):
    """Of the DRAM ports, and of the busier direction over the middle columns."""
    ports = 0
    middle = [0, 0]
    name = next(n for n in os.listdir(folder) if n.startswith("3-"))
    for line in open(os.path.join(folder, name)).read().splitlines()[1:]:
        part, _, passed = line.split(",")
        if part.startswith(("port", "dram")):
            ports += int(passed)
        match = re.fullmatch(r"link(\d+)-(\d+)", part)
        if match:
            a, b = (int(v) // side for v in match.groups())
            if {a, b} == {side // 2 - 1, side // 2}:
                middle[a > b] += int(passed)
    return ports, max(middle)


def main():
    lento = sys.argv[1]
    out = open(sys.argv[2], "w") if len(sys.argv) > 2 else sys.stdout
    print("workload,chip,batch,tokens,layers_of_model,segments,cycles,compute_roof,least_dram_roof,share_of_roof,"
          "dram_bytes_of_the_mapping,middle_bytes", file=out)
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    for name, side, batch, tokens, layers in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(here, "examples", "models", name + ".json")
            mapping = os.path.join(folder, "map.json")
            config = json.load(open(model))
            chip = os.path.join(here, "examples", "chip", f"{side}x{side}.yaml")
            subprocess.run([lento, "chip", "map", model, "--chip", chip, "--batch", str(batch), "--tokens", str(tokens),
                            "--layers", str(layers), "-o", mapping], check=True, capture_output=True)
            cycles, busy = simulate(lento, chip, mapping, os.path.join(folder, "f"))
            loaded = json.load(open(mapping))
            dram = (weight_shapes(loaded) + sum(ends(loaded))) / (2 * side * 16)
            ports, middle = server_bytes(os.path.join(folder, "f"), side)
            compute = busy * cycles - copied(loaded) / (1024 * side * side)
            segments = max(layer["layer_group_id"] for layer in loaded["layers"])
            shown = layers or config.get("n_layer") or config["num_hidden_layers"]
            print(f"{name},{side}x{side},{batch},{tokens},{shown},{segments},{cycles},{compute:.0f},{dram:.0f},"
                  f"{max(compute, dram) / cycles:.3f},{ports},{middle}", file=out, flush=True)


if __name__ == "__main__":
    main()
