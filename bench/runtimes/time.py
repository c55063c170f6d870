"""Times emitted files: `time.py FOLDER WARM_UP ROUNDS LIBRARY...`. The folder has chain_LIBRARY.py and logits.bin. Prints JSON."""

import importlib
import json
import sys
import time

import numpy as np

folder, warm_up, rounds, *libraries = sys.argv[1:]
sys.path.insert(0, folder)
logits = np.fromfile(folder + "/logits.bin", dtype=np.float32)[None]


def opened(library):
    sampler = importlib.import_module("chain_" + library).Sampler()
    if library == "torch":
        import torch

        torch.set_num_threads(1)
        values = torch.from_numpy(logits)
        return lambda: sampler(values)
    return lambda: sampler(logits)


sides = {library: opened(library) for library in libraries}
found = {library: {"token": int(run()[0]), "us": []} for library, run in sides.items()}
for i in range(-int(warm_up), int(rounds)):
    for library, run in sides.items():
        start = time.perf_counter()
        run()
        if i >= 0:
            found[library]["us"].append((time.perf_counter() - start) * 1e6)
print(json.dumps(found))
