/** Generated text of two chains with the same prompt and seed, side by side. */
import { h } from "../dom.js";
import type { ParamValues, SpecReply, SpecRequest } from "../engine/messages.js";
import { models } from "../model/source.js";
import type { Writer, WrittenText } from "../model/types.js";
import { openTokens, probabilityLegend } from "./tokens.js";

export interface TextPanel {
  /** Sets uniforms from the next token on. */
  setUniforms(values: ParamValues): void;
  /** Shows a field for the prompt of each of the chain's guides. */
  showGuides(names: readonly string[]): void;
}

export interface TextOptions {
  /** The program's chain; undefined while it has errors. */
  program(): { readonly request: SpecRequest; readonly uniforms: ParamValues } | undefined;
  seed(): number;
  specOf(request: SpecRequest): Promise<SpecReply>;
  /** Called when the model is replaced or unloaded. */
  onModel(): void;
}

const MAX_TOKENS = 400;

export function openText(host: HTMLElement, options: TextOptions): TextPanel {
  const source = models;
  if (!source) {
    const say = (textContent: string): HTMLElement => h("p", { className: "hint", textContent });
    host.replaceChildren(
      say("This build of the page has no model module, so there is no text to show."),
      say("To build one: npm run build:wasm -- --llama, then npm run build:playground."),
    );
    return { setUniforms: () => undefined, showGuides: () => undefined };
  }
  const prompt = h("input", { type: "text", value: "In the beginning", "aria-label": "Prompt" });
  const count = h("input", { type: "number", value: "48", min: "1", max: String(MAX_TOKENS), "aria-label": "Tokens" });
  const against = h("input", { type: "text", value: "top_k(40) |> temp(0.8) |> dist", spellcheck: false });
  against.setAttribute("aria-label", "Stages to compare with");
  const go = h("button", { type: "button", textContent: "Write" });
  const stop = h("button", { type: "button", textContent: "Stop", disabled: true });
  const file = h("input", { type: "file", accept: ".gguf", "aria-label": "Another model, a GGUF file" });
  const guides = new Map<string, HTMLInputElement>();
  const guideRows = h("div", { className: "guides" });
  const status = h("p", { className: "status", role: "status" });
  const sides = [openTokens("the program's chain"), openTokens("compared with")] as const;
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
    h("label", { className: "against" }, "compared with ", against),
    status,
    probabilityLegend(source.probabilities),
    h("div", { className: "sides" }, ...sides.map(({ element }) => element)),
    ...(source.openFile
      ? [h("details", {}, h("summary", { textContent: "another model" }), h("label", {}, "GGUF file ", file))]
      : []),
  );

  let running: { readonly side: number; readonly generation: WrittenText } | undefined;
  let isStopped = false;

  const fail = (error: unknown): void => {
    status.textContent = (error as Error).message;
    status.classList.add("fault");
  };
  const say = (message: string): void => {
    status.textContent = message;
    status.classList.remove("fault");
  };

  /** A field keeps its text when its guide disappears from the program for a while. */
  function guideField(name: string): HTMLInputElement {
    const known = guides.get(name) ?? h("input", { type: "text", value: "In the beginning" });
    known.setAttribute("aria-label", `Prompt of the guide ${name}`);
    guides.set(name, known);
    return known;
  }

  async function write(side: 0 | 1, writer: Writer, chain: Written, { text, maxTokens }: Task): Promise<void> {
    const guidePrompt = (name: string): string => guideField(name).value;
    const generation = writer.write({ ...chain, prompt: text, maxTokens, guidePrompt });
    running = { side, generation };
    const tokens = sides[side];
    for await (const token of generation) tokens.add(token);
    const { finish, generatedTokens, tokensPerSecond } = await generation.end;
    tokens.end(`${generatedTokens} tokens, ${endOf(finish)}, ${Math.round(tokensPerSecond)} tokens/s`);
  }

  async function writeBoth(): Promise<void> {
    const program = options.program();
    if (!program) return say("The program has errors: fix them first.");
    const maxTokens = Number(count.value);
    if (!Number.isInteger(maxTokens) || maxTokens < 1 || maxTokens > MAX_TOKENS)
      return fail(new Error(`tokens: expected an integer from 1 to ${MAX_TOKENS}, found ${count.value || "nothing"}`));
    isStopped = false;
    [go.disabled, stop.disabled] = [true, false];
    try {
      const ours = await options.specOf(program.request);
      const stages = { kind: "stages", stages: against.value, seed: options.seed() } as const;
      const other = await options.specOf(stages);
      say("loading the model …");
      const writer = await source!.open();
      const task = { text: prompt.value, maxTokens };
      // clears both sides, so that texts of different prompts are never compared
      for (const tokens of sides) tokens.begin(task.text, maxTokens);
      say(`${writer.name} writes; seed ${options.seed()} where a chain leaves it open`);
      await write(0, writer, { ...ours, request: program.request, uniforms: program.uniforms }, task);
      if (!isStopped) await write(1, writer, { ...other, request: stages, uniforms: {} }, task);
    } catch (error) {
      fail(error);
    } finally {
      running = undefined;
      [go.disabled, stop.disabled] = [false, true];
    }
  }

  go.onclick = () => void writeBoth();
  prompt.onkeydown = ({ key }) => {
    if (key === "Enter" && !go.disabled) void writeBoth();
  };
  stop.onclick = () => {
    isStopped = true;
    running?.generation.cancel();
  };
  file.onchange = () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    say(`loading "${chosen.name}" …`);
    source.openFile!(chosen)
      .then(say, fail)
      .finally(() => options.onModel());
  };
  return {
    showGuides(names) {
      if (!source.takesGuides) return;
      guideRows.replaceChildren(
        ...names.map((name) =>
          h("label", {}, `prompt of the guide `, h("code", { textContent: name }), " ", guideField(name)),
        ),
      );
    },
    setUniforms(values) {
      // a generation that has just ended does not need them
      if (running?.side === 0) running.generation.setUniforms?.(values).catch(() => undefined);
    },
  };
}

interface Written extends SpecReply {
  readonly request: SpecRequest;
  readonly uniforms: ParamValues;
}

interface Task {
  /** The prompt. */
  readonly text: string;
  readonly maxTokens: number;
}

const ENDS: Readonly<Record<string, string>> = {
  end: "the model ended the text",
  maxTokens: "the requested number",
  context: "the context is full",
  cancelled: "stopped",
};
const endOf = (finish: string): string => ENDS[finish] ?? finish;
