/** Host tails in the module's memory: llama.cpp's own CPU samplers. */
import type { Binding, TailResult, TailRows, NativeTail } from "../../native/binding.js";
import { nativeError, type Pointer } from "../instance.js";
import { checkInteger, Handle, type Handles, type Llama } from "./handle.js";

export function tailClass(llama: Llama, models: Handles): Binding["Tail"] {
  class Tail implements NativeTail {
    private readonly handle: Handle;

    constructor(at: Pointer) {
      this.handle = new Handle(this, "host tail", llama, at, (e, chain) => e.ggsl_tail_close(chain));
    }
    apply({ tokens, logits }: TailRows): TailResult {
      const { handle } = this;
      checkTokens(tokens);
      if (!(logits instanceof Float32Array)) throw nativeError("INVALID_ARGUMENT", "logits: expected a Float32Array");
      const words = llama
        .with(tokens, (from) =>
          llama.with(logits, (logitsAt) =>
            handle.ask((e, at) => e.ggsl_tail_apply(at, from, tokens.length, logitsAt, logits.length)),
          ),
        )
        .i32();
      const rows = (words.length - 1) / 3;
      const floats = new Float32Array(words.buffer, 4);
      return {
        tokens: words.slice(1, 1 + rows),
        logits: floats.slice(rows, 2 * rows),
        probs: floats.slice(2 * rows),
        selected: words[0]!,
      };
    }
    accept(token: number): void {
      checkInteger("token", token);
      this.handle.checked((e, at) => e.ggsl_tail_accept(at, token));
    }
    acceptPrompt(tokens: Int32Array): void {
      checkTokens(tokens);
      const { handle } = this;
      llama.with(tokens, (from) => handle.checked((e, at) => e.ggsl_tail_accept_prompt(at, from, tokens.length)));
    }
    reset(): void {
      this.handle.checked((e, at) => e.ggsl_tail_reset(at));
    }
    clone(): NativeTail {
      return new Tail(this.handle.checked((e, at) => e.ggsl_tail_clone(at)));
    }
    dispose(): void {
      this.handle.dispose();
    }
  }
  return class extends Tail {
    constructor(stages: readonly object[], model?: object) {
      // 0 for none
      let from: Pointer = 0;
      if (model !== undefined) {
        const handle = models.get(model);
        if (!handle) throw nativeError("INVALID_ARGUMENT", "model: expected a Model");
        from = handle.at;
      }
      tellStages(llama, stages);
      super(llama.checked((e) => e.ggsl_tail_open(from)));
    }
  };
}

function checkTokens(tokens: unknown): void {
  if (!(tokens instanceof Int32Array)) throw nativeError("INVALID_ARGUMENT", "tokens: expected an Int32Array");
}

// ---------------------------------------------------------------- stages

/** The maximum length of a list. */
const MAX_ENTRIES = 2 ** 20;
/** The maximum nesting of lists. */
const MAX_DEPTH = 2;

/** Passes the stages of the next chain to the module. */
function tellStages(llama: Llama, stages: readonly object[]): void {
  if (!Array.isArray(stages)) throw nativeError("INVALID_ARGUMENT", "stages: expected an array of objects");
  llama.call((e) => e.ggsl_stages_begin());
  for (const stage of stages as readonly unknown[]) {
    if (typeof stage !== "object" || stage === null) throw nativeError("INVALID_ARGUMENT", "stage: expected an object");
    const { name, ...parameters } = stage as Record<string, unknown>;
    if (typeof name !== "string") throw nativeError("INVALID_ARGUMENT", "stage: name: expected a string");
    tellText(llama, "ggsl_stage", name);
    for (const [key, value] of Object.entries(parameters)) {
      // undefined means absent
      if (value === undefined) continue;
      tellValue(llama, value, MAX_DEPTH);
      tellText(llama, "ggsl_parameter", key);
    }
  }
}

/** Passes a parameter: a number, a text, or lists of them. The samplers refuse other values. */
function tellValue(llama: Llama, value: unknown, depth: number): void {
  if (typeof value === "number") llama.checked((e) => e.ggsl_value_number(value));
  else if (typeof value === "string") tellText(llama, "ggsl_value_text", value);
  else if ((Array.isArray(value) || value instanceof Int32Array) && depth > 0) tellList(llama, value, depth);
  else tellText(llama, "ggsl_value_other", kindOf(value));
}

function tellList(llama: Llama, list: readonly unknown[] | Int32Array, depth: number): void {
  if (list.length > MAX_ENTRIES)
    throw nativeError("INVALID_ARGUMENT", `a list has ${list.length} entries, expected at most ${MAX_ENTRIES}`);
  for (const entry of list) tellValue(llama, entry, depth - 1);
  llama.checked((e) => e.ggsl_value_list(list.length));
}

const tellText = (
  llama: Llama,
  what: "ggsl_stage" | "ggsl_parameter" | "ggsl_value_text" | "ggsl_value_other",
  text: string,
) => llama.withText(text, (at, length) => llama.checked((e) => e[what](at, length)));

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return "a boolean";
  return Array.isArray(value) ? "a list in lists" : "something else";
}
