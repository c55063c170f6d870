/** Texts and logits of the model in the page. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { readSpec } from "@ggsl/compiler/graph/json.js";
import { chainOf } from "ggsl/chain/chain.js";
import { openFile, openModel, type PageModel } from "./model.js";
import { textsOf } from "./texts.js";
import type { Seen, TextSoFar, TextTask, Writer, WrittenText } from "./types.js";

const ALTERNATIVES = 8;

export { watchProgress } from "./model.js";

export async function openWriter(): Promise<Writer> {
  const model = await openModel();
  return { name: model.name, write: (task) => write(model, task) };
}

export async function seenAt({ prompt, tokens, guides }: TextSoFar): Promise<Seen> {
  const model = await openModel();
  const { worker } = model;
  const picked = tokens.map(({ token }) => token);
  const begin = await worker.tokenize(prompt);
  const rows = await worker.logits(Int32Array.from([...begin, ...picked]), { last: picked.length + 1 });
  const vocabSize = rows.length / (picked.length + 1);
  const guided = Object.keys(guides).length > 0 && { guides: await guidesAt(worker, guides, picked) };
  const [logits, earlier] = [rows.slice(-vocabSize), rows.subarray(0, -vocabSize)];
  return {
    place: { logits, earlier, history: [...begin], picked, ...guided },
    ...textsOf(await vocabularyOf(model)),
  };
}

export async function openOther(file: File): Promise<string> {
  const { name, info } = await openFile(file);
  return `${name} is loaded: ${info.vocabSize} tokens`;
}

/** The logits of other prompts that go on with the same tokens. */
async function guidesAt(
  worker: PageModel["worker"],
  guides: Readonly<Record<string, string>>,
  picked: readonly number[],
): Promise<Record<string, Float32Array>> {
  const found: Record<string, Float32Array> = {};
  for (const [name, prompt] of Object.entries(guides))
    found[name] = await worker.logits(Int32Array.from([...(await worker.tokenize(prompt)), ...picked]));
  return found;
}

const vocabularies = new WeakMap<PageModel, Promise<readonly string[]>>();

function vocabularyOf(model: PageModel): Promise<readonly string[]> {
  const all = Int32Array.from({ length: model.info.vocabSize }, (_, token) => token);
  const found = vocabularies.get(model) ?? model.worker.textsOf(all);
  vocabularies.set(model, found);
  return found;
}

function write(
  { worker }: PageModel,
  { spec, uniforms, prompt, maxTokens, bannedPhrases, guidePrompt }: TextTask,
): WrittenText {
  const graph = readSpec(spec);
  const prompts = guidesOf(graph).map(({ name }) => [name, { prompt: guidePrompt(name) }] as const);
  const generation = worker.generate(prompt, {
    chain: chainOf(graph),
    uniforms,
    ...(prompts.length > 0 && { guides: Object.fromEntries(prompts) }),
    maxTokens,
    ...(bannedPhrases.length > 0 && { bannedPhrases }),
    alternatives: ALTERNATIVES,
    states: true,
  });
  return {
    [Symbol.asyncIterator]: () => generation[Symbol.asyncIterator](),
    cancel: () => generation.cancel(),
    setUniforms: (values) => generation.setUniforms(values),
    end: generation.end.then(({ finish, stats }) => ({
      finish,
      ...(stats?.stoppedBy !== undefined && { stoppedBy: stats.stoppedBy }),
      generatedTokens: stats?.generatedTokens ?? 0,
      tokensPerSecond: stats?.tokensPerSecond ?? 0,
      ...(stats?.rewinds !== undefined && { rewinds: stats.rewinds }),
    })),
  };
}
