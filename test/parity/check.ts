/** One case: stages on logits, on one backend, compared with llama.cpp step by step. */
import type { Backend } from "./backends.js";
import { compareRows, faultOf, hasSameOrder, orderFault } from "./compare.js";
import { makeContext, NO_CONTEXT, type ContextSpec } from "./context.js";
import { excuseFor, excuseOf, mayOrderOtherwise, type Excuse } from "./excuse.js";
import { openLlama, type Given } from "./llama.js";
import { makeLogits, type LogitsSpec } from "./logits.js";
import { openOurs } from "./ours.js";
import { runningSums, type PickedRows, type Rows } from "./rows.js";
import { SAMPLERS, type Mode, type Order } from "./samplers.js";
import { FEW_STEPS } from "./settings.js";
import { orderAfter, specOf, type Stage } from "./stages.js";
import { newTally, type Tally } from "./tally.js";

export interface Case {
  readonly stages: readonly Stage[];
  readonly logits: LogitsSpec;
  readonly context?: ContextSpec;
  readonly mode: Mode;
  /** Number of tokens to draw, if the chain draws. */
  readonly steps: number;
}

export function checkCase({ stages, logits, context = NO_CONTEXT, mode, steps }: Case, backend: Backend): Tally {
  const tally = newTally();
  tally.cases = 1;
  const input = makeLogits(logits);
  const given: Given = { stages, input, context: makeContext(context, input.length) };
  const [ours, theirs] = [openOurs(given, mode, backend), openLlama(given)];
  const order = orderAfter(stages, mode);
  const logitStretch = Math.max(...stages.map((s) => specOf(s).logitStretch ?? 1));
  const isOrderOurOwn = stages.some(({ args, sampler }) => {
    const orderIn = (m: Mode): Order | undefined => SAMPLERS[sampler]!.order?.(args, m, undefined);
    return orderIn(mode) !== orderIn("constant");
  });
  // tokens accepted so far, by both
  const accepted: number[] = [];
  const count = (excuse: Excuse | undefined, fault: string): false => {
    if (excuse) tally[excuse]++;
    else tally.mismatches.push(`step ${accepted.length}: ${fault}`);
    return false;
  };

  /** Whether the rows agree; counts a difference. */
  function checkRows(rows: Rows, there: Rows): boolean {
    const invalid = faultOf(rows, input) ?? orderFault(rows, order);
    if (invalid !== undefined) return count(undefined, invalid);
    const { fault, worst } = compareRows(rows, there, input, logitStretch);
    if (fault !== undefined) return count(excuseOf(given, accepted), fault);
    tally.worst = Math.max(tally.worst, worst);
    if (hasSameOrder(rows, there, input, order)) return true;
    const isElsewhere = isOrderOurOwn || mayOrderOtherwise(given, accepted);
    if (!isElsewhere) return count(excuseOf(given, accepted), "the rows are in another order");
    if (accepted.length === 0) tally.otherOrder++;
    return true;
  }

  /** Whether both may continue after different tokens. */
  function checkDifference(token: number, wanted: number, draw: number | undefined, rows: Rows, there: Rows): boolean {
    if (!rows.tokens.includes(token)) return count(undefined, `token ${token} is not among the rows left`);
    const isSameOrder = hasSameOrder(rows, there, input, order);
    // the order of ties is unspecified
    const areTiesOpen = order !== undefined || specOf(stages.at(-1)!).picks === "argmax";
    if (isSameOrder && areTiesOpen && input[token] === input[wanted]) return true;
    if (draw === undefined) return count(excuseOf(given, accepted), `token ${token}, expected ${wanted}`);
    const agreed = { ours: rows, theirs: there, input };
    if (!isSameOrder && distanceToRow(draw, token, agreed) === 0) return true;
    // in the same order, a draw is near both rows only if it lies between their intervals of the prefix sum
    const tokens = isSameOrder ? [token, wanted] : [token];
    const distance = Math.max(...tokens.map((t) => distanceToRow(draw, t, agreed)));
    const excuse = excuseFor(distance, rows.tokens.length) ?? excuseOf(given, accepted);
    count(excuse, `token ${token}, expected ${wanted}; the draw ${draw} is ${distance} away`);
    return excuse !== undefined;
  }

  const picks = specOf(stages.at(-1)!).picks;
  const canRejoin = !stages.some((s) => specOf(s).remembersPicks);
  const looksBack = stages.some((s) => specOf(s).looksBack);
  const last = picks === undefined ? 1 : picks === "argmax" ? Math.min(steps, FEW_STEPS) : steps;
  while (accepted.length < stepsFor(backend, input.length, last)) {
    const there: PickedRows = theirs.step();
    if (isBeyond(there.rows)) {
      count("undefinedThere", "");
      const invalid = faultOf(ours.rows(), input);
      if (invalid !== undefined) count(undefined, invalid);
      break;
    }
    if (accepted.length < comparedRows(input.length) && !checkRows(ours.rows(), there.rows)) break;
    const token = ours.pick();
    if (token === undefined) break;
    tally.tokens++;
    // the rows of this step must be read before its token is accepted
    const rows = token === there.selected ? undefined : ours.rows();
    const draw = ours.accept(token);
    if (rows && !checkDifference(token, there.selected, draw, rows, there.rows)) break;
    // a tied pick leaves the same memory, unless a stage reads the text so far
    const isTie = input[token] === input[there.selected] && !looksBack;
    if (rows && !canRejoin && !isTie) {
      tally.ended++;
      break;
    }
    accepted.push(canRejoin ? token : there.selected);
    theirs.accept(accepted.at(-1)!);
  }
  return tally;
}

const isBeyond = ({ tokens, logits }: Rows): boolean => tokens.length === 0 || !logits.every(Number.isFinite);

/** Steps whose rows are compared: large tables take a second, and are the same in every step. */
const comparedRows = (rows: number): number => (rows > 4096 ? 1 : FEW_STEPS);

/** The interpreter is slow on many rows. */
const stepsFor = (backend: Backend, rows: number, steps: number): number =>
  backend === "reference" && rows > 256 ? Math.ceil(steps / 8) : steps;

interface Agreed {
  readonly ours: Rows;
  readonly theirs: Rows;
  readonly input: Float32Array;
}

/** Distance of `draw` from a row's interval of the prefix sum, by llama.cpp's probabilities in the order of our rows. */
function distanceToRow(draw: number, token: number, { ours, theirs, input }: Agreed): number {
  const probOf = new Map(theirs.tokens.map((t, i) => [t, theirs.probs[i]!]));
  const byLogit = new Map(theirs.tokens.map((t, i) => [input[t]!, theirs.probs[i]!]));
  const sums = runningSums(ours.tokens.map((t) => probOf.get(t) ?? byLogit.get(input[t]!) ?? NaN));
  const row = ours.tokens.indexOf(token);
  const distance = Math.max((sums[row - 1] ?? 0) - draw, draw - sums[row]!, 0);
  return Number.isNaN(distance) ? Infinity : distance;
}
