/** `ggsl run`: generates text with a model, with the chain in its graph. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { basename } from "node:path";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Generation, GenerationStats, Piece } from "ggsl/generation/generate.js";
import { tracedStages } from "ggsl/chain/chain.js";
import type { ChatMessage } from "ggsl/chat/messages.js";
import type { ChatOptions } from "ggsl/chat/render.js";
import { demoModel } from "ggsl/models/demo.js";
import type { Model } from "ggsl/models/model.js";
import { assignment } from "../assignment.js";
import { advisedBy, reportBroken } from "../advice.js";
import { chatOptionsOf, templateVarOption, type ChatFlags } from "../chat/template.js";
import { loadChains, type ChainOptions } from "../chain.js";
import { addChainOptions } from "../chainFlags.js";
import { endable } from "../ending.js";
import { endText } from "../endText.js";
import { checkOutput } from "../files.js";
import { grammarUniforms, readGrammar } from "../grammar.js";
import { loadShown } from "../progress.js";
import { stdinPathOption } from "../programs.js";
import { addRequestOptions, checkDrafts, requestOf, runOf, type RequestFlags } from "../requestFlags.js";
import { readSaved, writeSaved } from "../saved.js";
import { reportSplit } from "../split.js";
import { tracedToken, writeTrace, type TracedToken } from "../trace/file.js";
import { addModelOptions, settingsOf, type ModelFlags } from "../modelOptions.js";
import { chainArgument, jsonOption, natural, positive, stagesOption, UsageError } from "../usage.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";
import { say } from "../terminal.js";

interface Options extends ChainOptions, ModelFlags, RequestFlags, ChatFlags {
  readonly strict?: true;
  readonly model: string;
  readonly prompt: string;
  readonly guide?: Readonly<Record<string, string>>;
  readonly tokens: number;
  readonly logprobs?: number;
  readonly alternatives?: number;
  readonly states?: true;
  readonly trace?: string;
  readonly special?: true;
  readonly heal?: true;
  readonly chat?: true;
  readonly sequences: number;
  readonly save?: string;
  readonly resume?: string;
  readonly stats?: true;
  readonly json?: true;
}

interface Result {
  readonly backend: string;
  readonly text: string;
  readonly tokens: readonly number[];
  /** For each token its own and the likeliest tokens of the model; with `--logprobs`. */
  readonly logprobs?: readonly Pick<Piece, "logprob" | "logprobs">[];
  /** For each token the likeliest that the chain keeps; with `--alternatives`. */
  readonly alternatives?: readonly NonNullable<Piece["alternatives"]>[];
  /** The values of the chain's states, one for each token; with `--states`. */
  readonly states?: Readonly<Record<string, readonly number[]>>;
  /** The values of the chain's measures, one for each token; absent if it has none. */
  readonly measures?: Readonly<Record<string, readonly number[]>>;
  /** After an interruption `finish` is `cancelled`; there is no more if it came before the first token. */
  readonly stats: GenerationStats | CancelledStats;
}

type CancelledStats = Partial<Omit<GenerationStats, "finish">> & { readonly finish: "cancelled" };

