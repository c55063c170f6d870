/** The rows that top_k finds on Vulkan with and without its rewrite, and on the CPU, as sorted lists of keys. */
import { plainGraph } from "@ggsl/compiler/graph/plain.js";
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { chooseDevice } from "ggsl/backends/devices/choose.js";
import { loadBinding } from "ggsl/backends/native/loader.js";

const { device } = await chooseDevice({ backend: "vulkan" });
const binding = loadBinding();

function graphOf(k) {
  const vector = { dtype: "f32", dim: "V" };
  return encodeWire(
    plainGraph(
      "top",
      [
        { op: "input", inputs: [], attrs: { index: 0, ...vector }, ...vector },
        { op: "top_k", inputs: [0], attrs: { k }, dtype: "i32", dim: k },
      ],
      { candidates: 1 },
    ),
  );
}

/** Keys of every magnitude, of both signs. */
function keys(size, scale) {
  let state = 12345;
  const next = () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  return Float32Array.from({ length: size }, () => (next() < 0.5 ? -1 : 1) * scale * 2 ** (20 * next()));
}

const HUGE = Float32Array.of(1e20, 1e20, 1e20, 1e20, 2e20, 2e20, 0, 0);
const CASES = [
  { name: "eight huge rows", k: 3, rows: [HUGE] },
  { name: "two sequences", k: 3, rows: [HUGE, Float32Array.from(HUGE).reverse()] },
  { name: "ordinary rows", k: 40, rows: [keys(5000, 1)] },
  { name: "above 2^65", k: 40, rows: [keys(5000, 2 ** 66)] },
  { name: "above 2^65, as many rows as radix selects", k: 7, rows: [keys(1024, 2 ** 66)] },
  { name: "above 2^65, one row more", k: 7, rows: [keys(1025, 2 ** 66), keys(1025, 2 ** 70)] },
  { name: "near the largest number", k: 700, rows: [keys(20_000, 2 ** 107)] },
  { name: "tiny", k: 5, rows: [keys(3000, 2 ** -140)] },
  { name: "mostly -inf", k: 9, rows: [keys(3000, 2 ** 80).map((x, i) => (i % 100 === 0 ? x : -Infinity))] },
  { name: "more than radix needs", k: 1100, rows: [keys(3000, 2 ** 80)] },
];

const found = CASES.map(({ name, k, rows }) => {
  const size = rows[0].length;
  const logits = Float32Array.from(rows.flatMap((row) => [...row]));
  const run = (options) => {
    const evaluator = new binding.Evaluator(new binding.Graph(graphOf(k)), {
      vocabSize: size,
      rows: rows.length,
      ...options,
    });
    const { candidates } = evaluator.evaluate({ logits, uniforms: new Float32Array() });
    const best = rows.map((row, r) =>
      [...candidates.slice(r * k, (r + 1) * k)].map((i) => row[i]).sort((a, b) => b - a),
    );
    const distinct = rows.map((_, r) => new Set(candidates.slice(r * k, (r + 1) * k)).size);
    return { best: best.map((row) => row.map(String)), distinct, rewritten: evaluator.rewritten.map((r) => r.name) };
  };
  const wanted = rows.map((row) =>
    [...row]
      .sort((a, b) => b - a)
      .slice(0, k)
      .map(String),
  );
  return { name, k, wanted, plain: run({ device, rewriteFor: "cuda" }), right: run({ device }) };
});
console.log(JSON.stringify(found));
