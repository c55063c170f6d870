/** The distribution after each stage: compiles the chain's prefixes, and evaluates them on the same logits. */
import { ALL_OUTPUTS } from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { keptCount } from "@ggsl/compiler/graph/liveness.js";
import type { Evaluation, Evaluator } from "ggsl/chain/evaluate.js";
import { openBackend, type Backend } from "./backend.js";
import { distributionOf, entropyOf, type Distribution } from "./distribution.js";
import { openEvaluator, valuesFor } from "./evaluator.js";
import type { ChainRequest, StageResult, StagesReply } from "./messages.js";
import { counters, openProgram } from "./program.js";

/** The maximum number of shown tokens. */
const MAX_TOKENS = 24;
/** The number of likeliest tokens of each stage that are always shown. */
const OF_EACH_STAGE = 4;
/** The number of places of a plot by rank. */
const RANKS = 60;

interface Prefixes {
  readonly key: string;
  readonly evaluators: readonly Evaluator[];
}

let open: Prefixes | undefined;

export async function stagesReply(request: ChainRequest): Promise<StagesReply> {
  const backend = await openBackend();
  const { stages } = openProgram(request);
  const { logits } = request.place;
  const given = distributionOf(softMax(logits), logits.length);
  const prefixes = openPrefixes(request, backend);
  const found: { readonly name: string; readonly rows: Distribution }[] = [{ name: "given", rows: given }];
  let last: Evaluation | undefined;
  for (const [i, evaluator] of prefixes.evaluators.entries()) {
    last = evaluator.evaluate(logits);
    found.push({ name: stages[i]!, rows: distributionOf(last.candidates, logits.length) });
  }
  const isWhole = prefixes.evaluators.length === stages.length;
  const tokens = shownTokens(
    found.map(({ rows }) => rows),
    last?.token ?? undefined,
  );
  const ranks = ranksOf(logits.length);
  return {
    ...backend,
    tokens,
    ranks,
    stages: found.map(({ name, rows }) => resultOf(name, rows, tokens, ranks)),
    ...(typeof last?.token === "number" && { picked: last.token }),
    ...(!isWhole && {
      stopped: `\`${stages[prefixes.evaluators.length]}\` is one of llama.cpp's own CPU samplers, which run only where the model's text is written.`,
    }),
    compiled: counters.compiled,
  };
}

/** Reuses the evaluators for new values of uniforms, unless there are states or windows, which depend on all values before. */
function openPrefixes(request: ChainRequest, { backend }: Backend): Prefixes {
  const { kind, text, chain, statics, seed, imports, uniforms, place, vocabulary } = request;
  const { history, picked, guides } = place;
  const program = [kind, text, chain, statics, seed, imports];
  const key = JSON.stringify([program, place.logits.length, history, picked, vocabulary, backend]);
  const graphs = prefixGraphs(request);
  if (open?.key === key && !guides && graphs.every((graph) => keptCount(graph) === 0)) {
    open.evaluators.forEach((evaluator, i) => evaluator.setUniforms(valuesFor(graphs[i]!, uniforms)));
    return open;
  }
  open?.evaluators.forEach((evaluator) => evaluator.dispose());
  open = undefined;
  const evaluators = graphs.map((graph) => openEvaluator(graph, request, backend));
  open = { key, evaluators };
  return open;
}

/** The graphs of the stages before the host tail, which needs the module with llama.cpp. */
function prefixGraphs(request: ChainRequest): Graph[] {
  const program = openProgram(request);
  const graphs: Graph[] = [];
  for (let count = 1; count <= program.stages.length; count++) {
    const graph = program.graph({ count, outputs: ALL_OUTPUTS });
    if (graph.tail.length > 0) break;
    graphs.push(graph);
  }
  return graphs;
}

function softMax(logits: Float32Array): Evaluation["candidates"] {
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = Float64Array.from(logits, (x) => Math.exp(x - most));
  const total = weights.reduce((a, b) => a + b, 0);
  const rows = Array.from(logits, (logit, token) => ({ token, logit, prob: weights[token]! / total }));
  return rows.filter(({ logit }) => logit !== -Infinity);
}

/** The picked token, and the likeliest ones of the input and of each stage. */
function shownTokens([given, ...stages]: readonly Distribution[], picked: number | undefined): Int32Array {
  const byGiven = given!.tokens.toSorted((a, b) => given!.probs[b]! - given!.probs[a]! || a - b);
  const place = new Int32Array(given!.probs.length);
  byGiven.forEach((token, i) => (place[token] = i));
  const chosen = new Set<number>(picked === undefined ? [] : [picked]);
  for (const { tokens, probs } of stages)
    for (const token of tokens
      .toSorted((a, b) => probs[b]! - probs[a]! || place[a]! - place[b]!)
      .slice(0, OF_EACH_STAGE))
      if (chosen.size < MAX_TOKENS) chosen.add(token);
  for (const token of byGiven) if (chosen.size < MAX_TOKENS) chosen.add(token);
  return Int32Array.from([...chosen].sort((a, b) => place[a]! - place[b]!));
}

function ranksOf(size: number): number[] {
  const steps = Array.from({ length: RANKS }, (_, i) => Math.round(size ** (i / (RANKS - 1))));
  return [...new Set(steps)];
}

const resultOf = (
  name: string,
  { tokens, probs, isKept }: Distribution,
  shown: Int32Array,
  ranks: readonly number[],
): StageResult => {
  const sorted = Float32Array.from(tokens, (token) => probs[token]!).sort();
  return {
    name,
    rows: tokens.length,
    entropy: entropyOf(probs),
    probs: Float32Array.from(shown, (token) => probs[token]!),
    isKept: Uint8Array.from(shown, (token) => isKept[token]!),
    byRank: Float32Array.from(ranks, (rank) => sorted[sorted.length - rank] ?? 0),
  };
};