export const addRun = (command: Command): Command =>
  addModelOptions(addRequestOptions(addChainOptions(command)))
    .addArgument(chainArgument())
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .addOption(stdinPathOption())
    .addOption(new Option("-m, --model <gguf>", "the model file").default(demoModel(), "the demo model"))
    .option("-p, --prompt <text>", "the beginning of the text", "In the beginning")
    .option("--special", "read special tokens in the prompts, such as <|im_start|>, as these tokens")
    .addOption(
      new Option(
        "--heal",
        "take the last token of the prompt back, and begin the text with its letters: the prompt may end inside a word",
      ).conflicts(["chat", "resume"]),
    )
    .option("--chat", "the prompt is a message to an instruct model; only its answer is printed")
    .option("--system <text>", "the system message, with --chat")
    .option("--template <file>", "a Jinja chat template, or the name of one of the model's, with --chat")
    .addOption(templateVarOption())
    .option(
      "--guide <name=prompt>",
      "the prompt of another sequence whose logits the chain reads, `input name: logits`; repeatable",
      guide,
    )
    .option("-n, --tokens <n>", "the maximum number of tokens to generate", positive, 128)
    .option(
      "--logprobs <n>",
      "log-probabilities of the model for each token and for the N likeliest ones, in the output of --json",
      natural,
    )
    .option(
      "--alternatives <n>",
      "the N likeliest of the tokens that the chain keeps, for each token, in the output of --json",
      natural,
    )
    .option("--states", "the values of the chain's states after each token, in the output of --json")
    .option(
      "--trace <file>",
      "write what each stage made of the rows and of each token, for `ggsl trace`; - is standard output",
    )
    .option(
      "--sequences <n>",
      "number of texts to generate at once; --seed N gives them the seeds N, N + 1, ...",
      positive,
      1,
    )
    .option("--save <file>", "write what continues the text later, with --resume; - is standard output")
    .addOption(
      new Option("--resume <file>", "continue a text that --save has written, with the same chain").conflicts([
        "prompt",
        "chat",
        "guide",
        "seed",
        "special",
      ]),
    )
    .option("--stats", "print statistics after the text, on standard error")
    .addOption(jsonOption())
    .action(run);

const run = (file: string | undefined, name: string | undefined, options: Options): Promise<void> =>
  endable((signal) => generate(file, name, options, signal));

/** After an abort of the signal it prints what was generated until then. */
async function generate(
  file: string | undefined,
  name: string | undefined,
  options: Options,
  signal: AbortSignal,
): Promise<void> {
  const { sequences } = options;
  const unprinted = (["logprobs", "alternatives", "states"] as const).find((one) => options[one] !== undefined);
  if (unprinted !== undefined && !options.json) throw new UsageError(`--${unprinted} needs --json, which prints them`);
  if (sequences > 1 && (options.save ?? options.resume) !== undefined)
    throw new UsageError("--save and --resume are for one text: leave --sequences out");
  checkDrafts(options);
  if ((options.minTokens ?? 0) > options.tokens)
    throw new UsageError(
      `--min-tokens ${options.minTokens} is more than --tokens ${options.tokens}: give -n ${options.minTokens}`,
    );
  const grammar = readGrammar(options);
  const messages = messagesOf(options);
  const conversation = messages && { messages, ...chatOptionsOf(options) };
  const saved = options.resume === undefined ? undefined : readSaved(options.resume);
  for (const output of [options.save, options.trace]) if (output !== undefined) checkOutput(output);
  const isAdvised = file === undefined && options.stages === undefined;
  // reports errors in the program before a large model is loaded
  const given = isAdvised ? [] : loadChains(file, name, options, sequences);
  using model = await loadShown(options.model, { ...settingsOf(options), signal });
  using draft =
    options.draftModel === undefined
      ? undefined
      : await loadShown(options.draftModel, { ...settingsOf(options), signal });
  const chains = isAdvised ? loadChains(undefined, name, { ...options, program: advisedBy(model) }, sequences) : given;
  reportBroken(model);
  const perText =
    1 +
    greatest(
      chains.map(({ graph }) => guidesOf(graph).length),
      0,
    );
  using batch = model.batch({
    sequences: sequences * perText,
    contextSize: await contextSizeOf(options, model, conversation),
    ...runOf(options),
  });
  const guides: Readonly<Record<string, string | Int32Array>> = saved?.guides ?? options.guide ?? {};
  const { special, heal, prompt, logprobs, alternatives, states, trace } = options;
  const request = {
    maxTokens: options.tokens,
    signal,
    guides: Object.fromEntries(Object.entries(guides).map(([key, text]) => [key, { prompt: text }])),
    ...(special && { special }),
    ...(heal && { heal }),
    ...(logprobs !== undefined && { logprobs }),
    ...(alternatives !== undefined && { alternatives }),
    ...(states && { states }),
    ...(trace !== undefined && { trace: true }),
    ...(saved && { resume: saved.sequence }),
  };
  const generations = chains.map((chain) => {
    const uniforms = grammarUniforms(chain.graph, grammar);
    const whole = { ...request, ...requestOf(chain, options, draft), chain, uniforms };
    if (!conversation) return batch.add(saved?.tokens ?? prompt, whole);
    const { messages: _, ...template } = conversation;
    return batch.chat(conversation.messages, { ...whole, ...template });
  });
  const isStreamed = sequences === 1 && !options.json;
  const begun = saved ? textOf(model, saved.tokens) : messages ? "" : prompt;
  const texts = await Promise.all(generations.map((generation) => read(generation, isStreamed, begun, signal)));
  if (trace !== undefined) {
    const stages = tracedStages(chains[0]!);
    const traces = texts.map(({ traced }) => traced);
    writeTrace(trace, { model: basename(options.model), prompt: begun, stages, texts: traces });
  }
  if (options.save !== undefined) writeSaved(options.save, generations[0]!.save());
  const results = texts.map(({ traced: _, ...text }) => ({ backend: model.backend, ...text }));
  reportSplit(results[0]!.stats.split);
  print(results, { ...options, prompt: begun }, isStreamed);
  if (options.stats && !options.json) say(skippedLine(model));
}

