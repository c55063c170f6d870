/** Languages of strings, judged by a validator and by JSON.parse. */
import { expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { Regular } from "../../runtime/grammars/regular/regular.js";
import { FORMATS } from "../../runtime/grammars/strings/formats.js";
import { inJson, stringLanguage, type StringConstraints } from "../../runtime/grammars/strings/language.js";
import { ROOT, type Item } from "../../runtime/grammars/text/rules.js";
import { matcher, type Matcher } from "./matcher.js";
import { sampled } from "./sampled.js";
import { randomIntegers } from "./walk.js";

const matcherOf = (item: Item): Matcher => matcher(new Map([[ROOT, item]]));
const ajv = new Ajv2020({ strict: false, logger: false });
(addFormats as unknown as (of: Ajv2020) => void)(ajv);

/** One of the spellings of a text inside of quotes. */
function spelled(text: string, random: (below: number) => number): string {
  const short: Readonly<Record<string, string>> = {
    ...{ '"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" },
  };
  const unit = (one: string): string => {
    const digits = one.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${random(2) === 0 ? digits : digits.toUpperCase()}`;
  };
  return Array.from(text, (one) => {
    const forms = [one.split("").map(unit).join(""), ...(short[one] ? [short[one]] : [])];
    if (!/["\\]|[^ -\u{10ffff}]/u.test(one)) forms.push(one);
    return forms[random(forms.length)]!;
  }).join("");
}

const texts = fc.string({
  unit: fc.constantFrom(...'ab/"\\\n\0\x1f\x7fé\ud7ff\ue000\u2028😀\u{10ffff}'.split(/(?:)/u)),
  maxLength: 5,
});
const LANGUAGES: Readonly<Record<string, StringConstraints>> = {
  "any text": {},
  "some characters": { patterns: ['^[a/"\\\\\\n]*$'] },
  "wide characters": { patterns: ["^[é\\u2000-\\u{10ffff}]+$"] },
  "no quotes": { patterns: ['^[^"\\0]*$'] },
  lengths: { minLength: 2, maxLength: 3 },
  "not this one": { excluded: ["a", "", "\n/", "😀"] },
  "not others": { without: [stringLanguage({ patterns: ["[^a]"] })] },
};

test.each(Object.entries(LANGUAGES))("each spelling of a value is one in JSON: %s", (_, constraints) => {
  const item = stringLanguage(constraints);
  const [values, json] = [matcherOf(item), matcherOf(inJson(item))];
  const random = randomIntegers(3);
  fc.assert(
    fc.property(texts, (text) => {
      const written = spelled(text, random);
      expect(JSON.parse(`"${written}"`)).toBe(text);
      const matches = values.matches(text);
      expect({ written, matches: json.matches(written) }).toEqual({ written, matches });
      if (matches)
        expect({
          written,
          begins: json.begins(
            Array.from(written)
              .slice(0, random(written.length + 1))
              .join(""),
          ),
        }).toEqual({
          written,
          begins: true,
        });
    }),
    { numRuns: 150, seed: 5 },
  );
});

test.each(Object.entries(LANGUAGES))("what is accepted in JSON is JSON and a value: %s", (_, constraints) => {
  const item = stringLanguage(constraints);
  const [values, json] = [matcherOf(item), matcherOf(inJson(item))];
  const random = randomIntegers(4);
  const piece = fc.constantFrom(
    ...'ab"\\/nu\n\x1fé😀0dD8fF'.split(/(?:)/u),
    "\\u00",
    "\\ud83d",
    "\\uDe00",
    "\\ud800",
    "\\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), texts, (pieces, text) => {
      const written = random(2) === 0 ? pieces.join("") : spelled(text, random).replace(/.$/su, pieces[0] ?? "");
      let value: unknown;
      try {
        value = JSON.parse(`"${written}"`);
      } catch {
        value = undefined;
      }
      // a surrogate without its other half is no character
      const expected = typeof value === "string" && !/\p{Surrogate}/u.test(value) && values.matches(value);
      expect({ written, matches: json.matches(written) }).toEqual({ written, matches: expected });
    }),
    { numRuns: 300, seed: 6 },
  );
});

const CONSTRAINTS = {
  pattern: ["^[a-z]+$", "\\S", "^img-", "\\.json$", "[0-9]{2}", "^(?=.*\\d).*$", "^[^@]+@[^@]+$", "-"],
  format: ["date", "email", "uuid", "uri", "ipv4", "hostname", "duration", "not-known"],
  minLength: [0, 1, 4, 11],
  maxLength: [4, 10, 11, 40],
} as const;

test("constraints beside each other, in any order of keys: random values against a validator", () => {
  const random = randomIntegers(8);
  const counts = { valid: 0, invalid: 0 };
  for (let i = 0; i < 150; i++) {
    const keys = (Object.keys(CONSTRAINTS) as (keyof typeof CONSTRAINTS)[]).filter(() => random(2) === 0);
    keys.sort(() => random(3) - 1);
    const schema = Object.fromEntries(keys.map((key) => [key, CONSTRAINTS[key][random(CONSTRAINTS[key].length)]]));
    const { pattern, format, minLength, maxLength } = schema as Readonly<Record<string, never>>;
    const given: StringConstraints = {
      ...(pattern === undefined ? {} : { patterns: [pattern] }),
      ...(format === undefined ? {} : { formats: [format] }),
      ...(minLength === undefined ? {} : { minLength }),
      ...(maxLength === undefined ? {} : { maxLength }),
    };
    const validate = ajv.compile({ type: "string", ...schema });
    const regular = new Regular();
    const node = regular.of(stringLanguage(given));
    if (regular.isEmpty(node)) continue;
    // values of it, and of each of its parts, which may not be of the others
    const parts = [node, ...keys.map((key) => regular.of(stringLanguage({ ...given, ...without(key) })))];
    for (const part of parts) {
      const text = sampled(regular, part, random, 45);
      if (text === undefined) continue;
      const [isIn, isValid] = [regular.matches(node, text), validate(text)];
      counts[isIn ? "valid" : "invalid"]++;
      expect({ schema, text, isIn }).toEqual({ schema, text, isIn: isValid });
    }
  }
  expect(counts.valid).toBeGreaterThan(60);
  expect(counts.invalid).toBeGreaterThan(20);
});

const without = (key: string): StringConstraints => ({
  ...(key === "pattern" ? { patterns: [] } : key === "format" ? { formats: [] } : {}),
  ...(key === "minLength" ? { minLength: 0 } : key === "maxLength" ? { maxLength: Infinity } : {}),
});

test.each<readonly [StringConstraints, readonly string[], readonly string[]]>([
  [{ minLength: 2, maxLength: 4, patterns: ["^[a-z]+$"] }, ["ab", "abcd"], ["bloodlers", "a", "AB"]],
  [{ minLength: 1 }, ["two\nlines", '"\\', "\0"], [""]],
  [{ maxLength: 2 }, ["😀😀", ""], ["abc"]],
  [{ minLength: 10_000, maxLength: 16_384 }, ["a".repeat(10_000)], ["a".repeat(9_999), "a".repeat(16_385)]],
  [{ formats: ["email"], patterns: ["@example\\.org$"] }, ["a@example.org"], ["a@example.com", "@example.org"]],
  [
    { formats: ["uri", "unknown"], patterns: ["^https://"], maxLength: 22 },
    ["https://example.org"],
    ["http://a.b", "https://example.org/page"],
  ],
  [{ patterns: ["a", "b"], excluded: ["ab"] }, ["ba", "aab"], ["ab", "a"]],
  [{ patterns: ["^(?:a|b)$"], excluded: ["a", "b"] }, [], ["a", "b"]],
])("%j", (constraints, yes, no) => {
  const item = stringLanguage(constraints);
  const [values, json] = [matcherOf(item), matcherOf(inJson(item))];
  const inner = (text: string): string => JSON.stringify(text).slice(1, -1);
  expect([...yes, ...no].filter((text) => values.matches(text))).toEqual(yes);
  expect([...yes, ...no].filter((text) => json.matches(inner(text)))).toEqual(yes);
  expect(yes.filter((text) => !json.begins(inner(text)))).toEqual([]);
  expect(values.begins("")).toBe(yes.length > 0);
});

test("formats in JSON", () => {
  const date = matcherOf(inJson(stringLanguage({ formats: ["date-time"] })));
  expect(date.matches("2024-02-29T12:00:00\\u005a")).toBe(true);
  expect(date.begins("2023-02-29")).toBe(false);
  const uri = matcherOf(inJson(stringLanguage({ formats: ["uri"] })));
  expect([uri.matches("https:\\/\\/example.org\\/"), uri.matches("https://example.org/")]).toEqual([true, true]);
  expect(Object.values(FORMATS).every(({ source }) => source.length > 3)).toBe(true);
});
