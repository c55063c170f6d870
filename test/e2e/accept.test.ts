/**
 * A token that is accepted in place of the pick: states of the picked row are those of the token's row. The oracle is the same program
 * that picks this token itself, `pick argmax(token == wanted ? 1 : 0)`, and so picks another one where the chain has dropped it.
 */
import { describe, expect, test } from "@jest/globals";
import { stdSource } from "../../compiler/std/library.js";
import {
  compile,
  compilePipeline,
  createEvaluator,
  type Chain,
  type Evaluator,
  type InputError,
} from "../../runtime/index.js";
import { createOnnxEvaluator } from "../../runtime/onnx.js";
import type { Ort } from "../../runtime/onnx/ort.js";
import { interpret } from "../../runtime/backends/reference/interpret.js";
import { openSteps } from "../../runtime/chain/openSteps.js";
import { ORT, openModel } from "../emit/ort.js";
import { random } from "../parity/random.js";

const V = 40;
const STEPS = 12;

const several = (pick: string): string => `
sampler several(seed: seed = 5, wanted: i32 = 0) {
  state surprise: f32 = 1
  state best: f32 = 0
  state previous: i32 = -1
  state wide: i32 = 0
  state likely: f32 = 0
  logit += token == previous ? -0.5 : 0.01 * surprise + 0.02 * best
  logit /= 1 + 0.01 * wide + 0.1 * likely
  pick ${pick}
  after pick {
    surprise = 0.5 * surprise - log2(picked(prob))
    best = max(picked(raw_logit), best)
    previous = picked(token)
    wide += n > 3 ? 1 : 0
    likely = picked(prob > 0.1) ? 1 : 0
  }
}`;

const OWN_PICK = /pick (sample|argmax)\(.*\)$/m;
/** A sampler of std as a program, with a parameter for the token. */
const std =
  (name: string) =>
  (pick: string): string =>
    stdSource(name)!
      .text.replace(OWN_PICK, pick === "" ? "$&" : `pick ${pick}`)
      .replace(/seed: seed = random\)/, "seed: seed = 5, wanted: i32 = 0)");

interface Case {
  readonly source: (pick: string) => string;
  readonly own: string;
  readonly stages: string;
  /** Of the last stage. */
  readonly call: string;
  /** The graph without rows says what is dropped. */
  readonly isKnown?: boolean;
}

const before = [
  "",
  "top_k(8) |> ",
  "top_p(0.7) |> ",
  "top_k(20) |> min_p(0.1) |> temp(0.7) |> ",
  "sorted |> ",
  "high |> ",
];
const picks = ["sample(seed)", "argmax(logit)", "argmax(logit + noise(seed))"];
const cases: Case[] = [
  ...picks.flatMap((own) =>
    before.map((stages) => ({
      source: several,
      own,
      stages,
      call: "several(wanted: wanted)",
      isKnown: own.startsWith("sample") || stages === "" || stages.startsWith("sorted"),
    })),
  ),
  { source: std("mirostat"), own: "", stages: "", call: "mirostat(3, 0.5, wanted: wanted)", isKnown: true },
  { source: std("mirostat_v2"), own: "", stages: "", call: "mirostat_v2(2, 0.5, wanted: wanted)", isKnown: true },
  {
    source: std("adaptive_p"),
    own: "",
    stages: "top_k(9) |> ",
    call: "adaptive_p(0.2, 0.5, wanted: wanted)",
    isKnown: true,
  },
];

const program = ({ source, stages, call }: Case, pick: string): Chain =>
  compile(
    `import { top_k, top_p, min_p, temp } from "std"
sampler sorted() { sort by -token }
sampler high() { keep logit > 0 }
${source(pick).replace(/^chain [^]*/m, "")}
chain c(wanted: i32 = 0) = ${stages}${call}`,
    { chain: "c" },
  );

const close = (states: Readonly<Record<string, number>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(states).map(([name, x]) => [name, expect.closeTo(x, x > 1000 ? 0 : 3) as unknown]));

/** The code of an error; undefined without one. */
function codeOf(action: () => void): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as InputError).code;
  }
}

type Evaluate = Pick<Evaluator, "accept" | "states"> & {
  readonly evaluate: (
    logits: number[],
  ) => { readonly token: number | null } | Promise<{ readonly token: number | null }>;
};

