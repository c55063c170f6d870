/** What the model says of a place in the text: it is asked once for each, and answers later. */
import type { Models, Seen } from "../model/types.js";
import { notify } from "../notices.js";
import type { ChosenPlace } from "./text.js";

interface Asking {
  /** What the model said last, of this place or of an earlier one. Throws what it refuses. */
  seenAt(place: ChosenPlace | undefined): Seen | undefined;
  said(): Seen | undefined;
  /** The place of which it was said. */
  shown(): ChosenPlace | undefined;
  /** Why the model says nothing now. */
  refusal(): Error | undefined;
  /** The model is another. */
  forget(): void;
}

/** @param onAnswer called when the model has said something else */
export function newAsking(models: Models, onAnswer: () => void): Asking {
  /** What was last asked. */
  let asked = "";
  let said: Seen | undefined;
  let refusal: Error | undefined;
  let shown: ChosenPlace | undefined;
  let asking: AbortController | undefined;

  function ask(place: ChosenPlace): void {
    const key = JSON.stringify(place);
    if (asked === key) return;
    asked = key;
    asking?.abort();
    asking = new AbortController();
    const answered = (keep: () => void): void => {
      if (asked !== key) return;
      keep();
      onAnswer();
    };
    models
      .at(place.before, asking.signal)
      .then(
        (seen) => answered(() => ([said, shown, refusal] = [seen, place, undefined])),
        (error: unknown) => answered(() => (refusal = error as Error)),
      )
      .catch(notify);
  }

  return {
    seenAt(place) {
      if (place && models.isReady()) ask(place);
      // without any place, logits that need no model are shown instead
      if (refusal && said) throw refusal;
      return said;
    },
    said: () => said,
    shown: () => shown,
    refusal: () => refusal,
    forget: () => ([said, refusal, asked] = [undefined, undefined, ""]),
  };
}
