/** Where the logits come from. */
import { InputError } from "../../runtime/errors.js";
import { h } from "../dom.js";
import { logitsOf, MAX_SIZE, MIN_SIZE, SHAPES, type LogitSource, type Shape } from "../state/source.js";

export interface LogitsPanel {
  /** Throws `InputError` for a list that is none. */
  logits(): Float32Array;
  /** Token ids of the text so far. Throws `InputError`. */
  history(): number[];
  source(): LogitSource;
  set(source: LogitSource): void;
}

const TITLES: Readonly<Record<Shape, string>> = {
  peaked: "peaked: one token far ahead",
  zipf: "Zipf: as words of a language",
  flat: "flat: hardly any difference",
};

/** Tokens of history at most. */
const MAX_HISTORY = 100_000;

export function openLogits(host: HTMLElement, onChange: () => void): LogitsPanel {
  const kind = h(
    "select",
    { onchange: () => changed(), "aria-label": "Logits from" },
    ...SHAPES.map((shape) => h("option", { value: shape, textContent: TITLES[shape] })),
    h("option", { value: "logits", textContent: "a list of logits" }),
    h("option", { value: "probs", textContent: "a list of probabilities" }),
  );
  kind.value = "zipf";
  const size = h("input", { type: "number", value: "500", step: "1", oninput: onChange });
  Object.assign(size, { min: String(MIN_SIZE), max: String(MAX_SIZE) });
  const sizeRow = h("label", {}, "tokens in the vocabulary ", size);
  const list = h("textarea", { rows: 4, spellcheck: false, placeholder: "0.4, 0.3, 0.2, 0.1", oninput: onChange });
  const listRow = h("label", { hidden: true }, "numbers, one for each token ", list);
  const past = h("input", { type: "text", placeholder: "none", oninput: onChange });
  const fault = h("p", { className: "fault", role: "alert" });
  host.replaceChildren(
    h("label", {}, "from ", kind),
    sizeRow,
    listRow,
    h("label", {}, "tokens so far ", past),
    fault,
  );

  const isList = (): boolean => kind.value === "logits" || kind.value === "probs";
  const arrange = (): void => {
    sizeRow.hidden = isList();
    listRow.hidden = !isList();
  };
  const changed = (): void => {
    arrange();
    onChange();
  };
  const source = (): LogitSource =>
    isList()
      ? { kind: "list", text: list.value, are: kind.value as "logits" | "probs" }
      : { kind: "shape", shape: kind.value as Shape, size: size.value === "" ? NaN : Number(size.value) };
  const reporting = <T>(read: () => T): T => {
    try {
      const value = read();
      fault.textContent = "";
      return value;
    } catch (error) {
      fault.textContent = (error as Error).message;
      throw error;
    }
  };
  return {
    source,
    logits: () => reporting(() => logitsOf(source())),
    history: () => reporting(() => readHistory(past.value)),
    set(given) {
      kind.value = given.kind === "list" ? given.are : given.shape;
      if (given.kind === "list") list.value = given.text;
      else size.value = String(given.size);
      arrange();
    },
  };
}

function readHistory(text: string): number[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== "");
  if (parts.length > MAX_HISTORY) throw new InputError(`at most ${MAX_HISTORY} tokens so far are allowed`);
  const bad = parts.findIndex((part) => !/^\d{1,8}$/.test(part));
  if (bad >= 0)
    throw new InputError(`"${parts[bad]!.slice(0, 40)}" among the tokens so far is no token id, an integer of 0 or more`);
  return parts.map(Number);
}
