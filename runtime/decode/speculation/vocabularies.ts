/** Whether two models have the same tokens. */
import { InputError, translated } from "../../core/errors.js";
import type { NativeModel } from "../../backends/native/binding.js";

/** Pairs that were compared and are equal. */
const equal = new WeakMap<NativeModel, WeakSet<NativeModel>>();

/** Throws `InputError` (VOCABULARY_MISMATCH) unless each token is the same text in both models, and of the same class. */
export function checkSameVocabulary(model: NativeModel, draft: NativeModel): void {
  if (model === draft || equal.get(model)?.has(draft)) return;
  const [size, other] = [model, draft].map((one) => translated(() => one.info.vocabSize)) as [number, number];
  if (size !== other) throw differ(`the model has ${size} tokens, and the draft model ${other}`);
  const token = firstDifference(model, draft);
  if (token !== undefined) throw differ(`token ${token} is not the same text, or not of the same class, in both`);
  const others = equal.get(model) ?? new WeakSet();
  equal.set(model, others.add(draft));
}

const differ = (how: string): InputError =>
  new InputError(`the draft model has another vocabulary: ${how}; a draft model must have the tokens of the model`, {
    code: "VOCABULARY_MISMATCH",
  });

function firstDifference(a: NativeModel, b: NativeModel): number | undefined {
  const [texts, others] = [translated(() => a.texts()), translated(() => b.texts())];
  const [classes, otherClasses] = [translated(() => a.classes()), translated(() => b.classes())];
  for (let token = 0; token < classes.length; token++) {
    const [from, to] = [texts.offsets[token]!, texts.offsets[token + 1]!];
    const [otherFrom, otherTo] = [others.offsets[token]!, others.offsets[token + 1]!];
    if (to - from !== otherTo - otherFrom || classes[token] !== otherClasses[token]) return token;
    for (let i = 0; i < to - from; i++) if (texts.bytes[from + i] !== others.bytes[otherFrom + i]) return token;
  }
  return undefined;
}
