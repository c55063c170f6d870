/** Texts of two chains with the same prompt and seed, side by side: the program's, and one to compare with. */
import { debounced, h } from "../dom.js";
import type { ParamValues, ProgramRef, SpecReply } from "../engine/messages.js";
import { models } from "../model/source.js";
import type { TextSoFar, Writer, WrittenText } from "../model/types.js";
import { openTokens, probabilityLegend, visible } from "./tokens.js";

interface TextPanel {
  /** Writes again soon, if that costs nothing but this machine's time. */
  changed(): void;
  /** Writes again, at the user's wish. */
  write(): void;
  /** Shows a field for the prompt of each of the chain's guides. */
  showGuides(names: readonly string[]): void;
  prompt(): string;
  against(): string;
  set(values: { readonly prompt?: string; readonly against?: string }): void;
  /** The chosen place; undefined without a model. */
  place(): ChosenPlace | undefined;
}

export type Side = 0 | 1;

/** A token of one of the texts: its index, and the text before it. */
export interface ChosenPlace {
  readonly side: Side;
  readonly at: number;
  readonly before: TextSoFar;
}

export interface TextOptions {
  /** The program's chain; undefined while it has errors. */
  program(): { readonly request: ProgramRef; readonly uniforms: ParamValues } | undefined;
  seed(): number;
  specOf(request: ProgramRef): Promise<SpecReply>;
  /** Called when another place is chosen, and when the text before the chosen one is another. */
  onPlace(): void;
  /** Called when the model is replaced or unloaded. */
  onModel(): void;
}

const MAX_TOKENS = 400;
const PAUSE = 250;
const NO_MODEL: TextPanel = {
  changed: () => undefined,
  write: () => undefined,
  showGuides: () => undefined,
  prompt: () => "",
  against: () => "",
  set: () => undefined,
  place: () => undefined,
};

