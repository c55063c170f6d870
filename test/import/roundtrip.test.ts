/** Settings imported from llama.cpp can be exported and import to the same chain again; a failed export gives its reasons. */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { exportLlama, ExportError, toFlags, toRequest, type LlamaExport } from "../../settings/to/export.js";
import { importFile, importWords } from "../../settings/from/import.js";
import { SAMPLING_OPTIONS } from "../../settings/from/formats/llamaArgs.js";
import { SWITCHES, WITH_TWO_VALUES, WITH_VALUE } from "../../settings/from/formats/llamaOptions.js";
import { commandLines } from "./commandLines.js";
import { textSource } from "./gguf.js";
import { llamaOptions } from "./oracle.js";

/** The program without its header, which names the source. */
const body = (text: string): string => text.replace(/^(?:\/\/.*\n)+\n?/, "");
const exported = (text: string, set: Record<string, number> = {}): LlamaExport =>
  exportLlama({ name: "chain.ggsl", text }, { set });
const wordsOf = (text: string): readonly string[] => {
  const flags = toFlags(exported(text));
  if ("reasons" in flags) throw new Error(flags.reasons.join());
  return flags.words;
};

test("an export of an import imports to the same program", () => {
  fc.assert(
    fc.property(commandLines, (words) => {
      const { text } = importWords(words);
      const request = JSON.stringify(toRequest(exported(text)));
      expect(body(importWords(wordsOf(text)).text)).toBe(body(text));
      expect(body(importFile(textSource(request), "request.json", "llama.cpp").text)).toBe(body(text));
    }),
    { numRuns: 60, seed: 20240517 },
  );
});

test("biases, bans, breakers and a grammar survive", () => {
  const words = ["--logit-bias", "5-inf", "--logit-bias", "7+1.5", "--grammar", 'root ::= "a\\n" | "\\""'];
  words.push("--dry-multiplier", "1", "--dry-sequence-breaker", "\\\\ \\n'", "--ignore-eos");
  const { text } = importWords(words, { eos: [2] });
  expect(text).toContain("keep token != 2\n");
  expect(body(importWords(wordsOf(text)).text)).toBe(body(text));
});

test("sets, texts, the end of the text and a budget of thought survive in a request", () => {
  const biases = [
    [5, false],
    [7, 1.5],
    [8, 1.5],
    [9, 1.5],
    [" yes", -2],
    [3, false],
    [4, false],
    [" no", false],
  ];
  const settings = { logit_bias: biases, ignore_eos: true, reasoning_budget_tokens: 99, temperature: 0.5 };
  const given = { ...settings, reasoning_budget_start_tag: "<a>", reasoning_budget_end_tag: "</a>" };
  const imported = (request: object): string =>
    body(importFile(textSource(JSON.stringify(request)), "request.json", "llama.cpp").text);
  const text = imported(given);
  expect(text).toContain("logit += token in tokens(7, 8, 9) ? 1.5 : 0\n");
  const made = toRequest(exported(text));
  expect(imported(made)).toBe(text);
  const key = (list: unknown[]): Set<string> => new Set(list.map((pair) => JSON.stringify(pair)));
  expect(key(made["logit_bias"] as unknown[])).toEqual(key(biases));
  expect(toFlags(exported(text))).toEqual({
    reasons: [
      "llama.cpp's command line has no option for the tags of a thought; a request has (--json)",
      "llama.cpp's command line has biases by ids only; a request also has texts (--json)",
    ],
  });
});

test("banned words and biases of sequences of one token are biases", () => {
  const text = chainOf("bad_words([3, [4]]) |> sequence_bias([[5], 6], 2) |> min_tokens(0) |> forced_end(0) |> dist()");
  expect(toRequest(exported(text))).toMatchObject({
    logit_bias: [
      [3, false],
      [4, false],
      [5, 2],
      [6, 2],
    ],
  });
  expect(wordsOf(text)).toEqual(expect.arrayContaining(["3-inf", "6+2"]));
});

const reasonsOf = (text: string): readonly string[] => {
  try {
    exported(text);
  } catch (error) {
    if (error instanceof ExportError) return error.reasons;
    throw error;
  }
  return [];
};

const chainOf = (stages: string): string =>
  `import { ${[...new Set(stages.replace(/"[^"]*"/g, "").match(/\b[a-z_]\w*(?=\()/g))].join(", ")} } from "std"\nchain c = ${stages}\n`;

