/** Texts and logits of the model in the page. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { readSpec } from "@ggsl/compiler/graph/json.js";
import { chainOf } from "ggsl/chain.js";
import { openFile, openModel, type PageModel } from "./model.js";
import { nextTokenOf } from "./next.js";
import type { Models, TextTask, WrittenText } from "./types.js";

const ALTERNATIVES = 8;

export const pageModels: Models = {
  nextTitle: "the model's next token",
  probabilities: "probability",
  takesGuides: true,
  async open() {
    const model = await openModel();
    return { name: model.name, write: (task) => write(model, task) };
  },
  async next(prompt) {
    const { worker, info } = await openModel();
    const logits = await worker.logits(prompt);
    return nextTokenOf(logits, await worker.textsOf(Int32Array.from({ length: info.vocabSize }, (_, token) => token)));
  },
  async openFile(file) {
    const { name, info } = await openFile(file);
    return `${name} is loaded: ${info.vocabSize} tokens`;
  },
};

function write({ worker }: PageModel, { spec, uniforms, prompt, maxTokens, guidePrompt }: TextTask): WrittenText {
  const graph = readSpec(spec);
  const prompts = guidesOf(graph).map(({ name }) => [name, { prompt: guidePrompt(name) }] as const);
  const generation = worker.generate(prompt, {
    chain: chainOf(graph),
    uniforms,
    ...(prompts.length > 0 && { guides: Object.fromEntries(prompts) }),
    maxTokens,
    alternatives: ALTERNATIVES,
    states: true,
  });
  return {
    [Symbol.asyncIterator]: () => generation[Symbol.asyncIterator](),
    cancel: () => generation.cancel(),
    setUniforms: (values) => generation.setUniforms(values),
    end: generation.end.then(({ finish, stats }) => ({
      ...{ finish, generatedTokens: stats?.generatedTokens ?? 0, tokensPerSecond: stats?.tokensPerSecond ?? 0 },
    })),
  };
}
