/** Random programs, each compiled in several ways and run on several backends; all must agree. */
import * as fc from "fast-check";
import type { Graph } from "../../compiler/graph/graph.js";
import { verify } from "../../compiler/graph/verify.js";
import { OPTIMIZATIONS } from "../../compiler/driver.js";
import { runOf, type Backend } from "../parity/backends.js";
import { cases, describeCase, makeGiven, type Case, type Given } from "./cases.js";
import { mismatchesOf, outcomeFault, type Mismatch } from "./compare.js";
import { compileIn, FOLDED, mayFold, OPTIMIZED, PLAIN, Refused, TOKEN, without, type Build } from "./compile.js";
import { runOtherwise } from "./device.js";
import { meaningOf } from "./meaning/meaning.js";
import { Unclear } from "./meaning/table.js";
import { chosen, columnsFor, outcomeOf, type Step } from "./outcome.js";

interface RunOptions {
  /** The others are compared with the first one. */
  readonly backends: readonly Backend[];
  readonly count: number;
  /** Number of cases of the seed to skip; default 0. */
  readonly skipped?: number;
  readonly seed: number;
  /** Default `cases`. */
  readonly cases?: fc.Arbitrary<Case>;
  /** False: the backends are compared with each other only, not with the meaning of the program. */
  readonly comparesMeaning?: boolean;
  /** The way of compiling whose graphs are compared on all backends; default: optimized. */
  readonly across?: Build;
  /** Other ways of compiling, each compared with that one. */
  readonly builds?: readonly Build[];
  /** Called from time to time with the results so far. */
  readonly onProgress?: (tally: Tally) => void;
}

export interface Tally {
  programs: number;
  steps: number;
  /** Outcomes compared. */
  comparisons: number;
  /** Differences explained by the order of ties, and by rounding. */
  tied: number;
  rounded: number;
  /** Programs with such differences. */
  tiedPrograms: number;
  roundedPrograms: number;
  /** Programs with an unspecified result. */
  unclear: number;
  /** Programs that exceed a limit of the compiler, by its message. */
  refused: Map<string, number>;
  /** Failing cases, the first of them shrunk. */
  failures: string[];
}

const BUILDS: readonly Build[] = [PLAIN, TOKEN, FOLDED];
const NAMES = [...OPTIMIZATIONS.keys()];

/** One more build per case disables one optimization, which varies from case to case. */
const buildsOf = ({ logits }: Case): readonly Build[] => [...BUILDS, without(NAMES[logits.seed % NAMES.length]!)];

/** Checks `count` random cases. Failing cases are in the result; does not throw. */
export function runCases(options: RunOptions): Tally {
  const { count, skipped = 0, seed } = options;
  const tally = newTally();
  let index = -1;
  let failed: number | undefined;
  const report = reporter(options, tally);
  fc.check(
    fc.property(options.cases ?? cases, (c) => {
      if (++index < skipped) return;
      const found = checkCase(c, options);
      if (found.failures.length > 0) failed ??= index;
      add(tally, found);
      report();
    }),
    { seed, numRuns: skipped + count },
  );
  if (failed !== undefined) tally.failures.unshift(smallest(options, failed));
  return tally;
}

/** The case with number `index` of a seed. */
export const caseAt = (seed: number, index: number): Case =>
  fc.sample(cases, { seed, path: String(index), numRuns: 1 })[0]!;

/** Time limit for shrinking a failing case, in milliseconds. */
const SHRINKING = 30_000;

/** The failing case with number `index`, shrunk. */
function smallest(options: RunOptions, index: number): string {
  let latest = "";
  fc.check(
    fc.property(options.cases ?? cases, (c) => {
      const [failure] = checkCase(c, options).failures;
      latest = failure ?? latest;
      return failure === undefined;
    }),
    { seed: options.seed, path: String(index), numRuns: 1, plugins: [fc.interruptAfterTimeLimit(SHRINKING)] },
  );
  return latest;
}

const COUNTS = [
  "programs",
  "steps",
  "comparisons",
  "tied",
  "rounded",
  "tiedPrograms",
  "roundedPrograms",
  "unclear",
] as const;

const newTally = (): Tally => ({
  programs: 0,
  steps: 0,
  comparisons: 0,
  tied: 0,
  rounded: 0,
  tiedPrograms: 0,
  roundedPrograms: 0,
  unclear: 0,
  refused: new Map(),
  failures: [],
});

/** One line. */
export function printTally(title: string, { failures, refused, ...counts }: Tally): void {
  const all = { ...counts, refused: Object.fromEntries(refused), failures: failures.length };
  process.stdout.write(`random programs, ${title}: ${JSON.stringify(all)}\n`);
}

function add(to: Tally, from: Tally): void {
  for (const key of COUNTS) to[key] += from[key];
  from.refused.forEach((count, message) => to.refused.set(message, (to.refused.get(message) ?? 0) + count));
  to.failures.push(...from.failures);
}

