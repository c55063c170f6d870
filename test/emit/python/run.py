"""Runs emitted files beside each other: `run.py FOLDER` reads cases.json and data.bin there, and writes found.json."""
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
data = (folder / "data.bin").read_bytes()


def array(part):
    dtype = np.dtype({"f32": "<f4", "i32": "<i4"}[part["dtype"]])
    flat = np.frombuffer(data, dtype, part["count"], part["offset"])
    return (flat.astype(np.int64) if part["dtype"] == "i32" else flat.copy()).reshape(part["shape"])


def listed(x):
    """Numbers as JSON has them; what it has not, as texts."""
    return [v if np.isfinite(v) else str(v) for v in np.asarray(x).reshape(-1).tolist()]


def load(path):
    spec = importlib.util.spec_from_file_location("emitted", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(case):
    module = load(folder / case["file"])
    if case["library"] == "torch":
        import torch

        torch.set_num_threads(1)
        of = torch.from_numpy
    else:
        of = lambda x: x
    pieces = [bytes(piece) for piece in case["pieces"]] if "pieces" in case else None
    values = {**case["values"], **({"pieces": pieces} if pieces else {})}
    if "bias" in case:
        values["bias"] = [{int(token): float(value) for token, value in row.items()} for row in case["bias"]]
    sampler = module.Sampler(batch=case["batch"], **values)
    sampler.prompt(case["prompt"])
    steps = []
    for step in case["steps"]:
        inputs = {name: of(array(part)) for name, part in step["inputs"].items()}
        sampler_result = sampler(of(array(step["logits"])), **inputs)
        if "accept" in step:
            sampler.accept(step["accept"])
        del sampler_result
        steps.append({name: [listed(row) for row in value] for name, value in sampler.result.items()})
    return steps


found = []
for case in json.loads((folder / "cases.json").read_text()):
    try:
        found.append({"steps": run(case)})
    except Exception as error:
        found.append({"error": f"{type(error).__name__}: {error}"})
(folder / "found.json").write_text(json.dumps(found))
