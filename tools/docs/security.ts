/** docs/security.md: the limits of texts, samplers and grammars, where the code has them. test/limits has the presets. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LANE_PART } from "@ggsl/server/samplers/pool.js";
import { SAMPLER_LIMITS } from "@ggsl/server/samplers/samplers.js";
import { PHRASE_LIMITS } from "ggsl/sequence/phrases/phrases.js";
import { GRAMMAR_LIMITS } from "ggsl/grammars/limits.js";
import { TEXT_LIMITS } from "ggsl/sequence/tokenizing.js";
import { fill } from "../lib/markdown.js";
import { root } from "../lib/process.js";

const MEBI = 2 ** 20;

/** A constant of C++: `NAME = 12`, `NAME = 4e9` or `NAME = size_t{ 8 } << 20`. */
function native(file: string, name: string, folder = "llama"): number {
  const text = readFileSync(join(root, "native", folder, file), "utf8");
  const [, plain, base, shift] = new RegExp(
    `\\b${name}\\s*= (?:([\\de]+)|(?:size_t|uint64_t)\\{ (\\d+) \\} << (\\d+));`,
  ).exec(text)!;
  return plain === undefined ? Number(base) * 2 ** Number(shift) : Number(plain);
}

export function page(): string {
  const { prepareMilliseconds, keptBytes, ...grammars } = GRAMMAR_LIMITS;
  const runStack = native("text_cost.h", "stack_per_character");
  const textRun = native("text_cost.h", "most_text_depth");
  const values = {
    textBytes: native("text_cost.h", "most_text_bytes"),
    textRun,
    textSteps: native("text_cost.h", "most_text_steps") / 1e9,
    shallowRun: native("tokenizer.cc", "shallow"),
    runStack,
    mostStack: (textRun * runStack + native("tokenizer.cc", "thread_stack")) / MEBI,
    shortText: native("tokenizer.h", "short_bytes") / 1024,
    laneTexts: TEXT_LIMITS.waitingOfLane,
    allTexts: TEXT_LIMITS.waiting,
    compileTime: SAMPLER_LIMITS.deadline / 1000,
    compileMemory: SAMPLER_LIMITS.memory,
    compileWaiting: SAMPLER_LIMITS.waiting,
    compileLane: SAMPLER_LIMITS.waiting * LANE_PART,
    sourceLength: SAMPLER_LIMITS.length.program,
    specLength: SAMPLER_LIMITS.length.spec,
    samplers: SAMPLER_LIMITS.kept,
    samplerRoom: SAMPLER_LIMITS.room / MEBI,
    prepareTime: prepareMilliseconds / 1000,
    maskSteps: native("grammar.h", "steps_of_mask", "grammar"),
    tokenSteps: native("grammar.h", "steps_of_token", "grammar"),
    keptGrammar: native("grammar.h", "bytes", "grammar") / MEBI,
    keptGrammars: keptBytes / MEBI,
    ...grammars,
    ...{ ...PHRASE_LIMITS, phraseBytes: PHRASE_LIMITS.bytes },
  };
  const template = "security.md";
  const used = readFileSync(join(root, "tools", "docs", template), "utf8");
  return fill(
    template,
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => (used.includes(`{{${name}}}`) ? [[name, `${value}`]] : [])),
    ),
  );
}
