/** The table of fields: the class of every field of every tool, and which tool a set of fields is from. */
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { FIELDS, FOREIGN, isKnown, type Fields, type FieldsName } from "../../settings/from/formats/fields.js";
import { JSON_FORMATS } from "../../settings/from/formats/index.js";
import type { Node, ObjectNode } from "../../settings/from/nodes.js";
import { describeNotes, importFile, ImportError, type Imported } from "../../settings/from/import.js";
import { spawnSync } from "node:child_process";
import { shellWord } from "../../settings/from/shell.js";
import { textSource } from "./gguf.js";

const NAMES = Object.keys(FIELDS) as FieldsName[];
const imported = (settings: object, kind?: string): Imported =>
  importFile(textSource(JSON.stringify(settings)), "s.json", kind);
const linesOf = (settings: object, kind?: string): string[] => describeNotes(imported(settings, kind).notes);

/** An object that counts which of its members are asked for. */
function asked(format: FieldsName): ReadonlySet<string> {
  const found = new Set<string>();
  class Watched extends Map<string, Node> {
    override get(key: string): Node | undefined {
      found.add(key);
      return super.get(key);
    }
  }
  // the readers copy the members to settings, so each field is given alone
  for (const key of FIELDS[format].sampling) {
    const members = new Watched([[key, { kind: "null", place: "s.json:1" }]]);
    const root: ObjectNode = { kind: "object", place: "s.json:1", members };
    const { notes } = JSON_FORMATS.find((f) => f.name === format)!.read(root, {});
    if (notes.every((note) => note.key !== key)) found.add(key);
  }
  return found;
}

describe.each(NAMES)("%s", (name) => {
  const { sampling, options, others }: Fields = FIELDS[name];

  test("each field has one class", () => {
    const all = [...sampling, ...Object.keys(options), ...others];
    expect(new Set(all).size).toBe(all.length);
  });

  test("the reader reads the fields about sampling, and leaves none of them to the others", () => {
    const read = asked(name);
    expect([...sampling].filter((key) => !read.has(key))).toEqual([]);
  });

  test("fields about neither are said to be so, and unknown ones to be unknown", () => {
    for (const key of others) {
      if (name === "ollama" && key === "options") continue;
      expect(linesOf({ [key]: "x" }, name)).toEqual([`note: not about sampling: "${key}"`]);
    }
    expect(linesOf({ no_such_key: 1 }, name)).toEqual([
      'warning: s.json:1: "no_such_key": not carried over: this key is not known',
    ]);
  });

  test("fields of the generation name the option", () => {
    const EXAMPLES: Readonly<Record<string, [value: unknown, told: string]>> = {
      maxTokens: [7, "ggsl run -n 7; in TypeScript maxTokens"],
      stop: [["a b", "\n"], "ggsl run --stop 'a b' --stop $'\\n'; in TypeScript stop"],
      ignoreEnd: [true, "ggsl run --ignore-eos; in TypeScript ignoreEnd"],
      logprobs: [3, "ggsl run --json --logprobs 3; in TypeScript logprobs"],
      likeliest: [3, "ggsl run --json --logprobs 3; in TypeScript logprobs"],
      sequences: [2, "ggsl run --sequences 2; in TypeScript a `batch`"],
      prompt: ["x", "ggsl run --prompt TEXT; in TypeScript the prompt"],
      messages: [[], "ggsl run --chat --prompt TEXT; in TypeScript `model.chat`"],
      system: ["x", "ggsl run --chat --system TEXT; in TypeScript `model.chat`"],
      contextSize: [4096, "ggsl run --ctx-size 4096"],
      threads: [3, "ggsl run --threads 3"],
      gpuLayers: [5, "ggsl run --gpu-layers 5"],
    };
    for (const [key, option] of Object.entries(options)) {
      const [value, told] = EXAMPLES[option]!;
      expect(linesOf({ [key]: value }, name).join("\n")).toContain(`"${key}": ${told}`);
    }
  });
});

test("neutral values of the generation need no option, and wrong ones are told", () => {
  const off = { n_predict: -1, n_probs: 0, stop: [], n: 1 };
  for (const line of linesOf(off, "llama.cpp")) expect(line).toContain("it leaves the choice open, as without -");
  expect(linesOf({ n_predict: "many" }, "llama.cpp")).toEqual([
    'warning: s.json:1: "n_predict": not carried over: -n of ggsl run takes an integer from 1 to 2147483647, found "many"',
  ]);
});

test("options that several fields name are given once, stops all", () => {
  const [line] = linesOf({ stop: ["a"], stop_sequence: ["b", "c"], max_tokens: 5, max_length: 6 }, "koboldcpp");
  expect(line).toContain("ggsl run -n 6 --stop a --stop b --stop c; in TypeScript maxTokens, stop");
  const [chat] = linesOf({ model: "m", messages: [], system: "x", logprobs: true, top_logprobs: 4 }, "ollama");
  expect(chat).toContain("ggsl run --chat --system TEXT --prompt TEXT --json --logprobs 4;");
});

