/** One case: stages on logits, on one backend, held against llama.cpp, step by step. */
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
  /** Tokens that are drawn, where the chain draws. */
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
  // what was accepted so far, by both
  const accepted: number[] = [];
  const count = (excuse: Excuse | undefined, fault: string): false => {
    if (excuse) tally[excuse]++;
    else tally.mismatches.push(`step ${accepted.length}: ${fault}`);
    return false;
  };

  /** Whether the rows agree; a difference is counted. */
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

  /** Whether both may go on after tokens that differ. */
  function checkDifference(token: number, wanted: number, draw: number | undefined, rows: Rows, there: Rows): boolean {
    if (!rows.tokens.includes(token)) return count(undefined, `token ${token} is not among the rows left`);
    const isSameOrder = hasSameOrder(rows, there, input, order);
    // which of several equal rows comes first, or is the best, is up to the device
    const areTiesOpen = order !== undefined || specOf(stages.at(-1)!).picks === "argmax";
    if (isSameOrder && areTiesOpen && input[token] === input[wanted]) return true;
    if (draw === undefined) return count(excuseOf(given, accepted), `token ${token}, expected ${wanted}`);
    const agreed = { ours: rows, theirs: there, input };
    if (!isSameOrder && distanceToRow(draw, token, agreed) === 0) return true;
    // where the order is the same, a draw can only be near both rows if it lies between their shares
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
    // rows are of this step, so they are looked at before it is over
    const rows = token === there.selected ? undefined : ours.rows();
    const draw = ours.accept(token);
    if (rows && !checkDifference(token, there.selected, draw, rows, there.rows)) break;
    // a pick of equal logit leaves the same memory behind, as long as nothing looks at the text
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

/** Steps whose rows are compared one by one: many take a second, and are the same in every step. */
const comparedRows = (rows: number): number => (rows > 4096 ? 1 : FEW_STEPS);

/** The interpreter takes its time over many rows. */
const stepsFor = (backend: Backend, rows: number, steps: number): number =>
  backend === "reference" && rows > 256 ? Math.ceil(steps / 8) : steps;

interface Agreed {
  readonly ours: Rows;
  readonly theirs: Rows;
  readonly input: Float32Array;
}

/** How far `draw` is from the share of a row, by llama.cpp's probabilities in the order of our rows. */
function distanceToRow(draw: number, token: number, { ours, theirs, input }: Agreed): number {
  const probOf = new Map(theirs.tokens.map((t, i) => [t, theirs.probs[i]!]));
  const byLogit = new Map(theirs.tokens.map((t, i) => [input[t]!, theirs.probs[i]!]));
  const sums = runningSums(ours.tokens.map((t) => probOf.get(t) ?? byLogit.get(input[t]!) ?? NaN));
  const row = ours.tokens.indexOf(token);
  const distance = Math.max((sums[row - 1] ?? 0) - draw, draw - sums[row]!, 0);
  return Number.isNaN(distance) ? Infinity : distance;
}
