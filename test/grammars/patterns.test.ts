/** Regular expressions as items, compared with JavaScript's own. */
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { budgeted } from "../../runtime/grammars/budget.js";
import { isInexpressible } from "../../runtime/grammars/patterns/inexpressible.js";
import { containedPattern, wholePattern } from "../../runtime/grammars/patterns/pattern.js";
import { ROOT, type Item } from "../../runtime/grammars/text/rules.js";
import { thrownBy } from "../native/batches.js";
import { matcher, type Matcher } from "./matcher.js";

const matcherOf = (item: Item): Matcher => matcher(new Map([[ROOT, item]]));

/** Patterns by their parts: `looks` decides what looks around there are. */
const patterns = (looks: readonly string[]) =>
  fc.letrec<{ alternatives: string; sequence: string; term: string; atom: string }>((tie) => ({
    alternatives: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((all) => all.join("|")),
    sequence: fc.array(tie("term"), { minLength: 1, maxLength: 3 }).map((all) => all.join("")),
    term: fc.oneof(
      { maxDepth: 2, depthIdentifier: "parts" },
      {
        weight: 4,
        arbitrary: fc
          .tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}?", "*?"))
          .map((all) => all.join("")),
      },
      { weight: 1, arbitrary: fc.constantFrom("^", "$", "\\b", "\\B") },
      {
        weight: looks.length === 0 ? 0 : 1,
        arbitrary: fc
          .tuple(fc.constantFrom(...looks, "?:"), tie("alternatives"))
          .map(([look, inner]) => `(${look}${inner})`),
      },
    ),
    atom: fc.oneof(
      { maxDepth: 2, depthIdentifier: "parts" },
      {
        weight: 6,
        arbitrary: fc.constantFrom("a", "b", "-", "1", ".", "\\w", "\\W", "\\d", "\\s", "[ab]", "[^a]", "[^\\n-]", "é"),
      },
      { weight: 2, arbitrary: tie("alternatives").map((inner) => `(?:${inner})`) },
    ),
  })).alternatives;

const someText = fc.string({ unit: fc.constantFrom(...Array.from("aab-1\n é")), maxLength: 6 });

interface Compared {
  readonly compared: number;
  readonly refused: number;
}

/** Compares random patterns on random texts; counts those that are refused. */
function compare(pattern: fc.Arbitrary<string>, seed: number, runs: number): Compared {
  const counts = { compared: 0, refused: 0 };
  fc.assert(
    fc.property(pattern, fc.array(someText, { minLength: 12, maxLength: 12 }), (source, texts) => {
      for (const [item, regex] of [
        [() => containedPattern(source), new RegExp(source, "u")],
        [() => wholePattern(source), new RegExp(`^(?:${source})$`, "su")],
      ] as const) {
        let found: Item;
        try {
          found = budgeted("the pattern", item);
        } catch (error) {
          expect({ source, error: String(error) }).toEqual({
            source,
            error: expect.stringMatching(/exceeds a limit|inside of/) as unknown,
          });
          counts.refused++;
          continue;
        }
        counts.compared++;
        const judge = matcherOf(found);
        for (const text of texts)
          expect({ source, text, matches: judge.matches(text) }).toEqual({ source, text, matches: regex.test(text) });
      }
    }),
    { numRuns: runs, seed },
  );
  return counts;
}

test("random patterns with anchors and boundaries of words", () => {
  expect(compare(patterns([]), 1, 400).refused).toBeLessThan(20);
});

test("random patterns that look ahead and behind, also in repetitions", () => {
  expect(compare(patterns(["?=", "?!", "?<=", "?<!"]), 2, 400).refused).toBeLessThan(60);
});

