/** One case: stages on logits, on one backend, held against llama.cpp. */
import { acceptToken, startSequence, uniformsOf } from "../../runtime/sequence.js";
import { loadOracle } from "../native/oracle.js";
import { withGraph, type Backend } from "./backends.js";
import { compareRows, faultOf, hasSameOrder, orderFault } from "./compare.js";
import { makeLogits, type LogitsSpec } from "./logits.js";
import { rowsOfGraph, rowsOfLlama, runningSums, type Rows } from "./rows.js";
import type { Mode } from "./samplers.js";
import { BOUNDARY } from "./settings.js";
import { compileIn, llamaSamplers, specOf, type Stage } from "./stages.js";
import type { Tally } from "./tally.js";

export interface Case {
  readonly stages: readonly Stage[];
  readonly logits: LogitsSpec;
  readonly mode: Mode;
}

/** What an excuse is counted as. */
type Excuse = "atBoundary" | "withinRounding";

/** What running sums of `count` f32 terms up to a total of 1 can be off, theirs and ours together. */
const roundingOf = (count: number): number => count * 2 ** -24;

const excuseFor = (distance: number, count: number): Excuse | undefined =>
  distance < BOUNDARY ? "atBoundary" : distance < roundingOf(count) ? "withinRounding" : undefined;

/** Whether some stage's decision was so close that rounding settled it, by llama.cpp's rows before that stage. */
function excuseRows(stages: readonly Stage[], logits: Float32Array): Excuse | undefined {
  const { LlamaChain } = loadOracle();
  const excuses = stages.map((stage, i) => {
    const before = rowsOfLlama(new LlamaChain(llamaSamplers(stages.slice(0, i))).apply(logits));
    const margin = specOf(stage).margin?.(before, stage.args) ?? Infinity;
    return excuseFor(margin, before.tokens.length);
  });
  return excuses.find((e) => e === "atBoundary") ?? excuses.find((e) => e);
}

const isSortedAfter = (stages: readonly Stage[], mode: Mode): boolean =>
  stages.some((s) => specOf(s).sorts?.(s.args, mode) ?? false);

/** Whether llama.cpp's order depends on the rows, or on the value of what is a uniform here. */
function mayOrderOtherwise(stages: readonly Stage[], mode: Mode, logits: Float32Array): boolean {
  const { LlamaChain } = loadOracle();
  return stages.some((s, i) => {
    const { sorts, llamaSorts } = specOf(s);
    if (sorts && sorts(s.args, mode) !== sorts(s.args, "constant")) return true;
    return llamaSorts?.(rowsOfLlama(new LlamaChain(llamaSamplers(stages.slice(0, i))).apply(logits)), s.args) ?? false;
  });
}

/** Compares rows, order and probabilities; gives the rows of both sides when they agree. */
export function checkRows({ stages, logits: spec, mode }: Case, backend: Backend, tally: Tally): Agreed | undefined {
  const input = makeLogits(spec);
  const { graph, uniforms } = compileIn(mode, stages, ["candidates", "logits", "probs"]);
  const sequence = startSequence(graph, input.length, { uniforms });
  const results = withGraph(backend, graph, input.length, (run) => run(input, uniformsOf(sequence)));
  const ours = rowsOfGraph(results);
  const theirs = rowsOfLlama(new (loadOracle().LlamaChain)(llamaSamplers(stages)).apply(input));
  const fail = (fault: string): undefined => {
    tally.mismatches.push(fault);
  };
  const count = (as: Excuse | "overflows"): undefined => {
    tally[as]++;
  };

  tally.cases++;
  const invalid = faultOf(ours, input) ?? orderFault(ours, isSortedAfter(stages, mode));
  if (invalid !== undefined) return fail(invalid);
  if (!theirs.logits.every(Number.isFinite)) return count("overflows");
  const { fault, worst } = compareRows(ours, theirs, input);
  if (fault !== undefined) {
    const excuse = excuseRows(stages, input);
    return excuse ? count(excuse) : fail(fault);
  }
  tally.worst = Math.max(tally.worst, worst);
  const isSameOrder = hasSameOrder(ours, theirs, input, isSortedAfter(stages, mode));
  if (!isSameOrder && !mayOrderOtherwise(stages, mode, input)) return fail("the rows are in another order");
  if (!isSameOrder) tally.otherOrder++;
  return { ours, theirs, input, isSameOrder };
}

export interface Agreed {
  readonly ours: Rows;
  readonly theirs: Rows;
  readonly input: Float32Array;
  readonly isSameOrder: boolean;
}

/** How far `draw` is from the share of a row, by llama.cpp's probabilities in the order of our rows. */
function distanceToRow(draw: number, token: number, { ours, theirs, input }: Agreed): number {
  const probOf = new Map(theirs.tokens.map((t, i) => [t, theirs.probs[i]!]));
  const byLogit = new Map(theirs.tokens.map((t, i) => [input[t]!, theirs.probs[i]!]));
  const sums = runningSums(ours.tokens.map((t) => probOf.get(t) ?? byLogit.get(input[t]!)!));
  const row = ours.tokens.indexOf(token);
  return Math.max((sums[row - 1] ?? 0) - draw, draw - sums[row]!, 0);
}

/** The interpreter takes its time over many rows. */
const stepsFor = (backend: Backend, rows: number, steps: number): number =>
  backend === "reference" && rows > 256 ? Math.ceil(steps / 8) : steps;

/** Compares the tokens of `steps` steps with one seed, on the same logits, each token accepted. */
export function checkTokens(
  { stages, mode }: Case,
  backend: Backend,
  tally: Tally,
  agreed: Agreed,
  steps: number,
): void {
  const { input, ours, isSameOrder } = agreed;
  const { graph, uniforms } = compileIn(mode, stages, ["sampled"]);
  const theirs = new (loadOracle().LlamaChain)(llamaSamplers(stages));
  // which of several equal rows comes first, or is the best, is up to the device
  const areTiesOpen = isSortedAfter(stages, mode) || specOf(stages.at(-1)!).picks === "best";
  const isSame = (a: number, b: number): boolean => a === b || (areTiesOpen && input[a] === input[b]);
  withGraph(backend, graph, input.length, (run) => {
    let sequence = startSequence(graph, input.length, { uniforms });
    for (let step = 0; step < stepsFor(backend, input.length, steps); step++) {
      const { sampled, states } = run(input, uniformsOf(sequence));
      const token = typeof sampled === "number" ? sampled : sampled![0]!;
      const wanted = theirs.apply(input).selected;
      theirs.accept(wanted);
      tally.tokens++;
      const draw = sequence.streams[0]?.value;
      sequence = acceptToken(sequence, token, states ?? new Float32Array(0));
      if (!ours.tokens.includes(token))
        return tally.mismatches.push(`step ${step}: token ${token} is not among the rows left`);
      if ((isSameOrder || draw === undefined) && isSame(token, wanted)) continue;
      if (draw !== undefined && !isSameOrder && distanceToRow(draw, token, agreed) === 0) continue;
      // where the order is the same, a draw can only be near both rows if it lies between their shares
      const rows = isSameOrder ? [token, wanted] : [token];
      const distance = draw === undefined ? Infinity : Math.max(...rows.map((row) => distanceToRow(draw, row, agreed)));
      const excuse = excuseFor(distance, ours.tokens.length);
      if (!excuse)
        return tally.mismatches.push(
          `step ${step}: token ${token}, expected ${wanted}; the draw ${draw} is ${distance} away`,
        );
      tally[excuse]++;
    }
    return undefined;
  });
}