/** The conversation of `--chat`. */
function messagesOf({ chat, system, template, templateVar, prompt }: Options): readonly ChatMessage[] | undefined {
  if (!chat && (system ?? template ?? templateVar) !== undefined)
    throw new UsageError("--system, --template and --template-var need --chat");
  const user = { role: "user", content: prompt };
  return chat && (system === undefined ? [user] : [{ role: "system", content: system }, user]);
}

/** Which backends `auto` would have taken first; why not, another command says. */
const skippedLine = ({ skipped }: Model): string =>
  skipped.length === 0
    ? ""
    : `not on ${skipped.map(({ backend }) => backend).join(" or ")}: \`ggsl devices\` says why\n`;

/** The text of tokens, also of those that are parts of characters. */
const textOf = (model: Model, tokens: Int32Array): string =>
  Buffer.concat(Array.from(tokens, (token) => model.bytesOf(token))).toString();

interface Conversation extends ChatOptions {
  readonly messages: readonly ChatMessage[];
}

/** Several sequences get only the memory that their texts can need. */
async function contextSizeOf(
  { ctxSize, sequences, prompt, guide, tokens, special }: Options,
  model: Model,
  conversation: Conversation | undefined,
): Promise<number | undefined> {
  if (ctxSize !== undefined || sequences === 1) return ctxSize;
  const { messages = [], ...template } = conversation ?? {};
  const first = conversation ? await model.renderChat(messages, template) : prompt;
  // the letters of special tokens are more tokens than these: enough also where messages name some
  const options = { special: special ?? false };
  const prompts = [first, ...Object.values(guide ?? {})].map((text) => model.tokenize(text, options).length);
  return Math.min(model.info.trainedContextSize, greatest(prompts) + tokens);
}

const GUIDE = assignment("([^]+)");

/** Collects `--guide NAME=PROMPT`. */
function guide(text: string, present: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, prompt] = GUIDE.exec(text) ?? [];
  if (name === undefined || prompt === undefined) throw new InvalidArgumentError("Expected NAME=PROMPT.");
  return { ...present, [name]: prompt };
}

