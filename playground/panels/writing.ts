/** Writes both texts: the program's, and then the one to compare with, if that is not there yet. */
import { debounced } from "../dom.js";
import type { ParamValues, ProgramRef, SpecReply } from "../engine/messages.js";
import type { Models, Writer, WrittenText } from "../model/types.js";
import type { Guides } from "./guides.js";
import type { Side, Sides } from "./sides.js";
import { MAX_TOKENS, type TextFields } from "./textFields.js";

const PAUSE = 250;

/** What the program gives. */
export interface WritingOptions {
  /** The program's chain; undefined while it has errors. */
  program(): { readonly request: ProgramRef; readonly uniforms: ParamValues } | undefined;
  seed(): number;
  specOf(request: ProgramRef): Promise<SpecReply>;
  /** Called when another place is chosen, and when the text before the chosen one is another. */
  onPlace(): void;
}

interface Writing {
  writeBoth(): Promise<void>;
  /** Writes again soon, if that costs nothing but this machine's time. */
  changed(): void;
  /** At the user's wish. */
  stop(): void;
  /** The model is replaced: ends what it writes. */
  forget(): void;
}

export function newWriting(
  source: Models,
  fields: TextFields,
  guides: Guides,
  sides: Sides,
  options: WritingOptions,
): Writing {
  /** The present task; a later one ends it. */
  let latest = 0;
  let running: WrittenText | undefined;
  /** The last task that the user stopped. */
  let stopped = 0;
  /** Whether a change has not led to a text yet. */
  let isDue = false;
  /** What the text to compare with was written from, if it is whole. */
  let otherKey: string | undefined;

  async function write(side: Side, writer: Writer, task: Written, isPresent: () => boolean): Promise<boolean> {
    const generation = writer.write({ ...task, guidePrompt: guides.promptOf });
    running = generation;
    const tokens = sides.texts[side];
    tokens.begin(task.prompt, task.maxTokens);
    for await (const token of generation) {
      if (!isPresent()) return false;
      tokens.add(token);
    }
    if (!isPresent()) return false;
    const { finish, stoppedBy, generatedTokens, tokensPerSecond, rewinds } = await generation.end;
    const back = rewinds === undefined ? "" : `, taken back ${rewinds} ${rewinds === 1 ? "time" : "times"}`;
    tokens.end(
      `${generatedTokens} tokens, ${endOf(finish, stoppedBy)}, ${Math.round(tokensPerSecond)} tokens/s${back}`,
    );
    sides.settle(side);
    fields.partingLine.textContent = sides.part();
    options.onPlace();
    return finish !== "cancelled";
  }

  async function writeBoth(): Promise<void> {
    isDue = false;
    const program = options.program();
    if (!program) return fields.say("The program has errors: fix them first.");
    const maxTokens = Number(fields.count.value);
    if (!Number.isInteger(maxTokens) || maxTokens < 1 || maxTokens > MAX_TOKENS)
      return fields.fail(
        new Error(`tokens: expected an integer from 1 to ${MAX_TOKENS}, found ${fields.count.value || "nothing"}`),
      );
    const own = ++latest;
    const isPresent = (): boolean => own === latest;
    running?.cancel();
    running = undefined;
    fields.setRunning(true);
    try {
      const ours = await options.specOf(program.request);
      const stages: ProgramRef = { kind: "pipeline", text: fields.against.value, statics: {}, seed: options.seed() };
      const other = await options.specOf(stages);
      const writer = await source.open();
      fields.progress.hidden = true;
      if (!isPresent()) return;
      if (stopped === own) return fields.say("stopped before the first token");
      const bannedPhrases = fields.banned.value.split("\n").filter((phrase) => phrase !== "");
      const task = { prompt: fields.prompt.value, maxTokens, bannedPhrases };
      fields.say(`${writer.name} writes; seed ${options.seed()} where a chain leaves it open`);
      // its logits come before the text, which takes longer
      if (sides.chosen().at === 0) options.onPlace();
      const isWhole = await write(0, writer, { ...ours, ...program, ...task }, isPresent);
      const key = JSON.stringify([writer.name, stages, task]);
      if (!isPresent() || !isWhole || stopped === own || key === otherKey) return;
      otherKey = undefined;
      if (await write(1, writer, { ...other, request: stages, uniforms: {}, ...task }, isPresent)) otherKey = key;
    } catch (error) {
      if (isPresent()) fields.fail(error);
    } finally {
      if (isPresent()) {
        running = undefined;
        fields.setRunning(false);
      }
    }
  }

  const soon = debounced(() => isDue && void writeBoth(), PAUSE);
  return {
    writeBoth,
    changed() {
      if (!source.isOwn && (latest > 0 || !source.isReady())) return;
      isDue = true;
      soon();
    },
    stop() {
      stopped = latest;
      running?.cancel();
    },
    forget() {
      latest++;
      running?.cancel();
      otherKey = undefined;
      fields.setRunning(false);
    },
  };
}

interface Written extends SpecReply {
  readonly request: ProgramRef;
  readonly uniforms: ParamValues;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly bannedPhrases: readonly string[];
}

const ENDS: Readonly<Record<string, string>> = {
  end: "the model ended the text",
  maxTokens: "the requested number",
  context: "the context is full",
  cancelled: "stopped",
  rewinds: "it was taken back too often",
};
const endOf = (finish: string, stoppedBy: string | undefined): string =>
  stoppedBy === undefined ? (ENDS[finish] ?? finish) : `stop "${stoppedBy}" ended the text`;