/** Accepts likely and unlikely tokens; `knows`: of each token it is known whether it is left. */
async function follow(one: Case, ours: Evaluate, knows: boolean): Promise<void> {
  using oracle = createEvaluator(program(one, "argmax(token == wanted ? 1 : 0)").rowsGraph, V, {
    backend: "reference",
  });
  const { uniform: draws } = random(7);
  const counts = { others: 0, dropped: 0 };
  for (let step = 0; step < STEPS; step++) {
    const logits = Array.from({ length: V }, () => 6 * draws() - 2);
    const picked = (await ours.evaluate(logits)).token!;
    const likeliest = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]!);
    const token = step % 3 === 2 ? likeliest.at(-1 - (step % 4))! : likeliest[step % 2]!;
    oracle.setUniforms({ wanted: token });
    const isLeft = oracle.evaluate(logits).token === token;
    const isTaken = token === picked || (isLeft && knows);
    expect(codeOf(() => ours.accept(token))).toBe(isTaken ? undefined : "NOT_A_CANDIDATE");
    if (isTaken && token !== picked) counts.others++;
    if (!isTaken) {
      counts.dropped++;
      ours.accept();
      oracle.setUniforms({ wanted: picked });
      oracle.evaluate(logits);
    }
    oracle.accept();
    expect(ours.states).toMatchObject(close(oracle.states));
  }
  expect(counts.others).toBeGreaterThanOrEqual(knows ? 4 : 0);
  if (one.stages !== "" && !one.stages.startsWith("sorted")) expect(counts.dropped).toBeGreaterThan(0);
}

describe.each(["reference", "cpu", "wasm"] as const)("on %s", (backend) => {
  const named = cases.map((one) => [`${one.stages}${one.own === "" ? one.call : one.own}`, one] as const);
  test.each(named)("%s", async (_, one) => {
    const chain = program(one, one.own);
    using rows = createEvaluator(chain.rowsGraph, V, { backend });
    await follow(one, rows, true);
    using alone = createEvaluator(chain.graph, V, { backend });
    await follow(one, alone, one.isKnown === true);
  });
});

/** ONNX Runtime, synchronous below. */
const ort: Ort = {
  ...ORT,
  InferenceSession: {
    create: (bytes) => {
      const model = openModel(bytes);
      const names = ["sampled", "next_state_0", "next_state_1", "next_state_2", "next_state_3", "next_state_4"];
      return Promise.resolve({
        run: (feeds) => Promise.resolve(model.run(feeds, names)),
        release: () => {
          model[Symbol.dispose]();
          return Promise.resolve();
        },
      });
    },
  },
};

test("in ONNX Runtime", async () => {
  for (const one of [cases[1]!, cases[3]!]) {
    await using ours = await createOnnxEvaluator(program(one, one.own).graph, V, { ort });
    await follow(one, ours, true);
  }
});

test("logits that stay on a device: only the pick is accepted", () => {
  const { graph } = program(cases[0]!, "sample(seed)");
  const steps = openSteps(graph, V, {});
  const { uniforms, inputs } = steps.beginWithoutLogits();
  const logits = Float32Array.from({ length: V }, (_, token) => Math.sin(token));
  const { token } = steps.end(interpret(graph, [logits, ...inputs], uniforms));
  const before = steps.states;
  expect(codeOf(() => steps.accept((token! + 1) % V))).toBe("NOT_A_CANDIDATE");
  expect(steps.states).toEqual(before);
  steps.accept(token!);
  expect(steps.states).not.toEqual(before);
});

test("the logits may change before the token is accepted", () => {
  const chain = program(cases[0]!, "sample(seed)");
  const evaluators = [0, 1].map(() => createEvaluator(chain.graph, V, { backend: "cpu" }));
  const states = evaluators.map((evaluator, i) => {
    const logits = Float32Array.from({ length: V }, (_, token) => Math.sin(token));
    const { token } = evaluator.evaluate(logits);
    if (i === 1) logits.fill(-Infinity);
    evaluator.accept((token! + 1) % V);
    evaluator.dispose();
    return evaluator.states;
  });
  expect(states[1]).toEqual(states[0]);
});

test("a chain without such states takes every token, also one that it has dropped", () => {
  using evaluator = createEvaluator(compilePipeline("penalties(4, 1.5) |> top_k(2) |> dist(1)").graph, 4);
  evaluator.evaluate([0, 1, 2, 3]);
  evaluator.accept(0);
  expect(evaluator.evaluate([0, 1, 2, 3]).token).not.toBeNull();
});

test("the error says what was expected and found", () => {
  using evaluator = createEvaluator(program({ ...cases[0]!, stages: "top_k(1) |> " }, "sample(seed)").rowsGraph, V);
  evaluator.evaluate(Array.from({ length: V }, (_, token) => token));
  expect(() => evaluator.accept(3)).toThrow(
    "token 3 is not a candidate: the chain `c` has dropped it, and has states that are computed from the picked row; expected 39, the picked token, or another one that is left",
  );
});