test("Modelfiles keep every stop and every byte of it", () => {
  const file =
    'FROM x\nPARAMETER stop "<|im_end|>"\nPARAMETER stop " a  b "\nPARAMETER stop """\n\n"""\nPARAMETER top_k 3\n';
  const { notes, text } = importFile(textSource(file), "m", undefined);
  expect(notes.find(({ kind }) => kind === "generation")?.text).toBe(
    "--stop '<|im_end|>' --stop ' a  b ' --stop $'\\n\\n'",
  );
  expect(text).toContain(
    "// About the generation: stop: ggsl run --stop '<|im_end|>' --stop ' a  b ' --stop $'\\n\\n';",
  );
});

test("a shell reads each word as it is", () => {
  const words = fc.sample(fc.string({ unit: "grapheme", maxLength: 8 }), { seed: 5, numRuns: 300 });
  const texts = [
    ...words,
    "",
    "'",
    "\\",
    "\n",
    "\t\\'",
    "\u0001'\\n",
    "$HOME",
    "a b  c",
    "-x",
    "\u2028",
    "\u0085",
  ].filter((text) => !text.includes("\0"));
  const script = texts.map((text) => `printf '%s\\0' ${shellWord(text)}`).join("\n");
  const { stdout, status } = spawnSync("bash", ["-c", script], { encoding: "utf8", env: { LC_ALL: "C.UTF-8" } });
  expect(status).toBe(0);
  expect(stdout.split("\0").slice(0, -1)).toEqual(texts);
  for (const text of texts) expect(shellWord(text)).not.toMatch(/[\n\r\u2028\u2029\u0085]/);
});

// ---------------------------------------------------------------- detection

const toolOf = (settings: object): string => {
  try {
    return imported(settings).tool;
  } catch (error) {
    if (error instanceof ImportError) return error.message;
    throw error;
  }
};

test.each<[object, string]>([
  [{ sampler_type: "greedy", max_new_tokens: 64 }, "MNN"],
  [{ max_new_tokens: 64, temperature: 0.7 }, "Hugging Face"],
  [{ do_sample: true, temperature: 0.7, top_p: 0.9, top_k: 20, max_new_tokens: 5 }, "Hugging Face"],
  [{ model: "m", messages: [], temperature: 0.5, max_tokens: 5, seed: 1 }, "vLLM"],
  [{ prompt: "x", n_predict: 5, stop: ["a"], n_probs: 2 }, "llama.cpp"],
  [{ prompt: "x", max_length: 5, stop_sequence: ["a"], rep_pen: 1.1 }, "KoboldCpp"],
  [{ temp: 0.5, rep_pen: 1.1, genamt: 100 }, "SillyTavern"],
  [{ options: { temperature: 1 }, prompt: "x" }, "Ollama"],
])("%j is of one tool", (settings, tool) => {
  expect(toolOf(settings)).toContain(tool);
});

test("settings of a tool that is not imported are not read as another's", () => {
  const webui = {
    temperature: 0.7,
    top_p: 0.9,
    top_k: 20,
    typical_p: 1,
    tfs: 1,
    top_a: 0,
    repetition_penalty: 1.15,
    repetition_penalty_range: 1024,
    encoder_repetition_penalty: 1,
    do_sample: true,
    dynamic_temperature: false,
  };
  expect(toolOf(webui)).toContain("known from text-generation-webui, whose settings are not imported");
  expect(toolOf(webui)).toContain('"repetition_penalty_range"');
  expect(imported(webui, "koboldcpp").tool).toBe("KoboldCpp");
  const tabby = { temperature: 1, penalty_range: 64, repetition_penalty: 1.1, skew: 0, cfg_scale: 1, min_tokens: 3 };
  expect(toolOf(tabby)).toContain("known from tabbyAPI");
  expect(toolOf({ identifier: "@local:x", name: "x", operation: {}, load: {} })).toContain("known from LM Studio");
});

test("ambiguous settings name the tools, and the keys that would decide", () => {
  const message = toolOf({ temperature: 1, top_p: 0.5 });
  expect(message).toContain("several tools have such settings; name it with --from, one of llama.cpp, ollama,");
  expect(message).toMatch(/keys that would decide: .*"n_predict", .* \(llama\.cpp\).*"do_sample".*\(huggingface\)/);
  expect(toolOf({ nobody: 1 })).toContain("no key identifies the tool");
});

test("all fields of a tool together are of that tool, or of none", () => {
  for (const name of NAMES) {
    const { sampling, options, others }: Fields = FIELDS[name];
    const keys = [...sampling, ...Object.keys(options), ...others];
    for (const foreign of Object.values(FOREIGN))
      expect(keys.filter((key) => !foreign.has(key)).length).toBeGreaterThan(0);
    for (const other of NAMES) if (other !== name) expect(keys.some((key) => !isKnown(FIELDS[other], key))).toBe(true);
  }
});
