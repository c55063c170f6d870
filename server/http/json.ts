/** JSON of strangers: its size and shape are checked before it is read, so that nothing after it recurses or grows without bound. */
import { Refusal } from "../refusal.js";
import { most, REQUEST_LIMITS, type LimitName } from "./limits.js";

/** Fields whose objects have a member for a token. */
const OF_TOKENS: ReadonlySet<string> = new Set(["logit_bias", "sampler_inputs"]);

/** Fields with a conversation. */
const CONVERSATIONS: ReadonlySet<string> = new Set(["messages", "input"]);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A list or an object that is open. */
interface Open {
  readonly isObject: boolean;
  /** Commas so far. */
  commas: number;
  /** Whether a text that comes now is a name. */
  wantsName: boolean;
}

/**
 * Reads JSON. Throws a `Refusal`: `invalid_json` for a text that is none, `request_too_complex` for one that exceeds a limit of
 * `limits.ts`. It takes time and memory in proportion to the text.
 * @param field what the text is the value of; undefined: a body, whose members are the fields
 */
export function readJson(text: string, field?: string): unknown {
  checkShape(text, field);
  try {
    return JSON.parse(text);
  } catch (error) {
    const what = field === undefined ? "the body" : `\`${field}\``;
    throw new Refusal("invalid_json", `${what} is not JSON: ${(error as Error).message}`, {
      ...(field !== undefined && { param: field }),
    });
  }
}

/** Throws a `Refusal` for a text of JSON that exceeds a limit. One that is not JSON may pass. */
export function checkShape(text: string, field?: string): void {
  const stack: Open[] = [];
  let [values, at] = [1, field];
  /** Values before the present field of a body. */
  let before = 0;
  const exceeded = (name: LimitName): Refusal => tooComplex(name, at, field === undefined);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const top = stack.at(-1);
    if (code === QUOTE) {
      const end = textEnd(text, i);
      if (top?.wantsName) {
        top.wantsName = false;
        if (end - i - 2 > most("nameLength")) throw exceeded("nameLength");
        const name = nameIn(text.slice(i, end));
        if (name === "__proto__")
          throw new Refusal("invalid_json", "no member of a body can have the name `__proto__`");
        if (field === undefined && stack.length === 1) [at, before] = [name, values];
      }
      i = end - 1;
    } else if (code === LIST || code === OBJECT) {
      if (stack.length === most("depth")) throw exceeded("depth");
      const isObject = code === OBJECT;
      stack.push({ isObject, commas: 0, wantsName: isObject });
      values++;
    } else if (code === COMMA && top) {
      top.wantsName = top.isObject;
      values++;
      const limit = top.isObject ? (at !== undefined && OF_TOKENS.has(at) ? "tokenMembers" : "members") : "items";
      // there is one more than commas
      if (++top.commas >= most(limit)) throw exceeded(limit);
    } else if (code === LIST_END || code === OBJECT_END) stack.pop();
    if (values > most("values")) throw exceeded("values");
    if (at !== undefined && CONVERSATIONS.has(at) && values - before > most("messageValues"))
      throw exceeded("messageValues");
  }
}

/** The place after the text that begins at a quotation mark. */
function textEnd(text: string, from: number): number {
  for (let i = from + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code === BACKSLASH) i++;
  }
  return text.length;
}

/** A name as it is meant; as it is written, if it is broken. */
function nameIn(written: string): string {
  const plain = written.slice(1, -1);
  if (!plain.includes("\\")) return plain;
  try {
    return JSON.parse(written) as string;
  } catch {
    return plain;
  }
}

function tooComplex(name: LimitName, field: string | undefined, isBody: boolean): Refusal {
  const { counts } = REQUEST_LIMITS[name];
  const where = field === undefined ? "the body" : isBody ? `\`${field}\`` : `the JSON text of \`${field}\``;
  return new Refusal("request_too_complex", `${where} exceeds the limit of ${most(name)} ${counts}`, {
    ...(field !== undefined && { param: field }),
  });
}
