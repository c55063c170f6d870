/** `ggsl chat`: a conversation with a model, on a terminal or line by line from standard input. */
import { Argument, type Command } from "commander";
import type { ChatOptions } from "ggsl/chat/render.js";
import type { ChatMessage } from "ggsl/chat/messages.js";
import { visible } from "@ggsl/compiler/source/visible.js";
import type { Chain } from "ggsl/chain/chain.js";
import { InputError } from "ggsl/core/errors.js";
import type { GenerationStats } from "ggsl/generation/generate.js";
import type { UniformValues } from "ggsl/sequence/sequence.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import type { Model } from "ggsl/models/model.js";
import { loadChains, type ChainOptions } from "../chain.js";
import { advisedBy, reportBroken } from "../advice.js";
import { commandOf, HELP, type ChatCommand } from "../chat/commands.js";
import { ShownAnswer } from "../chat/shown.js";
import { isTerminal, openTurns } from "../chat/turns.js";
import { chatOptionsOf, templateVarOption, type ChatFlags } from "../chat/template.js";
import { addChainOptions } from "../chainFlags.js";
import { refuseInput } from "../files.js";
import { grammarUniforms, readGrammar } from "../grammar.js";
import { addModelOptions, settingsOf, type ModelFlags } from "../modelOptions.js";
import { loadShown } from "../progress.js";
import { endText } from "../endText.js";
import { addRequestOptions, checkDrafts, requestOf, runOf, type RequestFlags } from "../requestFlags.js";
import { positive, samplerOption, stagesOption } from "../usage.js";
import { withValues } from "../values.js";
import { say } from "../terminal.js";

interface Options extends ChainOptions, ModelFlags, RequestFlags, ChatFlags {
  readonly strict?: true;
  readonly sampler?: string;
  readonly tokens?: number;
  readonly stats?: true;
}

export const addChat = (command: Command): Command =>
  addModelOptions(
    addRequestOptions(addChainOptions(command))
      .addArgument(
        withValues(new Argument("<model>", "the model file (GGUF), with a chat template"), { files: ["gguf"] }),
      )
      .addOption(stagesOption())
      .addOption(samplerOption())
      .option("--system <text>", "the system message")
      .option("--template <file>", "a Jinja chat template instead of the model's, or the name of one of the model's")
      .addOption(templateVarOption())
      .option("-n, --tokens <n>", "the maximum number of tokens of an answer", positive),
  )
    .option("--stats", "print statistics after each answer, on standard error")
    .action(chat);

async function chat(path: string, options: Options): Promise<void> {
  refuseInput("ggsl chat reads the conversation from standard input: give a file instead of -");
  const grammar = readGrammar(options);
  const given = isGiven(options) ? chainOf(options) : undefined;
  checkDrafts(options);
  const template = chatOptionsOf(options);
  using model = await loadShown(path, settingsOf(options));
  using draft = options.draftModel === undefined ? undefined : await loadShown(options.draftModel, settingsOf(options));
  reportBroken(model);
  const first = given ?? adviceOf(model, options);
  const session = new Session({ model, draft, template, grammar, options }, first);
  // a missing or broken template is reported before the first turn
  await session.check();
  const turns = openTurns(session.interrupt);
  try {
    for await (const line of turns) {
      const command = commandOf(line);
      if (command) session.run(command);
      else if (line.trim() !== "") await session.turn(line);
    }
  } finally {
    turns.close();
  }
}

const isGiven = ({ stages, sampler }: Options): boolean => stages !== undefined || sampler !== undefined;
const chainOf = (options: Options): Chain => loadChains(options.sampler, undefined, options, 1)[0]!;
const adviceOf = (model: Model, options: Options): Chain =>
  loadChains(undefined, undefined, { ...options, program: advisedBy(model, DEFAULT) }, 1)[0]!;

/** For model files without sampling advice. */
const DEFAULT = `import { top_k, top_p, min_p, temp, dist } from "std"
chain chat(t: f32 >= 0 = 0.8) = top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(t) |> dist()
`;

/** What a conversation is begun with. */
interface Given {
  readonly model: Model;
  readonly draft: Model | undefined;
  readonly template: Pick<ChatOptions, "template" | "variables">;
  readonly grammar: GrammarSource | undefined;
  readonly options: Options;
}

/** A conversation so far. */
class Session {
  private messages: ChatMessage[];
  private uniforms: UniformValues;
  private abort: AbortController | undefined;

