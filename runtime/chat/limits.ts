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

export const exceeded = (limit: ChatLimit): InputError =>
  new InputError(`it needs more than ${CHAT_LIMITS[limit]} ${WHAT[limit]}`, { code: "LIMIT_EXCEEDED" });

/** Throws `InputError` (LIMIT_EXCEEDED). */
export function checkLimit(limit: ChatLimit, value: number): void {
  if (!(value <= CHAT_LIMITS[limit])) throw exceeded(limit);
}
