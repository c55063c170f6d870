/**
 * Formats as languages, judged by the cases of the JSON Schema Test Suite (test/grammars/formats.json: the texts of
 * `tests/draft2020-12/optional/format` at github.com/json-schema-org/JSON-Schema-Test-Suite, MIT) and by ajv-formats.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { Regular } from "../../runtime/grammars/regular/regular.js";
import { FORMATS, formatItem, isExactFormat } from "../../runtime/grammars/strings/formats.js";
import { sampled } from "./sampled.js";
import { randomIntegers } from "./walk.js";

type Case = readonly [description: string, text: string, isValid: boolean];
const SUITE = JSON.parse(readFileSync("test/grammars/formats.json", "utf8")) as Readonly<
  Record<string, readonly Case[]>
>;

const regular = new Regular();
const nodeOf = (format: string) => regular.of(formatItem(format)!);
const accepts = (format: string, text: string): boolean => regular.matches(nodeOf(format), text);

/** What ajv-formats says; undefined if it does not know the format. */
function isValid(format: string, text: string): boolean | undefined {
  const known = (fullFormats as Readonly<Record<string, unknown>>)[format];
  const check = (Object(known) as { readonly validate?: unknown }).validate ?? known;
  if (check instanceof RegExp) return check.test(text);
  return typeof check === "function" ? (check as (text: string) => boolean)(text) : undefined;
}

/** Cases that are decided otherwise than in the suite, as the sources of the formats say. */
const OTHERWISE: Readonly<Record<string, (one: Case) => boolean>> = {
  // any text
  regex: ([, , isRight]) => !isRight,
  // quoted texts and address literals
  email: ([, text, isRight]) => isRight && /^"|@\[/.test(text),
  "idn-email": ([, text]) => text.startsWith('"'),
  // Punycode that decodes to no label, or to none that is allowed
  hostname: ([, text, isRight]) => /^xn--/i.test(text) && !isRight,
  "idn-hostname": ([, text, isRight]) => /^xn--/i.test(text) && text !== "xn--example-" && !isRight,
  // dots in names, and apostrophes
  "uri-template": ([, text, isRight]) => isRight && /'|\{[^}]+\./.test(text),
};

test.each(Object.keys(SUITE))("the suite's cases of %s", (format) => {
  const isOtherwise = OTHERWISE[format] ?? (() => false);
  for (const one of SUITE[format]!) {
    const [description, text, isRight] = one;
    const expected = isOtherwise(one) ? !isRight : isRight;
    expect({ description, text, accepts: accepts(format, text) }).toEqual({ description, text, accepts: expected });
  }
});

