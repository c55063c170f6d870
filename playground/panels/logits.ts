/** The panel that chooses the logits. */
import type { PickPoint } from "../engine/messages.js";
import { models } from "../model/source.js";
import { logitsOf, type LogitSource } from "../state/source.js";
import { readVocabulary } from "../state/tokenList.js";
import { newAsking } from "./asking.js";
import { openLogitFields } from "./logitFields.js";
import type { ChosenPlace } from "./text.js";

interface LogitsPanel {
  /** Where the chain picks. Throws `InputError` for an invalid list, and what the model refuses. */
  place(): PickPoint;
  /** The texts of the tokens: of the field, or of the model. Throws `InputError`. */
  vocabulary(): readonly string[] | undefined;
  /** The field with the texts. */
  texts(): string;
  /** Whether the logits are those of a place in the text: `waiting` for the model, a shape takes their place. */
  isText(): boolean | "waiting";
  /** The place of the text whose logits `place` gives: the last one of which the model has told. */
  shown(): ChosenPlace | undefined;
  source(): LogitSource;
  set(source: LogitSource, texts: string): void;
  /** Texts of tokens by id if the logits are the model's, else empty. */
  textsOf(tokens: Int32Array): ReadonlyMap<number, string>;
  /** Discards the logits of the old model after another one is loaded. */
  forgetModel(): void;
}

/** Before the model is there: logits like those of a language. */
const standIn = (): PickPoint => ({
  logits: logitsOf({ kind: "shape", shape: "zipf", size: 500 }),
  history: [],
  picked: [],
});

/** @param chosen the chosen place of the text, if there is one @param prompt the text's beginning */
export function openLogits(
  host: HTMLElement,
  chosen: () => ChosenPlace | undefined,
  prompt: () => string,
  onChange: () => void,
): LogitsPanel {
  const fields = openLogitFields(host, onChange);
  const { isModel } = fields;
  const asking = models && newAsking(models, onChange);
  /** What the model said, while its logits are shown. */
  const said = () => (isModel() ? asking?.said() : undefined);
  const source = (): LogitSource => fields.source(prompt);
  const reporting = <T>(read: () => T): T => {
    try {
      const value = read();
      fields.complain((isModel() && asking?.refusal()?.message) || "");
      return value;
    } catch (error) {
      fields.complain((error as Error).message);
      throw error;
    }
  };
  return {
    source,
    shown: () => asking?.shown(),
    isText: () => isModel() && (said() === undefined ? "waiting" : true),
    place: () =>
      reporting(() => {
        const from = source();
        if (from.kind === "model") return asking?.seenAt(chosen())?.place ?? standIn();
        return { logits: logitsOf(from), history: fields.history(), picked: [] };
      }),
    textsOf: (tokens) => said()?.textsOf(tokens) ?? new Map(),
    forgetModel() {
      asking?.forget();
      if (isModel()) onChange();
    },
    texts: () => fields.texts(),
    vocabulary: () => reporting(() => readVocabulary(fields.texts()) ?? said()?.texts),
    set: (given, texts) => fields.set(given, texts),
  };
}