/** Of each pattern: texts in which a match is, and texts without one. */
const CASES: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  ["\\S", ["a", " a ", "\n.\n"], ["", " ", "\n"]],
  ["^img-", ["img-", "img-1"], ["img", " img-"]],
  ["\\.json$", ["a.json", ".json"], ["a.json ", "json"]],
  ["^a|b$", ["a", "ax", "xb"], ["xa", "bx"]],
  ["(^a|b)c", ["ac", "xbc", "acx"], ["xac", "bx"]],
  ["(?:^|,)x", ["x", "a,x", "xa"], ["ax"]],
  ["(?:^|,)x(?:,|$)", ["x", "a,x", "x,a", "a,x,b"], ["xa", "ax", "a,xa"]],
  ["^.*$", ["", "ab"], ["a\nb"]],
  ["^[^]*$", ["", "a\nb\0"], []],
  ["^(?=.*[A-Z])(?=.*\\d).{8,}$", ["Abcdefg1", "1aaaaaaaaZ"], ["abcdefg1", "Abcdefgh", "Abc1"]],
  ["^(?!.*\\.\\.)[a-z.]+$", ["a.b", "."], ["a..b", ""]],
  ["^(?!-)[a-z-]{1,63}(?<!-)$", ["a", "a-b"], ["-a", "a-", ""]],
  ["^(?:(?!-)[A-Za-z0-9-]{1,63}(?<!-)\\.)+[A-Za-z]{2,6}$", ["example.org", "a-b.c.de"], ["-a.org", "a-.org", "org"]],
  ["^(?:(?!foo).)*$", ["", "fo", "barfo"], ["foo", "xfoox"]],
  ["<(?:(?!>>).)*>>", ["<>>", "a<b>c>>d"], ["<>", ">>"]],
  ["^(?!^(?:PRN|AUX|COM\\d)(?:\\..*)?$)[^<>]+$", ["prn", "PRN1", "COMA"], ["PRN", "AUX.txt", "COM1", "<"]],
  ["\\bfoo\\b", ["foo", "a foo.", "-foo-"], ["food", "afoo", "_foo"]],
  ["^\\w+\\b.?$", ["ab", "ab."], ["", "."]],
  ["^\\B-\\B$", ["-"], ["a-"]],
  ["a(?=b)", ["ab", "xab"], ["a", "ac"]],
  ["(?<=\\$)\\d+", ["$1", "a$22"], ["1", "a1"]],
  ["(?<!\\$)\\b\\d+", ["1", "a 22"], ["$1"]],
  ["^\\p{Lu}\\p{L}*$", ["Éa", "A"], ["é", "A1"]],
  ["^[\\p{Script=Greek}\\d]+$", ["αβγ1"], ["a"]],
  ["^\\P{L}$", ["1", "😀"], ["a"]],
  ["^[😀-😂]$", ["😁"], ["😃", "\ud83d"]],
  ["^\\ud83d\\ude00\\u{1F601}$", ["😀😁"], []],
  ["^.$", ["😀", "a"], ["ab"]],
  ['^[^\\x00-\\x1f"\\\\]*$', ["ab", "é"], ["\0", '"', "\n"]],
  ["^a{0,5000}$", ["", "a".repeat(5000)], ["a".repeat(5001)]],
  ["^(?<year>\\d{4})$", ["2024"], ["24"]],
  ["[]", [], ["", "a"]],
  ["(?=a)b|c", ["c"], ["ab"]],
  ["$^", [""], ["a"]],
  ["a^", [], ["a"]],
  ["", ["", "a"], []],
  // not with the flag u
  ["^[\\w-.]+@[\\w-]+\\.com$", ["a-b.c@d.com"], ["a@b"]],
  ["^\\d{3}\\-\\d{4}$", ["123-4567"], ["1234567"]],
  ["^\\@[a-z\\_]+$", ["@a_"], ["a"]],
  ["^{\\w+}$", ["{ab}"], ["ab"]],
  ["^a{,3}$", ["a{,3}"], ["aa"]],
  ["^]$", ["]"], []],
  ["^(?=a)*b$", ["b"], ["ab"]],
  ["^[\\d-x]+\\'$", ["1-x'"], ["y'"]],
  ["^\\101\\8\\c$", ["A8\\c"], []],
  ["^[\\c1\\b]$", ["\x11", "\b"], ["c"]],
  ["^\\u{2}\\x1$", ["uux1"], []],
];

test.each(CASES)("%s", (pattern, yes, no) => {
  let regex: RegExp;
  try {
    regex = new RegExp(pattern, "u");
  } catch {
    regex = new RegExp(pattern);
  }
  // what the table says is what JavaScript says; without the flag it counts surrogates
  expect({ yes: yes.filter((text) => !regex.test(text)), no: no.filter((text) => regex.test(text)) }).toEqual({
    yes: [],
    no: [],
  });
  const judge = matcherOf(containedPattern(pattern));
  expect({ yes: yes.filter((text) => !judge.matches(text)), no: no.filter((text) => judge.matches(text)) }).toEqual({
    yes: [],
    no: [],
  });
  for (const text of yes) expect(judge.begins(Array.from(text).slice(0, 3).join(""))).toBe(true);
});

test.each([
  ["ab(c", "column 3: this `(` is not closed"],
  ["a)", "column 2: this `)` closes nothing"],
  ["[b-a]", "column 2: expected a range from a character to the same or a later one"],
  ["a**", "column 3: expected something to repeat before this"],
  ["^*", "column 2: expected something to repeat before this"],
  ["(a)\\1", "column 4: a grammar cannot express a reference to a group"],
  ["(?<n>a)\\k<n>", "column 8: a grammar cannot express a reference to a group"],
  ["(?i)a", "column 2: expected `?:`, `?<name>`, `?=`, `?!`, `?<=` or `?<!` after `(`"],
  ["\\p{Lx}", "column 1: there is no property of characters `\\p{Lx}`"],
  ["a{3,2}", "column 2: the maximum 2 of a repetition is below its minimum 3"],
  ["[a", "column 1: this `[` is not closed"],
  ["a\\", "column 2: the pattern ends after `\\`"],
])("a fault: %s", (pattern, message) => {
  expect(thrownBy(() => containedPattern(pattern))).toContain(`the regular expression does not parse: ${message}`);
});

test("an expression that no grammar expresses is told from one with a fault", () => {
  const errorOf = (source: string): unknown => {
    try {
      return containedPattern(source);
    } catch (error) {
      return error;
    }
  };
  expect(["(a)\\1", "(?<=a(?=b)|c)", "(a"].map((source) => isInexpressible(errorOf(source)))).toEqual([
    true,
    true,
    false,
  ]);
});

test("what JavaScript accepts is accepted, and nothing else", () => {
  const piece = fc.constantFrom(
    ..."ab^$.*+?()[]{}|-,12\\=!<:dwkcux".split(""),
    "(?:",
    "\\-",
    "(?<n>",
    "\\k",
    "\\c",
    "\\u",
    "\\x",
    "{1}",
    "[\\w-",
    "\\0",
    "(?=",
  );
  const accepts = (source: string, flags: string): boolean => {
    try {
      return new RegExp(source, flags) instanceof RegExp;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }).map((all) => all.join("")),
      (source) => {
        let message = "";
        try {
          containedPattern(source);
        } catch (error) {
          message = (error as Error).message;
        }
        // refused, but not wrong
        if (/reference to a group|exceeds a limit|inside of/.test(message)) return;
        expect({ source, message, isAccepted: message === "" }).toEqual({
          ...{ source, message, isAccepted: accepts(source, "u") || accepts(source, "") },
        });
      },
    ),
    { numRuns: 4000, seed: 4 },
  );
});
