import { test } from "@jest/globals";
import { faultOf } from "../parity/compare.js";
import { makeLogits } from "../parity/logits.js";
import { random } from "../parity/random.js";
import { rowsOfGraph } from "../parity/rows.js";
import { generateBody } from "./generator.js";
import { compileBody, evaluateGraph, rowsAfter } from "./run.js";
import { printGraph } from "../../compiler/graph/text.js";
void printGraph;
test("scan", () => {
  const kinds = new Map<string, [number, string]>();
  const N = Number(process.env["N"] ?? 2000);
  for (let len = 1; len <= 6; len++) for (let seed = 0; seed < N; seed++) {
    const r = random(seed * 7 + len);
    const body = generateBody(seed * 31 + len, len);
    const spec = { shape: (["normal","negative","flat","wide"] as const)[r.below(4)]!, vocabSize: 2 + r.below(30), seed, dropped: r.below(2) * 0.4 };
    const logits = makeLogits(spec);
    const note = (kind: string) => {
      const k = kind.replace(/[-0-9.e+]{2,}|\d+/g, "#");
      const have = kinds.get(k);
      const d = body.join("\n      ");
      if (!have) kinds.set(k, [1, `${JSON.stringify(spec)}\n      ${d}\n      => ${kind}`]);
      else kinds.set(k, [have[0] + 1, d.length < have[1].length - 80 ? `${JSON.stringify(spec)}\n      ${d}\n      => ${kind}` : have[1]]);
    };
    try {
      const g = compileBody(...body);
      for (const b of ["reference", "cpu"] as const) {
        const rows = rowsAfter(g, logits, b);
        const f = faultOf(rows, logits);
        if (f) note(`${b}: ${f}`);
      }
      const res = evaluateGraph(compileBody(...body, "pick sample(7)"), logits, "cpu");
      const s = res.sampled as Int32Array;
      const rows = rowsOfGraph(res);
      const at = rows.tokens.indexOf(s[0]!);
      if (at < 0 || !(rows.probs[at]! > 0)) note(`sampled ${at < 0 ? "gone" : "prob0"}`);
    } catch (e) { note("throws " + (e as Error).message.split("\n")[0]); }
  }
  process.stdout.write([...kinds].map(([k, [n, d]]) => `${n} x ${k}\n      ${d}`).join("\n") + "\n");
});
