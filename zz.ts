import { loadModel, compile } from "ggsl";
import { loadBinding } from "./runtime/native/loader.js";
import { openGrammar } from "./runtime/grammars/open.js";
import { vocabularyOf } from "./runtime/features/model.js";
import { hasBit } from "./runtime/grammars/bits.js";
import { readFileSync, readdirSync } from "node:fs";
const b = loadBinding();
(await loadModel("examples/model/ggsl-demo.gguf").catch(() => undefined))?.dispose();
const file = process.argv[2]!;
const m = await b.loadModel(file, { gpuLayers: 0, vocabOnly: true });
const vocabulary = vocabularyOf(m);
const V = vocabulary.texts!.length;
console.log("V", V);
let seed = 1; const rnd = (n: number) => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return Math.floor(seed / 2 ** 32 * n); };
for (const name of readdirSync("build/llama.cpp/grammars").filter((x) => x.endsWith(".gbnf"))) {
  const gbnf = readFileSync("build/llama.cpp/grammars/" + name, "utf8");
  try {
    let t = performance.now();
    const start = openGrammar({ gbnf }, { vocabulary, now: true });
    start.bits(); const prep = performance.now() - t;
    let diff = 0, steps = 0; const times: number[] = []; let lt = 0; let example = "";
    for (let text = 0; text < 3; text++) {
      let x = openGrammar({ gbnf }, { vocabulary, now: true }); const l = new b.Grammar(m, gbnf, "root"); let s = "";
      for (let i = 0; i < 25; i++) {
        t = performance.now(); const bits = x.bits(); times.push(performance.now() - t);
        t = performance.now(); const flags = l.allowed(); lt += performance.now() - t; steps++;
        const d: number[] = []; const ok: number[] = [];
        for (let k = 0; k < V; k++) { const a = hasBit(bits, k), c = flags[k] === 1; if (a !== c) d.push(k); else if (a) ok.push(k); }
        if (d.length) { diff += d.length; example ||= JSON.stringify(s) + " " + d.slice(0, 8).map((k) => `${k}:${JSON.stringify(Buffer.from(vocabulary.texts![k]!, "latin1").toString())}${hasBit(bits, k) ? "X" : "L"}`).join(" "); }
        const going = ok.filter((k) => !m.isEnd(k)); if (!going.length) break;
        const k = going[rnd(going.length)]!; s += Buffer.from(vocabulary.texts![k]!, "latin1").toString(); x = x.accept(k); l.accept(k);
      }
    }
    times.sort((a, b) => a - b);
    console.log(name, "prep", prep.toFixed(0), "median", times[times.length >> 1]!.toFixed(3), "max", times.at(-1)!.toFixed(2), "llama", (lt / steps).toFixed(2), "steps", steps, "diff", diff, example);
  } catch (e) { console.log(name, String(e).slice(0, 300)); }
}
process.exit(0);
