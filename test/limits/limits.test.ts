/** Each limit is met at its value and exceeded one below, with its name in the diagnostic; presets; specs. */
import { describe, expect, test } from "@jest/globals";
import {
  checkProgram,
  compileProgram,
  compileStages,
  graphOf,
  type CompileOptions,
  type DriverOptions,
} from "../../compiler/driver.js";
import { costOf } from "../../compiler/graph/cost.js";
import { fromSpec, readSpec, SpecError, toSpec, writeSpec } from "../../compiler/graph/json.js";
import { LIMITS } from "../../compiler/limits/format.js";
import { LIMIT_PRESETS, limitsOf, type LimitName, type Limits } from "../../compiler/limits/limits.js";
import { Meter } from "../../compiler/limits/meter.js";
import { TAIL_SAMPLERS } from "../../compiler/llama/samplers.js";

const many = (count: number, text: (i: number) => string, separator = "\n"): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(separator);

const sampler = (...lines: string[]): string => `sampler s() {\n${lines.join("\n")}\n}\nchain c = s()\n`;

const VOCAB = 1000;

/** A program, and what it has of the limit. */
interface Case {
  readonly text: string;
  readonly has: number;
  readonly options?: CompileOptions;
}

const stepsOf = (text: string): number => {
  const meter = new Meter(limitsOf());
  const options: DriverOptions = { meter };
  expect(compileProgram(text, options).graph).toBeDefined();
  return meter.steps;
};

/** The lowest limit that the program meets. */
function least(name: LimitName, text: string): number {
  let [low, high] = [0, LIMIT_PRESETS.default[name]];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compileProgram(text, { limits: { [name]: middle } }).graph) high = middle;
    else low = middle + 1;
  }
  return low;
}

const costly = `import { dist, top_k } from "std"\n${sampler("logit += tanh(logit) + prob").replace("chain c = s()", "chain c = s() |> top_k(40) |> host dry(0.8, last_n: 64) |> host dist(1)")}`;
const cost = costOf(graphOf(compileProgram(costly)), VOCAB);

const CASES: Readonly<Record<Exclude<LimitName, "diagnostics" | "vocabSize">, Case>> = {
  sourceLength: { text: `${sampler("logit += 1")}// ${"x".repeat(100)}`, has: sampler("logit += 1").length + 103 },
  // sampler s ( ) { logit += 1 } chain c = s ( )
  tokens: { text: sampler("logit += 1"), has: 15 },
  nameLength: { text: `const ${"é".repeat(40)} = 1\n${sampler("logit += 1")}`, has: 40 },
  files: {
    text: `import { one } from "./one.ggsl"\nimport { two } from "./two.ggsl"\n${sampler("logit += one + two")}`,
    has: 3,
    options: { importer: (path) => ({ name: path, text: `const ${path.slice(2, 5)} = 1` }) },
  },
  steps: { text: sampler("keep prob > 0.1"), has: stepsOf(sampler("keep prob > 0.1")) },
  textLength: { text: sampler('keep allowed("root ::= [a-z]+")'), has: 17 },
  sets: { text: sampler("logit += token in tokens(1) or token in tokens(2) ? 1 : 0"), has: 2 },
  setItems: { text: sampler("logit += token in tokens(1, 2, 3) ? 1 : 0"), has: 3 },
  breakers: { text: sampler('logit -= repeat_len(64, ["a", "b", "c"])'), has: 3 },
  stages: { text: sampler("logit += 1").replace("= s()", "= s() |> s() |> s()"), has: 3 },
  nodes: { text: sampler("logit += prob * prob"), has: least("nodes", sampler("logit += prob * prob")) },
  params: {
    text: "sampler s(a: f32, b: f32) { logit += a * b }\nchain c(a: f32 = 1, b: f32 = 2) = s(a, b)",
    has: 2,
  },
  uniforms: {
    text: "sampler s(a: f32, b: f32) { logit += a\nlogit *= b }\nchain c(a: f32 = 1, b: f32 = 2) = s(a, b)",
    has: 2,
  },
  // a * a + a has 5 parts
  uniformParts: { text: "sampler s(a: f32) { logit += a * a + a }\nchain c(a: f32 = 1) = s(a)", has: 5 },
  draws: {
    text: "sampler s(a: seed) { logit += uniform(a) }\nchain c = s(1) |> s(2) |> s(3)",
    has: 3,
  },
  states: {
    text: sampler("state a: f32 = 0\nstate b: f32 = 0\nlogit += a + b\npick argmax(logit)\nafter pick { a = 1 b = 2 }"),
    has: 2,
  },
  measures: { text: sampler("measure a = n\nmeasure b = max(prob)"), has: 2 },
  windows: { text: sampler("measure a = mean(n, last: 2)\nmeasure b = mean(n, last: 3)"), has: 2 },
  stops: { text: sampler('stop when n < 2 as "a"\nstop when n > 9 as "a"'), has: 2 },
  writes: { text: sampler('write "a" when step == 2\nwrite "b" when step == 9'), has: 2 },
  rules: {
    text: `sampler s(g: grammar) { keep allowed(g) logit *= in_rule(g, "a") or in_rule(g, "b") or in_rule(g, "a") ? 2 : 1 }\nchain c(g: grammar) = s(g)`,
    has: 2,
  },
  inputs: { text: `input x: f32\ninput y: f32 sparse(8) = 0\n${sampler("logit += x + y")}`, has: 4 },
  features: { text: `input x: f32\ninput y: f32 sparse(8) = 0\n${sampler("logit += x + y")}`, has: 2 },
  tail: { text: sampler("logit += 1").replace("= s()", "= s() |> host top_k(3) |> host dist(1)"), has: 2 },
  work: { text: costly, has: cost.work },
  sorts: { text: costly, has: cost.sorts },
  deviceBytes: { text: costly, has: cost.deviceBytes },
  hostBytes: { text: costly, has: cost.hostBytes },
};

