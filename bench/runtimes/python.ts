/** A chain in Debian's Python: NumPy and PyTorch, where they are installed. One thread, a batch of one text. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emitPython, type PythonLibrary } from "@ggsl/compiler/emit/python/emit.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { ROOT } from "../tool.js";
import type { Rounds, SideTimes } from "./chains.js";

const PYTHON = "/usr/bin/python3";
const SCRIPT = join(ROOT, "bench", "runtimes", "time.py");
const ONE_THREAD = { OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };
const NAMES: Readonly<Record<PythonLibrary, string>> = { numpy: "NumPy", torch: "PyTorch" };

/** The libraries that are installed. */
export const libraries = (): PythonLibrary[] =>
  (Object.keys(NAMES) as PythonLibrary[]).filter(
    (library) => spawnSync(PYTHON, ["-c", `import numpy, ${library}`]).status === 0,
  );

export function pythonTimes(
  graph: Graph,
  logits: Float32Array,
  { warmUp, count }: Rounds,
  names: readonly PythonLibrary[],
): SideTimes[] {
  if (names.length === 0) return [];
  const folder = mkdtempSync(join(tmpdir(), "ggsl-bench-"));
  try {
    for (const library of names) writeFileSync(join(folder, `chain_${library}.py`), emitPython(graph, library));
    writeFileSync(join(folder, "logits.bin"), logits);
    const args = [SCRIPT, folder, String(warmUp), String(count), ...names];
    const { status, stdout, stderr } = spawnSync(PYTHON, args, {
      encoding: "utf8",
      env: { ...process.env, ...ONE_THREAD },
    });
    if (status !== 0) throw new Error(`${SCRIPT} failed: ${stderr}`);
    const found = JSON.parse(stdout) as Record<PythonLibrary, Omit<SideTimes, "side">>;
    return names.map((library) => ({ side: NAMES[library], ...found[library] }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
