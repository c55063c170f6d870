/** `ggsl chat`: a conversation with a model, on a terminal or line by line from standard input. */
import type { Command } from "commander";
import type { ChatMessage } from "ggsl/chat/messages.js";
import type { Chain } from "ggsl/chain.js";
import type { GenerationStats } from "ggsl/generate.js";
import type { UniformValues } from "ggsl/sequence.js";
import { loadModel, type Model } from "ggsl/model.js";
import { loadChains, type ChainOptions } from "../chain.js";
import { advisedBy, reportBroken } from "../advice.js";
import { commandOf, HELP, type ChatCommand } from "../chat/commands.js";
import { openTurns } from "../chat/turns.js";
import { readTemplate, type ChatFlags } from "../chat/template.js";
import { addModelOptions, settingsOf, type ModelFlags } from "../modelOptions.js";
import { limitsOption, positive, rootOption, seedOption, setOption, stagesOption } from "../usage.js";

interface Options extends ChainOptions, ModelFlags, ChatFlags {
  readonly sampler?: string;
  readonly tokens?: number;
  readonly stats?: true;
}

export const addChat = (program: Command): Command =>
  addModelOptions(
    program
      .command("chat")
      .description("talk with an instruct model")
      .argument("<model>", "the model file (GGUF), with a chat template")
      .addOption(stagesOption())
      .option("--sampler <file>", "GGSL file, or a spec: *.graph.json (default: the sampling advice of the model file)")
      .option("--system <text>", "the system message")
      .option("--template <file>", "a Jinja chat template instead of the model's, or the name of one of the model's")
      .option("-n, --tokens <n>", "the maximum number of tokens of an answer", positive),
  )
    .addOption(seedOption())
    .addOption(setOption())
    .addOption(limitsOption())
    .addOption(rootOption())
    .option("--stats", "print statistics after each answer, on standard error")
    .action(chat);

async function chat(path: string, options: Options): Promise<void> {
  const given = isGiven(options) ? chainOf(options) : undefined;
  const template = readTemplate(options);
  using model = await loadModel(path, settingsOf(options));
  reportBroken(model);
  const session = new Session(model, given ?? adviceOf(model, options), { ...options, ...(template && { template }) });
  // a missing or broken template is reported before the first turn
  await session.check();
  const turns = openTurns(session.interrupt);
  try {
    for await (const line of turns) {
      const command = commandOf(line);
      if (command) session.run(command);
      else if (line.trim() !== "") await session.answer(line);
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

/** A conversation so far. */
class Session {
  private messages: ChatMessage[];
  private uniforms: UniformValues = {};
  private abort: AbortController | undefined;

  constructor(
    private readonly model: Model,
    private chain: Chain,
    private readonly options: Options,
  ) {
    this.messages = this.beginning();
  }

  /** Stops the answer; whether there was one. */
  readonly interrupt = (): boolean => {
    this.abort?.abort();
    return this.abort !== undefined;
  };

  async check(): Promise<void> {
    const messages = [...this.messages, { role: "user", content: "Hello" }];
    await this.model.renderChat(messages, { template: this.options.template });
  }

  async answer(content: string): Promise<void> {
    this.messages.push({ role: "user", content });
    const { template, tokens, ctxSize, strict } = this.options;
    this.abort = new AbortController();
    const { signal } = this.abort;
    let [answer, facts] = ["", ""];
    try {
      const generation = this.model.chat(this.messages, {
        ...{ chain: this.chain, uniforms: this.uniforms, template, signal },
        ...(tokens !== undefined && { maxTokens: tokens }),
        ...(ctxSize !== undefined && { contextSize: ctxSize }),
        ...(strict && { strict }),
      });
      for await (const { text } of generation) {
        answer += text;
        process.stdout.write(text);
      }
      facts = factsLine(generation.stats());
    } catch (error) {
      if (!signal.aborted) {
        // the turn can be given again, changed
        this.messages.pop();
        throw error;
      }
      process.stdout.write(" [stopped]");
    } finally {
      this.abort = undefined;
      if (answer !== "" || signal.aborted) process.stdout.write("\n");
      if (this.options.stats && facts !== "") process.stderr.write(`${facts}\n`);
    }
    this.messages.push({ role: "assistant", content: answer });
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
          this.chain = chainOf({ ...omitChain(this.options), sampler: command.file });
          this.uniforms = {};
        } catch (error) {
          report((error as Error).message);
        }
        return;
      case "unknown":
        return report(`${command.reason}: /help lists the commands`);
    }
  }

  private beginning(): ChatMessage[] {
    const { system } = this.options;
    return system === undefined ? [] : [{ role: "system", content: system }];
  }
}

/** Without what names the first chain. */
const omitChain = ({ stages: _, sampler: __, set: ___, ...rest }: Options): Options => rest;

const report = (message: string): void => void process.stderr.write(`error: ${message}\n`);

const factsLine = (s: GenerationStats): string =>
  [
    `${s.promptTokens} tokens of prompt, ${s.computedPromptTokens} of them computed`,
    `${s.generatedTokens} tokens, ended by ${s.finish}`,
    `${s.tokensPerSecond.toFixed(0)} tokens/s`,
  ].join(" | ");