async function read(
  generation: Generation,
  isStreamed: boolean,
  prompt: string,
  signal: AbortSignal,
): Promise<Omit<Result, "backend"> & { readonly traced: readonly TracedToken[] }> {
  const tokens: number[] = [];
  const measures: Record<string, number[]> = {};
  const states: Record<string, number[]> = {};
  const logprobs: Pick<Piece, "logprob" | "logprobs">[] = [];
  const alternatives: NonNullable<Piece["alternatives"]>[] = [];
  const traced: TracedToken[] = [];
  let text = "";
  let isCancelled = false;
  try {
    for await (const piece of generation) {
      if (isStreamed && tokens.length === 0) process.stdout.write(prompt);
      tokens.push(piece.token);
      text += piece.text;
      traced.push(tracedToken(piece));
      const { logprob, logprobs: likeliest } = piece;
      if (logprob !== undefined && likeliest) logprobs.push({ logprob, logprobs: likeliest });
      if (piece.alternatives) alternatives.push(piece.alternatives);
      for (const [name, value] of Object.entries(piece.states ?? {})) (states[name] ??= []).push(value);
      for (const [name, value] of Object.entries(piece.measures ?? {})) (measures[name] ??= []).push(value);
      if (isStreamed) process.stdout.write(piece.text);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    isCancelled = true;
  } finally {
    if (isStreamed && tokens.length > 0) process.stdout.write("\n");
  }
  return {
    text,
    tokens,
    traced,
    ...(logprobs.length > 0 && { logprobs }),
    ...(alternatives.length > 0 && { alternatives }),
    ...(Object.keys(states).length > 0 && { states }),
    ...(Object.keys(measures).length > 0 && { measures }),
    stats: isCancelled ? cancelledStats(generation, tokens.length) : generation.stats(),
  };
}

/** There are no statistics before the first token. */
const cancelledStats = (generation: Generation, tokens: number): CancelledStats => ({
  ...(tokens > 0 && generation.stats()),
  finish: "cancelled",
});

function print(results: readonly Result[], { json, stats: wantsStats, prompt }: Options, isStreamed: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(results.length === 1 ? results[0] : results)}\n`);
    return;
  }
  if (!isStreamed) process.stdout.write(results.map(({ text }) => `${prompt}${text}\n`).join("\n"));
  if (!wantsStats) return;
  for (const { backend, stats, measures } of results) {
    if (stats.graphBuilds === undefined) continue;
    say(factLines(backend, stats as GenerationStats));
    for (const [name, values] of Object.entries(measures ?? {})) say(`${measureLine(name, values)}\n`);
  }
}

function measureLine(name: string, values: readonly number[]): string {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const [least, most] = values.reduce(([lo, hi], x) => [Math.min(lo, x), Math.max(hi, x)], [Infinity, -Infinity]);
  return `${name}: mean ${mean.toPrecision(4)}, from ${least.toPrecision(4)} to ${most.toPrecision(4)}`;
}

/** The chain's part of the graph, the memory, and the text. */
function factLines(backend: string, s: GenerationStats): string {
  const lines = [
    [
      `on ${backend}`,
      `${s.nodes} nodes, ${s.nodesWithoutViews} without views`,
      `${s.graphBuilds} graph builds`,
      `${s.readbackBytes} bytes read back a token`,
    ],
    [`${s.sequenceBytes} bytes of device memory per sequence`, `${s.cacheBytes} bytes of cache`],
    [
      ...(s.computedPromptTokens < s.promptTokens
        ? [`${s.computedPromptTokens} of ${s.promptTokens} prompt tokens computed`]
        : []),
      ...(s.decodes === undefined
        ? []
        : [
            `${s.accepted} of ${s.drafted} drafted tokens accepted`,
            `${(s.decodes / Math.max(1, s.generatedTokens)).toFixed(2)} decodes per token`,
          ]),
      ...(s.rewinds === undefined ? [] : [`taken back ${s.rewinds} times, ${s.takenBackTokens} tokens`]),
      ...(s.keptPhrases ? [`${s.keptPhrases} phrases stayed`] : []),
      `${s.tokensPerSecond.toFixed(0)} tokens/s`,
      `${s.generatedTokens} tokens, ${endText(s)}`,
    ],
  ];
  return lines.map((line) => `${line.join(" | ")}\n`).join("");
}
