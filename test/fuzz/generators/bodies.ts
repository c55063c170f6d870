/**
 * Bodies of requests as a server reads them, of all its APIs: deep and wide JSON, odd names, and fields of wrong kinds. Each is read or
 * refused, and in no time.
 */
import * as fc from "fast-check";
import type { BodyApi } from "../../../server/apis/api.js";
import { BODY_APIS } from "../../../server/apis/index.js";
import { readBody } from "../../../server/apis/read.js";
import { readJson } from "../../../server/http/json.js";
import { headerNames } from "../../../server/http/headers.js";
import { checkFields, tidyBody } from "../../../server/request/check.js";
import { readConversation } from "../../../server/request/conversation.js";
import { FIELDS, type Endpoint } from "../../../server/request/fields.js";
import { FORMS, PATHS } from "../../../server/request/forms.js";
import { apiBodies } from "./apiBodies.js";
import { Refusal } from "../../../server/refusal.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorterTexts } from "../core/shrink.js";

interface Case {
  readonly text: string;
  /** An endpoint of the server's own form, or the path of an API. */
  readonly endpoint: string;
  readonly isLenient: boolean;
}

const APIS: ReadonlyMap<string, BodyApi> = new Map(
  BODY_APIS.flatMap((api) => (api.translate ? [[api.form.path, api] as const] : [])),
);
const NAMES = [
  ...new Set([...Object.keys(FIELDS), ...[...APIS.values()].flatMap(({ form }) => Object.keys(form.fields))]),
  ...["role", "content", "tool_calls", "function", "arguments", "type", "parameters"],
];
const ODD = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "\0",
  "字",
  "\ud800",
  "a\r\nb",
  "x".repeat(1000),
  "y".repeat(1100),
];
const COUNTS = [1, 100, 191, 192, 200, 5000, 100_000] as const;

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 100 }) },
);

/** JSON that is large in one way. */
const sized = fc
  .tuple(
    fc.constantFrom<(n: number) => string>(
      (n) => "[".repeat(n) + "]".repeat(n),
      (n) => `${'{"a":'.repeat(n)}1${"}".repeat(n)}`,
      (n) => `[${"0,".repeat(n)}0]`,
      (n) => `[${"{},".repeat(n)}[]]`,
      (n) => `{${Array.from({ length: n }, (_, i) => `"k${i}":${i}`).join()}}`,
      (n) => `{${Array.from({ length: n }, () => '"same":[]').join()}}`,
      (n) => JSON.stringify("\\u0000\\ud800\\".repeat(n)),
      (n) => JSON.stringify(JSON.stringify({ a: "x".repeat(n) })),
      (n) => JSON.stringify(Array.from({ length: n }, () => ({ role: "user", content: "Hi" }))),
      (n) => JSON.stringify([{ role: "assistant", tool_calls: Array.from({ length: n }, (_, i) => ({ id: `${i}` })) }]),
      (n) => "9".repeat(n),
      (n) => `${" ".repeat(n)}null`,
    ),
    fc.constantFrom(...COUNTS),
  )
  .map(([make, n]) => make(n).slice(0, 2 ** 20 - 2000));

const value = fc.oneof(
  { weight: 3, arbitrary: sized },
  { weight: 3, arbitrary: fc.json({ maxDepth: 6 }) },
  { weight: 2, arbitrary: fc.dictionary(name, fc.jsonValue()).map((object) => JSON.stringify(object)) },
  { weight: 1, arbitrary: fc.constantFrom("null", "1e999", "-0", '"', "{", "tru", '{"a":1,}', "[1 2]", '"\\u12"') },
);

const body = fc
  .array(fc.tuple(name, value), { maxLength: 5 })
  .map((members) => `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join()}}`);

const wild = fc.record({
  text: fc.oneof({ weight: 5, arbitrary: body }, { weight: 1, arbitrary: value }),
  endpoint: fc.constantFrom(...Object.keys(PATHS), ...APIS.keys()),
  isLenient: fc.boolean(),
});
const near = fc
  .tuple(apiBodies, fc.boolean())
  .map(([[path, text], isLenient]) => ({ text, endpoint: APIS.has(path) ? path : "chat", isLenient }));

/** Reads a body as its route does; gives the names of what is ignored. */
async function read({ text, endpoint, isLenient }: Case): Promise<readonly string[]> {
  const sent = readJson(text);
  const api = APIS.get(endpoint);
  const names: string[] = [];
  if (api) {
    await readBody(api, sent, { isLenient, ignored: names, pause: () => Promise.resolve() });
    return names;
  }
  const form = FORMS[endpoint as Endpoint];
  const { body: done, ignored } = checkFields(form, sent, isLenient);
  const tidy = tidyBody(form.schema, done, isLenient, ignored) as Readonly<Record<string, unknown>>;
  if (endpoint === "chat" && Array.isArray(tidy["messages"])) readConversation(tidy);
  return ignored;
}

export const bodies = defineGenerator<Case>({
  name: "bodies",
  doc: "bodies of requests of all APIs: deep, wide and odd JSON, names of members, fields of wrong kinds",
  cases: fc.oneof({ weight: 2, arbitrary: wild }, { weight: 1, arbitrary: near }),
  async run(c) {
    try {
      const names = headerNames(await read(c));
      if (names.length > 1100 || /[^\x20-\x7e]/.test(names)) throw new Wrong(`the header ${JSON.stringify(names)}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, body: answer } = error;
      if (status >= 500) throw new Wrong(`${status}: ${error.message}`);
      if (JSON.stringify(answer).length > 2 ** 14) throw new Wrong("a long refusal");
    }
  },
  *smaller(c) {
    for (const text of shorterTexts(c.text)) yield { ...c, text };
  },
  show: ({ text }) => ({ ending: "json", text }),
});