function reporter({ onProgress }: RunOptions, tally: Tally): () => void {
  let last = performance.now();
  return () => {
    if (!onProgress || performance.now() - last < 5000) return;
    last = performance.now();
    onProgress(tally);
  };
}

// ---------------------------------------------------------------- one case

type Ways = Pick<RunOptions, "backends" | "across" | "builds" | "comparesMeaning">;

function checkCase(c: Case, ways: Ways): Tally {
  const tally = newTally();
  tally.programs = 1;
  try {
    compareAll(c, ways, tally);
  } catch (error) {
    if (error instanceof Refused) tally.refused.set(error.message, 1);
    else tally.failures.push(`${(error as Error).stack ?? String(error)}\n${describeCase(c)}`);
  }
  return tally;
}

/** Compares every backend with the first one, and on each backend every build with the optimized graph. */
function compareAll(
  c: Case,
  { backends, across = OPTIMIZED, builds: all = buildsOf(c), comparesMeaning = true }: Ways,
  tally: Tally,
): void {
  // a chain without a pick has no token to output
  const builds = all.filter(
    ({ outputs, folds }) => (outputs.length > 1 || c.program.picks !== undefined) && (!folds || mayFold(c.program)),
  );
  const given = makeGiven(c);
  const { checked, graph: compile } = compileIn(c.program);
  const { vocabSize } = c.logits;
  const fail = (where: string, fault: string): void =>
    void tally.failures.push(`${where}: ${fault}\n${describeCase(c)}`);
  const outcomeIn = (build: Build, backend: Backend, accepted?: readonly number[]): Step[] => {
    const graph = compile(build);
    return outcomeOf(graph, given, runOf(backend, graph, vocabSize, columnsFor(graph, given)), accepted);
  };
  const first = outcomeIn(across, backends[0]!);
  const accepted = first.map(chosen);
  const edge = edgesOf(() => compile(PLAIN), given, accepted);
  tally.steps = first.length;

  const check = (where: string, found: Step[], wanted: Step[], isSameOrder: boolean): void => {
    const fault = outcomeFault(found, given.logits, c.program);
    if (fault !== undefined) fail(where, fault);
    const [mismatch] = mismatchesOf(found, wanted, isSameOrder);
    tally.comparisons++;
    if (!mismatch) return;
    const reason = edge(mismatch, isSameOrder);
    if (reason) tally[reason]++;
    else fail(where, `step ${mismatch.step}: ${mismatch.fault}`);
  };
  const meant = comparesMeaning ? meaningWhereClear(() => meaningOf(checked, c.program, given, accepted)) : undefined;
  if (meant) check(`against the meaning, ${across.name} on ${backends[0]!}`, first, meant, false);
  else if (comparesMeaning) tally.unclear = 1;
  for (const build of [across, ...builds]) {
    const faults = verify(compile(build));
    if (faults.length > 0) fail(build.name, faults.join("; "));
  }
  for (const backend of backends) {
    const wanted = outcomeIn(across, backend, accepted);
    check(`${across.name} on ${backend}`, wanted, first, false);
    for (const build of builds) {
      check(`${build.name} on ${backend}`, outcomeIn(build, backend, accepted), wanted, backend === "reference");
    }
  }
  tally.tiedPrograms = Math.min(tally.tied, 1);
  tally.roundedPrograms = Math.min(tally.rounded, 1);
}

function meaningWhereClear(meaning: () => Step[]): Step[] | undefined {
  try {
    return meaning();
  } catch (error) {
    if (error instanceof Unclear) return undefined;
    throw error;
  }
}

type Excuse = "tied" | "rounded";

/** Number of simulated devices to try. */
const DEVICES = 16;

/**
 * Whether ties or rounding explain a difference: some simulated device differs from the reference as much and as early. All
 * run the unoptimized graph, so that an optimizer bug is never excused.
 */
function edgesOf(
  graph: () => Graph,
  given: Given,
  accepted: readonly number[],
): (m: Mismatch, isSameOrder: boolean) => Excuse | undefined {
  const vocabSize = given.logits[0]!.length;
  let reference: Step[] | undefined;
  const known = new Map<Excuse, Step[][]>();
  const devices = (excuse: Excuse): Step[][] => {
    const outcomes =
      known.get(excuse) ??
      Array.from({ length: DEVICES }, (_, seed) =>
        outcomeOf(graph(), given, runOtherwise(graph(), seed, excuse === "rounded"), accepted),
      );
    known.set(excuse, outcomes);
    return outcomes;
  };
  return ({ step, distance }, isSameOrder) => {
    const wanted = (reference ??= outcomeOf(graph(), given, runOf("reference", graph(), vocabSize), accepted));
    return (["tied", "rounded"] as const).find((excuse) =>
      devices(excuse).some((outcome) => {
        const seen = mismatchesOf(outcome, wanted, isSameOrder);
        return seen.some((m) => m.step <= step && m.distance >= distance / 10);
      }),
    );
  };
}
