/** Whether a server samples as a chain says: for each prompt, the tokens that it picks against the chain's distribution. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { InputError } from "ggsl/core/errors.js";
import { distributionOf, type Listed, type Unknown } from "./distribution.js";
import type { Server } from "./server.js";
import { fisher, holm, testCounts, type TestResult } from "./statistics.js";

interface Plan {
  readonly graph: Graph;
  readonly server: Server;
  readonly prompts: readonly string[];
  /** Tokens in all. */
  readonly samples: number;
  /** Texts of a request, and requests at once. */
  readonly atOnce: { readonly texts: number; readonly requests: number };
  /** Below this probability the server is said not to sample so. */
  readonly level: number;
  readonly seed: number;
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** A token whose count differs most from what was expected. */
interface Deviation {
  readonly token: string;
  readonly observed: number;
  readonly expected: number;
}

export interface PromptResult extends TestResult {
  readonly prompt: string;
  readonly samples: number;
  /** Tokens that the chain keeps. */
  readonly kept: number;
  /** With Holm's method for all prompts. */
  readonly adjusted: number;
  readonly deviations: readonly Deviation[];
}

/** A prompt that was not used. */
interface LeftOut {
  readonly prompt: string;
  readonly reason: Unknown | "text";
}

export interface Conformance {
  readonly conforms: boolean;
  readonly level: number;
  /** Of all prompts together, by Fisher's method. */
  readonly p: number;
  readonly samples: number;
  readonly prompts: readonly PromptResult[];
  readonly leftOut: readonly LeftOut[];
}

const REASONS: Readonly<Record<LeftOut["reason"], string>> = {
  short:
    "the log-probabilities that the server lists are too few for this chain: what it keeps depends on other tokens; list more with `--logprobs`, or put a stage such as `top_k(10)` first, in the chain and in the server's settings",
  close:
    "the last digits of probabilities decide which tokens the chain keeps, so that no test can: give other prompts",
  ids: "the chain tells tokens apart by their ids, or uses the logits themselves, and a server lists only texts and probabilities",
  text: "tokens are listed whose texts are no whole characters, so that they cannot be told apart: give other prompts",
};

/** The reason in words. */
export const reasonOf = ({ reason }: LeftOut): string => REASONS[reason];

/** The seeds of a prompt are so far from those of the next. */
const SEEDS = 2 ** 20;
const DEVIATIONS = 3;
/** Less is noise of rounding. */
const LEAST_PROBABILITY = 1e-9;

/** Asks a server. Throws `InputError`, also where no prompt can be used. */
export async function conformanceOf(plan: Plan): Promise<Conformance> {
  const { prompts, server, graph, samples, level } = plan;
  const used: {
    readonly prompt: string;
    readonly listed: readonly Listed[];
    readonly probabilities: readonly number[];
  }[] = [];
  const leftOut: LeftOut[] = [];
  for (const prompt of prompts) {
    const listed = await server.likeliest(prompt);
    const found = listed.some(({ name }) => name.includes("\ufffd") && !name.startsWith("#"))
      ? "text"
      : distributionOf(graph, listed);
    if (typeof found === "string") leftOut.push({ prompt, reason: found });
    else used.push({ prompt, listed, probabilities: found });
  }
  if (used.length === 0) throw new InputError(reasonOf(leftOut[0]!), { code: "NO_LOGPROBS" });
  const each = Math.ceil(samples / used.length);
  const tests: Omit<PromptResult, "adjusted">[] = [];
  for (const [i, { prompt, listed, probabilities }] of used.entries()) {
    const onProgress = (count: number): void => plan.onProgress((i + count / each) / used.length);
    const counts = await countPicks(plan, { prompt, count: each, seed: (plan.seed + i * SEEDS) % 2 ** 32, onProgress });
    tests.push({ prompt, ...compare(listed, probabilities, counts, each) });
  }
  const adjusted = holm(tests.map(({ p }) => p));
  const p = fisher(tests.map((one) => one.p));
  return {
    conforms: p >= level,
    level,
    p,
    samples: each * used.length,
    prompts: tests.map((test, i) => ({ ...test, adjusted: adjusted[i]! })),
    leftOut,
  };
}

interface Asked {
  readonly prompt: string;
  readonly count: number;
  readonly seed: number;
  readonly onProgress: (count: number) => void;
}

/** How often each token is picked; some requests run at once. */
async function countPicks(
  plan: Plan,
  { prompt, count, seed, onProgress }: Asked,
): Promise<Map<string | undefined, number>> {
  const counts = new Map<string | undefined, number>();
  const { texts, requests } = plan.atOnce;
  let [asked, done] = [0, 0];
  const work = async (): Promise<void> => {
    while (asked < count) {
      plan.signal.throwIfAborted();
      const [first, wanted] = [asked, Math.min(texts, count - asked)];
      asked += wanted;
      for (let got = 0; got < wanted;) {
        const picked = await plan.server.pick(prompt, (seed + first + got) % 2 ** 32, wanted - got);
        // a server may write one text, however many are asked for
        for (const name of picked.slice(0, wanted - got)) counts.set(name, (counts.get(name) ?? 0) + 1);
        got += picked.length;
        done += picked.length;
        onProgress(Math.min(done, count));
      }
    }
  };
  await Promise.all(Array.from({ length: requests }, work));
  return counts;
}

/** Texts of tokens that end a text, of which an answer shows nothing. */
const ENDS = /^(#\d+ )?(<[^<>]*>|\[[^[\]]*\]|)$/;

function compare(
  listed: readonly Listed[],
  probabilities: readonly number[],
  counts: ReadonlyMap<string | undefined, number>,
  samples: number,
): Omit<PromptResult, "adjusted" | "prompt"> {
  const rest = new Map(counts);
  const [end, ...more] = listed.filter(({ name }) => ENDS.test(name));
  const ended = rest.get(undefined);
  if (ended !== undefined && end && more.length === 0) {
    rest.delete(undefined);
    rest.set(end.name, (rest.get(end.name) ?? 0) + ended);
  }
  const cells = listed.map(({ name }, i): Deviation => {
    const observed = rest.get(name) ?? 0;
    rest.delete(name);
    const probability = probabilities[i]!;
    return { token: name, observed, expected: probability > LEAST_PROBABILITY ? samples * probability : 0 };
  });
  for (const [name, observed] of rest) cells.push({ token: name ?? "the end of the text", observed, expected: 0 });
  const weight = ({ observed, expected }: Deviation): number =>
    observed === expected ? 0 : (observed - expected) ** 2 / expected;
  const deviations = cells.toSorted((a, b) => weight(b) - weight(a)).slice(0, DEVIATIONS);
  return { ...testCounts(cells), samples, kept: probabilities.filter((p) => p > 0).length, deviations };
}