describe("each limit", () => {
  test.each(Object.entries(CASES))("%s", (name, { text, has, options }) => {
    const compiled = (limit: number): ReturnType<typeof compileProgram> =>
      compileProgram(text, { ...options, limits: { vocabSize: VOCAB, [name]: limit } });
    expect(compiled(has).diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    const { graph, diagnostics } = compiled(has - 1);
    expect(graph).toBeUndefined();
    const [fault] = diagnostics.filter((d) => d.severity === "error");
    expect(`${fault?.message} ${fault?.label}`).toContain(`the limit \`${name}\``);
    expect(fault?.message ?? "").toMatch(
      name === "stages" ? /too large/ : new RegExp(`at most ${has - 1} are allowed`),
    );
  });

  test("diagnostics: errors first, and how many are not shown", () => {
    const text = sampler(many(30, (i) => `logit += unknown_${i}`));
    const { diagnostics } = compileProgram(text, { limits: { diagnostics: 7 } });
    expect(diagnostics.map((d) => d.code)).toEqual([...Array<string>(7).fill("E0201"), "E0702"]);
    expect(diagnostics.at(-1)?.message).toBe("and 23 more");
    const mixed = `sampler s(${many(10, (i) => `p${i}: f32`, ", ")}) { logit += unknown }\nchain c = s()`;
    expect(
      compileProgram(mixed, { limits: { diagnostics: 3 } }).diagnostics.filter((d) => d.code === "E0201"),
    ).toHaveLength(1);
  });
});

test("a program meets the budget of steps on every machine or on none", () => {
  const text = costly;
  expect(stepsOf(text)).toBe(stepsOf(text));
  const meter = new Meter(limitsOf());
  const options: DriverOptions = { meter };
  checkProgram({ name: "p.ggsl", text }, options);
  expect(meter.steps).toBeGreaterThan(100);
});

describe("presets and settings", () => {
  test("the strict preset is nowhere above the default one, which is nowhere above the graph form", () => {
    const { default: usual, strict } = LIMIT_PRESETS;
    for (const name of Object.keys(usual) as LimitName[]) expect(strict[name]).toBeLessThanOrEqual(usual[name]);
    for (const [name, most] of Object.entries(LIMITS))
      if (name in usual) expect(usual[name as LimitName]).toBeLessThanOrEqual(most);
  });

  test("the strict preset takes the chains that people use", () => {
    for (const stages of [
      "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(1)",
      "penalties(64, 1.1) |> dry(0.8) |> top_k(40) |> typical(0.9) |> top_p(0.95) |> min_p(0.05) |> xtc(0.5, 0.1) |> temp(0.8) |> dist",
      "temp(0.8) |> mirostat_v2(5, 0.1)",
      "host dry(0.8) |> host dist",
    ])
      expect(compileStages(stages, { limits: "strict" }).diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  });

  test.each<[unknown, RegExp]>([
    ["tight", /there are no limits "tight"; there are default, strict/],
    [{ node: 3 }, /there is no limit "node"; there are sourceLength/],
    [{ nodes: 1.5 }, /the limit `nodes` must be an integer from 0 to 20000, found 1.5/],
    [{ nodes: -1 }, /`nodes` must be an integer from 0/],
    [{ nodes: 20_001 }, /`nodes` must be an integer from 0 to 20000, found 20001/],
    [{ steps: "9" }, /`steps` must be an integer/],
    [{ steps: NaN }, /`steps` must be an integer/],
    [{ constructor: 1 }, /there is no limit "constructor"/],
  ])("%p is refused", (limits, message) => {
    expect(() => compileStages("temp(1)", { limits: limits as Partial<Limits> })).toThrow(RangeError);
    expect(() => compileStages("temp(1)", { limits: limits as Partial<Limits> })).toThrow(message);
  });
});

describe("specs", () => {
  const graph = graphOf(compileProgram(costly));

  test.each(["nodes", "tail", "work", "sorts", "deviceBytes", "hostBytes", "textLength", "breakers"] as const)(
    "%s",
    (name) => {
      const breakers = TAIL_SAMPLERS["dry"]!.params["breakers"]!.default as readonly string[];
      const has = {
        ...cost,
        nodes: graph.nodes.length,
        tail: 2,
        textLength: 0,
        breakers: 0,
        ...(graph.tail[0]!.args["breakers"] && { breakers: breakers.length, textLength: 1 }),
      }[name];
      const read = (limit: number): unknown =>
        readSpec(writeSpec(graph), { limits: { vocabSize: VOCAB, [name]: limit } }).name;
      expect(read(has)).toBe("c");
      if (has === 0) return;
      expect(() => read(has - 1)).toThrow(SpecError);
      expect(() => read(has - 1)).toThrow(new RegExp(`at most ${has - 1} are allowed, found ${has} \\(\`${name}\`\\)`));
    },
  );

  test("a preset's name", () => {
    expect(() => fromSpec(toSpec(graphOf(compileStages("top_k(40)"))), { limits: "strict" })).not.toThrow();
    const wide = graphOf(compileProgram(sampler(many(300, () => "logit = tanh(logit)"))));
    expect(() => fromSpec(toSpec(wide), { limits: "strict" })).toThrow(/too many rows to compute for a token/);
  });
});

test("the cost follows from the graph", () => {
  // %0 = top_k, then 40 rows each
  const graph = graphOf(compileStages("top_k(40) |> temp(0.8) |> dist(1)"));
  const few = costOf(graph, 1000);
  const more = costOf(graph, 2000);
  const wide = graph.nodes.filter(
    ({ op, inputs }) => op === "get_rows" || inputs.some((i) => graph.nodes[i]!.dim === "V"),
  );
  expect(few.sorts).toBe(1);
  expect(few.nodes).toBe(13);
  expect(more.work - few.work).toBe(1000 * wide.filter(({ inputs }) => graph.nodes[inputs[0]!]!.dim === "V").length);
  expect(few.readbackBytes).toBe(4);
  expect(few.hostBytes).toBe(0);
  // the softmax and its cumulative sum are live at the same time
  expect(costOf(graphOf(compileStages("dist(1)")), 1000).deviceBytes).toBeGreaterThanOrEqual(2 * 4000);
  // ids and counts of 64 tokens, and a uniform
  expect(costOf(graphOf(compileStages("penalties(64, 1.1) |> greedy")), 1000).uploadBytes).toBe(4 * (64 + 64 + 1));
});

test("chains after the one that took all steps are faults, too", () => {
  const samplers = Array.from({ length: 40 }, () => "typical(0.5)").join(" |> ");
  const chains = Array.from({ length: 60 }, (_, i) => `chain c${i} = ${samplers}`);
  const found = checkProgram({ name: "many.ggsl", text: `import { typical } from "std"\n${chains.join("\n")}` });
  expect(found.filter(({ message }) => message.includes("too many steps"))).not.toEqual([]);
});