  constructor(
    private readonly given: Given,
    private chain: Chain,
  ) {
    this.messages = this.beginning();
    this.uniforms = grammarUniforms(chain.graph, given.grammar);
  }

  /** Stops the answer; whether there was one. */
  readonly interrupt = (): boolean => {
    this.abort?.abort();
    return this.abort !== undefined;
  };

  async check(): Promise<void> {
    const messages = [...this.messages, { role: "user", content: "Hello" }];
    await this.given.model.renderChat(messages, this.given.template);
  }

  /** On a terminal a turn that fails is reported, and can be given again, changed. */
  async turn(content: string): Promise<void> {
    try {
      await this.answer(content);
    } catch (error) {
      const { message } = error as Error;
      const isFull = error instanceof InputError && error.code === "CONTEXT_FULL";
      const shown = isFull ? new InputError(`${message} (${MAKE_ROOM})`, { code: error.code, cause: error }) : error;
      if (!isTerminal()) throw shown;
      report((shown as Error).message);
    }
  }

  private async answer(content: string): Promise<void> {
    this.messages.push({ role: "user", content });
    const { model, draft, template, options } = this.given;
    const { tokens, ctxSize } = options;
    this.abort = new AbortController();
    const { signal } = this.abort;
    const shown = new ShownAnswer();
    let facts = "";
    let isFull = false;
    try {
      const generation = model.chat(this.messages, {
        ...requestOf(this.chain, options, draft),
        ...runOf(options),
        ...template,
        chain: this.chain,
        uniforms: this.uniforms,
        signal,
        ...(tokens !== undefined && { maxTokens: tokens }),
        ...(ctxSize !== undefined && { contextSize: ctxSize }),
      });
      for await (const part of generation.parts()) shown.add(part);
      const stats = generation.stats();
      facts = factsLine(stats);
      isFull = stats.finish === "context";
    } catch (error) {
      if (!signal.aborted) {
        this.messages.pop();
        throw error;
      }
      shown.end();
      process.stdout.write(" [stopped]");
    } finally {
      this.abort = undefined;
      shown.end();
      if (shown.isBegun || signal.aborted) process.stdout.write("\n");
      if (isFull) say(`the answer ends here, because the context is full: ${MAKE_ROOM}\n`);
      if (this.given.options.stats && facts !== "") say(`${facts}\n`);
    }
    const { content: written, reasoning } = shown;
    const thought = reasoning === "" ? {} : { reasoning_content: reasoning };
    this.messages.push({ role: "assistant", content: written, ...thought });
  }

  run(command: ChatCommand): void {
    switch (command.name) {
      case "help":
        return void process.stdout.write(HELP);
      case "clear":
        this.messages = this.beginning();
        return;
      case "undo":
        if (this.messages.at(-1)?.role === "assistant") this.messages.splice(-2);
        return;
      case "set": {
        const params = this.chain.graph.params.map(({ name }) => name);
        const unknown = Object.keys(command.values).find((name) => !params.includes(name));
        if (unknown !== undefined)
          return report(
            `the chain has no parameter \`${unknown}\`${params.length > 0 ? `; it has ${params.join(", ")}` : ""}`,
          );
        this.uniforms = { ...this.uniforms, ...command.values };
        return;
      }
      case "sampler":
        try {
          const chain = chainOf({ ...omitChain(this.given.options), sampler: command.file });
          this.uniforms = grammarUniforms(chain.graph, this.given.grammar);
          this.chain = chain;
        } catch (error) {
          report((error as Error).message);
        }
        return;
      case "unknown":
        return report(`${command.reason}: /help lists the commands`);
    }
  }

  private beginning(): ChatMessage[] {
    const { system } = this.given.options;
    return system === undefined ? [] : [{ role: "system", content: system }];
  }
}

/** Without what names the first chain. */
const omitChain = ({ stages: _, sampler: __, set: ___, ...rest }: Options): Options => rest;

const report = (message: string): void => say(`error: ${visible(message)}\n`);

const MAKE_ROOM = "/clear begins again, /undo takes the last turn back, --ctx-size makes more room";

const factsLine = (s: GenerationStats): string =>
  [
    `${s.promptTokens} tokens of prompt, ${s.computedPromptTokens} computed`,
    `${s.generatedTokens} tokens, ${endText(s)}`,
    `${s.tokensPerSecond.toFixed(0)} tokens/s`,
  ].join(" | ");