test.each([
  ["top_k(5)", "the chain picks no token; in llama.cpp every chain does"],
  ["top_a(0.2) |> dist()", "chain.ggsl:2: `top_a(0.2)`: llama.cpp has no such sampler"],
  ["top_k(5) |> top_k(3) |> dist()", "llama.cpp has one `top_k` for the whole chain, and an earlier stage has 5"],
  ["xtc(0.5, seed: 1) |> dist(2)", "llama.cpp has one seed for the whole chain, and an earlier stage has 1"],
  ["top_k(5) |> logit_bias() |> dist()", "llama.cpp applies biases before all samplers only"],
  ["top_k(5) |> mirostat()", "with mirostat llama.cpp runs nothing else but one plain temperature"],
  ["mirostat(m: 50)", "llama.cpp's programs have an `m` of 100 only"],
  ["temp(0.7) |> greedy()", "llama.cpp has one `temperature` for the whole chain, and an earlier stage has 0.7"],
  ["dry(1, breakers: [13]) |> dist()", "llama.cpp takes breakers as texts, not as token ids"],
  ["bad_words([[3, 4]]) |> dist()", "llama.cpp's biases are for single tokens by their ids"],
  ['bad_words(["a"]) |> dist()', "llama.cpp's biases are for single tokens by their ids"],
  ["top_k(5) |> bad_words([3]) |> dist()", "llama.cpp applies biases before all samplers only"],
  ["min_tokens(3) |> dist()", "llama.cpp has no such sampler"],
  ["thinking_budget(3, open: [1]) |> dist()", "llama.cpp takes the tags of a thought as texts"],
  ["dist(4294967295)", "the seed 4294967295 means a random one in llama.cpp"],
])("%s cannot be exported", (stages, reason) => {
  expect(reasonsOf(chainOf(stages)).join("\n")).toContain(reason);
});

test("phrases cannot be exported", () => {
  const text = 'import { ban_phrases, dist } from "std"\nchain c = ban_phrases(phrases("a")) |> dist()\n';
  expect(reasonsOf(text)[0]).toContain("llama.cpp has no such sampler, and takes no text back");
});

test("min_keep is for requests only", () => {
  const made = exported(chainOf("top_p(0.9, 3) |> min_p(0.1, 3) |> dist()"));
  expect(toFlags(made)).toEqual({
    reasons: ["llama.cpp's command line has no option for min_keep; a request has (--json)"],
  });
  expect(toRequest(made)).toEqual({ samplers: ["top_p", "min_p"], top_p: 0.9, min_p: 0.1, min_keep: 3 });
});

test("parameters of the chain, chains in chains and the host tail", () => {
  const text = `import { top_k, temp } from "std"
const cold = 0.25
chain inner(t: f32 = 1) = temp(t)
chain c(static k: i32 = 7, u: f32 = 0.5) = top_k(k) |> inner(u) |> host dist(seed: 3)
chain d = inner(cold * 2) |> host dist(seed: 3)`;
  const flags = (chain: string, set: Record<string, number> = {}): unknown =>
    toFlags(exportLlama({ name: "a.ggsl", text }, { chain, set }));
  const words = (k: number, t: number): string[] => [
    "--samplers",
    "top_k;temperature",
    "--top-k",
    `${k}`,
    "--temp",
    `${t}`,
  ];
  const dynamic = ["--dynatemp-range", "0"];
  expect(flags("c")).toEqual({ words: [...words(7, 0.5), ...dynamic, "--seed", "3"] });
  expect(flags("c", { k: 3, u: 2 })).toEqual({ words: [...words(3, 2), ...dynamic, "--seed", "3"] });
  expect(flags("d")).toEqual({ words: ["--samplers", "temperature", "--temp", "0.5", ...dynamic, "--seed", "3"] });
});

test("every option of llama.cpp is known, with its number of values", () => {
  const known = (name: string): number | undefined =>
    SWITCHES.has(name) ? 0 : WITH_VALUE.has(name) ? 1 : WITH_TWO_VALUES.has(name) ? 2 : undefined;
  const options = llamaOptions();
  expect(options.length).toBeGreaterThan(200);
  for (const { names, values, isSampling } of options)
    for (const name of names) {
      if (isSampling) expect(SAMPLING_OPTIONS).toContain(name);
      else expect([name, known(name)]).toEqual([name, values]);
    }
});

test("a grammar of a parameter is exported; without a default it comes from the calling program", () => {
  const chain = (param: string): string =>
    `import { constrain, greedy } from "std"\nchain imported(${param}) = constrain(g) |> greedy()`;
  const withDefault = exported(chain('g: grammar = "root ::= [0-9]+"'));
  expect(withDefault.grammar).toBe("root ::= [0-9]+");
  expect(toRequest(withDefault)).toMatchObject({ grammar: "root ::= [0-9]+" });
  const without = exported(chain("g: grammar"));
  expect(without.grammar).toBeUndefined();
  expect(without.warnings).toEqual([expect.stringContaining("its grammar comes from the calling program") as unknown]);
});

test("a grammar after another sampler, and a second one, cannot be exported", () => {
  const reasons = (stages: string): string => {
    const text = `import { constrain, top_k, greedy } from "std"\nchain c(g: grammar = "root ::= [a]") = ${stages} |> greedy()`;
    try {
      exported(text);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error("exported");
  };
  expect(reasons("top_k(4) |> constrain(g)")).toContain("llama.cpp applies a grammar before all samplers only");
  expect(reasons("constrain(g) |> constrain(g)")).toContain("llama.cpp has one grammar only");
});
