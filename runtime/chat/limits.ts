/** What rendering a template may cost: it comes with a model file, whoever made that. */
import { InputError } from "../core/errors.js";

export const CHAT_LIMITS = {
  /** Characters of a template. */
  source: 2 ** 18,
  /** Characters of whitespace in one place of a template: the lexer takes quadratic time for it. */
  blank: 1024,
  /** Characters of a text, such as the prompt. */
  text: 2 ** 22,
  /** Elements of a list. */
  list: 2 ** 17,
  /** Evaluations of a template's nodes; long texts and lists count for more than one. About two seconds at most, and 500 MB. */
  steps: 1e6,
  /** Nested evaluations, as of a macro that calls itself. */
  depth: 500,
  /** Spaces of indentation, and characters of a separator, in JSON. */
  indent: 16,
} as const;

/** Where conversations are rendered: small ones on the thread that asks, others on threads of their own, where there are such. */
export const CHAT_THREADS = {
  /** Characters of a template, and of a conversation as JSON, that are tried on the thread that asks. */
  hereCharacters: 2 ** 16,
  /** Steps of a try on the thread that asks: about 10 ms. */
  hereSteps: 25_000,
  /** Steps of a try on a thread that all lanes share: about 100 ms. */
  trySteps: 250_000,
  /** Milliseconds of a rendering on a thread: the steps end it before. */
  milliseconds: 10_000,
  /** Milliseconds that a lane counts as one with long conversations after it has had one. */
  lateMilliseconds: 60_000,
  /** Megabytes of the heap of a thread. */
  heapMegabytes: 512,
} as const;

type ChatLimit = keyof typeof CHAT_LIMITS;

const WHAT: Readonly<Record<ChatLimit, string>> = {
  source: "characters of a template",
  blank: "characters of whitespace in one place of a template",
  text: "characters of a text",
  list: "elements of a list",
  steps: "steps",
  depth: "nested evaluations",
  indent: "spaces of indentation",
};

const exceeded = (limit: ChatLimit): InputError =>
  new InputError(`it needs more than ${CHAT_LIMITS[limit]} ${WHAT[limit]}`, { code: "LIMIT_EXCEEDED" });

/** Throws `InputError` (LIMIT_EXCEEDED). */
export function checkLimit(limit: ChatLimit, value: number): void {
  if (!(value <= CHAT_LIMITS[limit])) throw exceeded(limit);
}

/** Says nothing of a template: it must be rendered where there are more steps, or a larger stack. */
export class NotHere extends Error {}

/** The steps that a rendering may still take. */
export class Budget {
  /** @param isFinal what needs more fails; else it is `NotHere` */
  constructor(
    private left: number = CHAT_LIMITS.steps,
    readonly isFinal = true,
  ) {}

  /** Throws `InputError` (LIMIT_EXCEEDED), or `NotHere`. */
  charge(steps: number): void {
    if ((this.left -= steps) < 0) throw this.isFinal ? exceeded("steps") : new NotHere();
  }
}
