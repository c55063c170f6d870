/** How templates are told to think, and how much. */
import { describe, expect, test } from "@jest/globals";
import type { ChatMessage } from "ggsl/chat/messages.js";
import { findReasoning } from "ggsl/chat/reasoning/find.js";
import { findSwitches } from "ggsl/chat/reasoning/switches.js";
import { toldOf } from "ggsl/chat/reasoning/told.js";
import { openConversation, renderConversation, type ChatOptions } from "ggsl/chat/render.js";
import { modelWith, sourceOf, TEMPLATES } from "./templates.js";

const renderOf = (name: string) => {
  const model = modelWith(sourceOf(`${name}.jinja`));
  return async (messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<string> =>
    (await renderConversation(model, openConversation(messages, options))).text;
};

async function thinkingOf(name: string) {
  const source = sourceOf(`${name}.jinja`);
  const form = await findReasoning(renderOf(name), { source });
  return { form, switches: await findSwitches(renderOf(name), source, form) };
}

const [EFFORT, THINKS] = ["reasoning_effort", "enable_thinking"] as const;
/** A thinking model whose template has no switch is one that always thinks, or decides itself. */
const NO_SWITCH = { on: {}, off: undefined };
/** Thoughts are there, unless the variable is false. */
const OFF = { on: {}, off: { [THINKS]: false } };
/** Thoughts are not there, unless the variable is true. */
const ON = { on: { [THINKS]: true }, off: {} };
const BOTH = { on: { [THINKS]: true }, off: { [THINKS]: false } };
const levels = (low: string, medium: string, high: string, most: string, on = {}) =>
  Object.entries({ minimal: low, low, medium, high, xhigh: most }).map(([effort, level]) => [
    effort,
    { ...on, [EFFORT]: level },
  ]);

const SWITCHES: Readonly<Record<string, object>> = {
  "Apertus-8B-Instruct": ON,
  "Apriel-1.6-15b-Thinker-fixed": NO_SWITCH,
  "Bielik-11B-v3.0-Instruct": ON,
  "ByteDance-Seed-OSS": { on: {}, off: { thinking_budget: 0 } },
  Cohere2MoE: { on: {}, off: { [EFFORT]: "none" } },
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": ON,
  "GLM-4.6": OFF,
  "GLM-4.7-Flash": OFF,
  "HuggingFaceTB-SmolLM3-3B": OFF,
  "Kimi-K2-Thinking": NO_SWITCH,
  "Kimi-K3": { on: {}, off: { thinking: false } },
  "LFM2.5-8B-A1B": NO_SWITCH,
  "LFM2.5-Instruct": NO_SWITCH,
  "MiMo-VL": NO_SWITCH,
  "MiniMax-M2": NO_SWITCH,
  "MiniMax-M3": { on: { thinking_mode: "enabled" }, off: { thinking_mode: "disabled" } },
  "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": OFF,
  // by a word in a message alone
  "NVIDIA-Nemotron-Nano-v2": NO_SWITCH,
  "Qwen-QwQ-32B": ON,
  "Qwen-Qwen3-0.6B": OFF,
  "Qwen3.5-4B": OFF,
  "Reka-Edge": ON,
  "Spark2.5": OFF,
  "StepFun3.5-Flash": NO_SWITCH,
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": NO_SWITCH,
  "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": ON,
  "deepseek-ai-DeepSeek-V3.1": ON,
  "deepseek-ai-DeepSeek-V3.2": ON,
  "deepseek-ai-DeepSeek-V4": { ...ON, efforts: levels("low", "medium", "high", "max", ON.on) },
  "deepseek-ai-DeepSeek-V4-Flash-0731": { ...ON, efforts: levels("low", "medium", "high", "max", ON.on) },
  "google-gemma-4-31B-it": ON,
  "google-gemma-4-31B-it-interleaved": ON,
  "ibm-granite-granite-3.3-2B-Instruct": { on: { thinking: true }, off: {} },
  "inclusionai-ling-3.0-flash": OFF,
  "llama-cpp-deepseek-r1": NO_SWITCH,
  "llama-cpp-rwkv-world": BOTH,
  "mistralai-Ministral-3-14B-Reasoning-2512": NO_SWITCH,
  "muse-glimmer": {
    ...NO_SWITCH,
    efforts: levels("low", "medium", "high", "high").map(([effort, one]) => [
      effort,
      { reasoning_strength: (one as { reasoning_effort: string }).reasoning_effort },
    ]),
  },
  "openai-gpt-oss-120b": { ...NO_SWITCH, efforts: levels("low", "medium", "high", "high") },
  "openbmb-MiniCPM5-1B": BOTH,
  "poolside-Laguna-S-2.1": OFF,
  "poolside-Laguna-XS-2.1": ON,
  "poolside-Laguna-XS.2": ON,
  "tencent-Hy3": { on: { [EFFORT]: "high" }, off: {}, efforts: levels("low", "high", "high", "high") },
  "unsloth-Apriel-1.5": NO_SWITCH,
  "upstage-Solar-Open-100B": {
    on: {},
    off: { [EFFORT]: "minimal" },
    efforts: levels("low", "medium", "high", "high").map(([effort, one]) =>
      effort === "minimal" ? [effort, { [EFFORT]: "minimal" }] : [effort, one],
    ),
  },
};

test("the variables of each template", async () => {
  const found: Record<string, object> = {};
  for (const file of TEMPLATES) {
    const name = file.replace(".jinja", "");
    const { form, switches } = await thinkingOf(name);
    const { on, off, efforts } = switches;
    if (form) found[name] = { on, off, ...(efforts && { efforts: [...efforts] }) };
    // a template without thoughts reads nothing of them
    else expect([name, switches]).toEqual([name, { on: undefined, off: undefined, efforts: undefined }]);
  }
  expect(found).toEqual(SWITCHES);
});

describe("what is asked for", () => {
  const told = async (name: string, asked: Parameters<typeof toldOf>[0]) => {
    const { variables, fault } = toldOf(asked, await thinkingOf(name));
    return variables ?? fault;
  };

  test("is a switch where a template has no levels", async () => {
    for (const asked of [true, "low", "high"] as const) {
      expect(await told("deepseek-ai-DeepSeek-V3.1", asked)).toEqual({ enable_thinking: true });
      expect(await told("Qwen-Qwen3-0.6B", asked)).toEqual({});
    }
    for (const asked of [false, "none"] as const) {
      expect(await told("deepseek-ai-DeepSeek-V3.1", asked)).toEqual({});
      expect(await told("Qwen-Qwen3-0.6B", asked)).toEqual({ enable_thinking: false });
      // it has no thoughts
      expect(await told("Qwen-Qwen2.5-7B-Instruct", asked)).toEqual({});
    }
  });

  test("is a fault where a template has nothing of it", async () => {
    expect(await told("llama-cpp-deepseek-r1", "none")).toContain("switches thoughts off");
    expect(await told("openai-gpt-oss-120b", false)).toContain("switches thoughts off");
    expect(await told("llama-cpp-deepseek-r1", true)).toEqual({});
    for (const name of ["llama-cpp-deepseek-r1", "Qwen-Qwen2.5-7B-Instruct"])
      expect(await told(name, "high")).toContain("reads no level");
    expect(await told("Qwen-Qwen2.5-7B-Instruct", true)).toContain("says nothing of thoughts");
  });
});