export function openText(host: HTMLElement, courseHost: HTMLElement, options: TextOptions): TextPanel {
  const source = models;
  if (!source) {
    const say = (textContent: string): HTMLElement => h("p", { className: "hint", textContent });
    host.replaceChildren(
      say("This build of the page has no model module, so there is no text to show."),
      say("To build one: npm run build:wasm -- --llama, then npm run build:playground."),
    );
    return NO_MODEL;
  }
  const prompt = h("input", { type: "text", value: "Now the king", "aria-label": "Prompt" });
  const count = h("input", { type: "number", value: "48", min: "1", max: String(MAX_TOKENS), "aria-label": "Tokens" });
  const against = h("input", { type: "text", value: "top_k(40) |> temp(0.8) |> dist", spellcheck: false });
  against.setAttribute("aria-label", "Stages to compare with");
  const go = h("button", { type: "button", textContent: "Write" });
  const stop = h("button", { type: "button", textContent: "Stop", disabled: true });
  const file = h("input", { type: "file", accept: ".gguf", "aria-label": "Another model, a GGUF file" });
  const guides = new Map<string, HTMLInputElement>();
  const guideRows = h("div", { className: "guides" });
  let guideNames: readonly string[] = [];
  const status = h("p", { className: "status", role: "status" });
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Loading the model" });
  const partingLine = h("p", { className: "hint parting-line" });
  let chosen: { readonly side: Side; readonly at: number } = { side: 0, at: 0 };
  const sides = [
    openTokens("your program", h("h3", { textContent: "your program" }), (at) => choose(0, at)),
    openTokens("the chain to compare with", h("h3", {}, "compared with ", against), (at) => choose(1, at)),
  ] as const;
  host.replaceChildren(
    h(
      "div",
      { className: "bar text-bar" },
      h("label", {}, "prompt ", prompt),
      h("label", {}, "tokens ", count),
      go,
      stop,
    ),
    guideRows,
    progress,
    h("div", { className: "sides" }, ...sides.map(({ element }) => element)),
    h("div", { className: "bar under-text" }, probabilityLegend(source.probabilities), partingLine),
    h(
      "div",
      { className: "bar under-text" },
      status,
      ...(source.openFile
        ? [h("details", {}, h("summary", { textContent: "another model" }), h("label", {}, "GGUF file ", file))]
        : []),
    ),
  );
  courseHost.replaceChildren(...sides.map(({ course }) => course));

  const say = (message: string, isFault = false): void => {
    status.textContent = message;
    status.classList.toggle("fault", isFault);
  };
  const fail = (error: unknown): void => {
    progress.hidden = true;
    say((error as Error).message, true);
  };

  function choose(side: Side, at: number): void {
    chosen = { side, at };
    mark();
    options.onPlace();
  }
  function mark(): void {
    sides.forEach((tokens, side) => tokens.choose(side === chosen.side ? chosen.at : undefined));
  }
  function compare(): void {
    const [a, b] = sides.map(({ tokens }) => tokens) as [(typeof sides)[0]["tokens"], (typeof sides)[0]["tokens"]];
    const length = Math.min(a.length, b.length);
    const found = a.findIndex((token, i) => i < length && token.text !== b[i]!.text);
    const at = found < 0 ? undefined : found;
    for (const tokens of sides) tokens.part(at ?? (length === 0 ? 0 : undefined));
    partingLine.textContent =
      length === 0
        ? ""
        : at === undefined
          ? `Both texts are the same for ${length} tokens.`
          : `The same for ${at} tokens, then they part: “${visible(a[at]!.text)}” here, “${visible(b[at]!.text)}” there.`;
  }

  /** A field keeps its text when its guide disappears from the program for a while. */
  function guideField(name: string): HTMLInputElement {
    const known =
      guides.get(name) ?? h("input", { type: "text", value: "In the beginning", onchange: () => changed() });
    known.setAttribute("aria-label", `Prompt of the guide ${name}`);
    guides.set(name, known);
    return known;
  }

  // ---------------------------------------------------------------- writing

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
    const generation = writer.write({ ...task, guidePrompt: (name) => guideField(name).value });
    running = generation;
    const tokens = sides[side];
    tokens.begin(task.prompt, task.maxTokens);
    for await (const token of generation) {
      if (!isPresent()) return false;
      tokens.add(token);
    }
    if (!isPresent()) return false;
    const { finish, generatedTokens, tokensPerSecond } = await generation.end;
    tokens.end(`${generatedTokens} tokens, ${endOf(finish)}, ${Math.round(tokensPerSecond)} tokens/s`);
    if (chosen.side === side) chosen = { side, at: Math.max(0, Math.min(chosen.at, tokens.tokens.length - 1)) };
    mark();
    compare();
    options.onPlace();
    return finish !== "cancelled";
  }

  async function writeBoth(): Promise<void> {
    isDue = false;
    const program = options.program();
    if (!program) return say("The program has errors: fix them first.");
    const maxTokens = Number(count.value);
    if (!Number.isInteger(maxTokens) || maxTokens < 1 || maxTokens > MAX_TOKENS)
      return fail(new Error(`tokens: expected an integer from 1 to ${MAX_TOKENS}, found ${count.value || "nothing"}`));
    const own = ++latest;
    const isPresent = (): boolean => own === latest;
    running?.cancel();
    running = undefined;
    [go.disabled, stop.disabled] = [true, false];
    try {
      const ours = await options.specOf(program.request);
      const stages: ProgramRef = { kind: "pipeline", text: against.value, statics: {}, seed: options.seed() };
      const other = await options.specOf(stages);
      const writer = await source!.open();
      progress.hidden = true;
      if (!isPresent()) return;
      if (stopped === own) return say("stopped before the first token");
      const task = { prompt: prompt.value, maxTokens };
      say(`${writer.name} writes; seed ${options.seed()} where a chain leaves it open`);
      // its logits come before the text, which takes longer
      if (chosen.at === 0) options.onPlace();
      const isWhole = await write(0, writer, { ...ours, ...program, ...task }, isPresent);
      const key = JSON.stringify([writer.name, stages, task]);
      if (!isPresent() || !isWhole || stopped === own || key === otherKey) return;
      otherKey = undefined;
      if (await write(1, writer, { ...other, request: stages, uniforms: {}, ...task }, isPresent)) otherKey = key;
    } catch (error) {
      if (isPresent()) fail(error);
    } finally {
      if (isPresent()) {
        running = undefined;
        [go.disabled, stop.disabled] = [false, true];
      }
    }
  }

  function showProgress(part: number): void {
    progress.hidden = part >= 1;
    progress.value = part;
    say(part < 1 ? `reading the model: ${Math.round(100 * part)} %` : "starting the model …");
  }

  source.watch?.(showProgress);
  const soon = debounced(() => isDue && void writeBoth(), PAUSE);
  const changed = (): void => {
    if (!source.isOwn && (latest > 0 || !source.isReady())) return;
    isDue = true;
    soon();
  };
  go.onclick = () => void writeBoth();
  for (const field of [prompt, against])
    field.onkeydown = ({ key }) => {
      if (key === "Enter") void writeBoth();
    };
  prompt.oninput = changed;
  against.onchange = changed;
  stop.onclick = () => {
    stopped = latest;
    running?.cancel();
  };
  file.onchange = () => {
    const chosenFile = file.files?.[0];
    if (!chosenFile) return;
    latest++;
    running?.cancel();
    otherKey = undefined;
    [go.disabled, stop.disabled] = [false, true];
    say(`loading "${chosenFile.name}" …`);
    source.openFile!(chosenFile)
      .then(
        (message) => {
          say(message);
          changed();
        },
        (error: unknown) => say(`${(error as Error).message}\nTexts are the demo model's again.`, true),
      )
      .finally(() => options.onModel());
  };
  return {
    changed,
    write: () => void writeBoth(),
    prompt: () => prompt.value,
    against: () => against.value,
    set(values) {
      if (values.prompt !== undefined) prompt.value = values.prompt;
      if (values.against !== undefined) against.value = values.against;
    },
    place() {
      const { side, at } = chosen;
      const tokens = sides[side].tokens.slice(0, at);
      if (tokens.length < at) return undefined;
      const names = side === 0 ? guideNames : [];
      return {
        side,
        at,
        before: {
          prompt: prompt.value,
          tokens,
          guides: Object.fromEntries(names.map((name) => [name, guideField(name).value])),
        },
      };
    },
    showGuides(names) {
      if (!source.takesGuides) return;
      guideNames = names;
      guideRows.replaceChildren(
        ...names.map((name) =>
          h("label", {}, `prompt of the guide `, h("code", { textContent: name }), " ", guideField(name)),
        ),
      );
    },
  };
}

interface Written extends SpecReply {
  readonly request: ProgramRef;
  readonly uniforms: ParamValues;
  readonly prompt: string;
  readonly maxTokens: number;
}

const ENDS: Readonly<Record<string, string>> = {
  end: "the model ended the text",
  maxTokens: "the requested number",
  context: "the context is full",
  cancelled: "stopped",
};
const endOf = (finish: string): string => ENDS[finish] ?? finish;