/** Values that people and programs write. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  date: ["2024-02-29", "2000-02-29", "1999-12-31", "0001-01-01"],
  time: ["12:00:00Z", "23:59:60Z", "08:30:06.283185+01:00", "00:29:60+00:30", "18:59:60-05:00"],
  "date-time": ["2024-02-29T12:00:00Z", "1985-04-12t23:20:50.52z", "1996-12-19T16:39:57-08:00", "1998-12-31T23:59:60Z"],
  duration: ["P3Y6M4DT12H30M5S", "P1Y", "PT36H", "P4W", "P1DT12H", "PT0S", "P23DT23H", "P1M"],
  email: ["a@b.co", "first.last+tag@sub.example.org", "o'brien_1@xn--bcher-kva.example"],
  "idn-email": ["실례@실례.테스트", "a@b.co", "müller@bücher.example"],
  hostname: ["localhost", "example.org", "a.b-c.d1.example", "1.2.3.4", "xn--bcher-kva.example"],
  "idn-hostname": ["bücher.example", "例え.テスト", "пример.рф", "שלום.example", "می‌خواهم.example", "Example.org"],
  ipv4: ["0.0.0.0", "192.168.1.255"],
  ipv6: ["::", "::1", "fe80::1", "2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1:2:3:4:5:6:7::"],
  uri: [
    "https://user:pw@a.b.c.d.example.org:8443/p/a/t/h/?query=a%20b&x[]=1#frag/ment?".replace("[]", "%5B%5D"),
    ...[
      "mailto:a@b.co",
      "urn:isbn:0451450523",
      "tel:+1-816-555-1212",
      "file:///etc/hosts",
      "http://[2001:db8::7]/c=GB?x",
    ],
    ...["data:text/plain;base64,SGVsbG8=", "ftp://ftp.is.co.za/rfc/rfc1808.txt", "https://example.org"],
  ],
  "uri-reference": ["", "#a", "?q=1", "../a/b", "/a/b", "//host/x", "a:b", "./a:b", "https://example.org/x?y#z"],
  iri: ["https://例え.テスト/パス?q=ü#ö", "http://example.org/"],
  "iri-reference": ["../ü", "#α", "https://bücher.example/"],
  "uri-template": ["https://example.org/{user}/repos{?page,per_page}", "/{+path:3}/x{/list*}", "{#a}"],
  uuid: [
    "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
    "00000000-0000-0000-0000-000000000000",
    "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
  ],
  "json-pointer": ["", "/", "/a~0b/~1/0", "/ü/\n"],
  "relative-json-pointer": ["0", "1/a", "2#", "0/~0"],
  regex: ["^a+$", "(?<=x)y"],
};

test.each(Object.keys(FORMATS))("usual values of %s can be written", (format) => {
  const texts = USUAL[format]!;
  expect(texts.filter((text) => !accepts(format, text))).toEqual([]);
  expect(texts.filter((text) => isValid(format, text) === false)).toEqual([]);
});

/** What ajv-formats accepts beyond the definition. */
const MORE: Readonly<Record<string, RegExp>> = {
  // zones without a colon or minutes
  time: /[+-]\d\d(?:\d\d)?$/,
  "date-time": /[+-]\d\d(?:\d\d)?$|\s/,
  // parts of which one between is missing
  duration: /Y\d+D|H\d+S|^P.*T$|[Yy]\d+W/,
  email: /^/,
  hostname: /\.$/,
  uuid: /^urn:/,
  // a colon in the first part, one slash before an authority, quotation marks
  uri: /^/,
  "uri-reference": /^/,
  "uri-template": /^/,
  regex: /^/,
};

/** Their classes have thousands of ranges, which derivatives are slow with. */
const WIDE = ["idn-email", "idn-hostname"];

test.each(Object.keys(FORMATS).filter((format) => !WIDE.includes(format)))(
  "random values of %s are valid, and with an edit as valid as they are",
  (format) => {
    const random = randomIntegers(11);
    const node = nodeOf(format);
    const alphabet = [...new Set(USUAL[format]!.flatMap((text) => Array.from(text)))];
    const counts = { valid: 0, edited: 0 };
    for (let i = 0; i < 200; i++) {
      const text = i % 4 === 0 ? USUAL[format]![random(USUAL[format]!.length)]! : sampled(regular, node, random, 60);
      if (text === undefined) continue;
      expect({ text, accepts: regular.matches(node, text) }).toEqual({ text, accepts: true });
      if (format !== "regex") expect({ text, isValid: isValid(format, text) ?? true }).toEqual({ text, isValid: true });
      counts.valid++;
      for (let n = 0; n < 5; n++) {
        const characters = Array.from(text);
        const at = random(characters.length + 1);
        characters.splice(at, random(2), ...(random(3) > 0 ? [alphabet[random(alphabet.length)]!] : []));
        const edited = characters.join("");
        const judge = isValid(format, edited);
        if (judge === undefined || format === "regex") continue;
        const own = regular.matches(node, edited);
        if (own !== judge && !own && MORE[format]?.test(edited)) continue;
        expect({ edited, accepts: own }).toEqual({ edited, accepts: judge });
        counts.edited++;
      }
    }
    expect(counts.valid).toBeGreaterThan(50);
  },
);

test("formats of which more is valid elsewhere are not exact", () => {
  const exact = Object.keys(FORMATS).filter(isExactFormat);
  expect(exact).toEqual(["date", "ipv4", "ipv6", "json-pointer"]);
  expect(exact.filter((format) => MORE[format] ?? OTHERWISE[format])).toEqual([]);
  expect(isExactFormat("toString")).toBe(false);
});

test("a name that is not known says nothing", () => {
  expect(["password", "int32", "toString", ""].map(formatItem)).toEqual([undefined, undefined, undefined, undefined]);
});
