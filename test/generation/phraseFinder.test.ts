/** Phrases in texts that come in pieces, compared with a search at every place of the whole text. */
import { describe, expect, test } from "@jest/globals";
import { PhraseFinder, preparedPhrases } from "../../runtime/sequence/phrases/finder.js";
import type { Phrase } from "../../runtime/sequence/phrases/phrases.js";
import { phraseList } from "../../runtime/generation/phrases/options.js";
import { randomIntegers } from "../grammars/walk.js";

const bytesOf = (text: string): Buffer => Buffer.from(text);

/** The first phrase to be complete, the longest of those; in bytes. */
function searched(text: string, phrases: readonly Phrase[]): { begin: number; end: number } | undefined {
  const characters = Array.from(text);
  const patterns = phrases.map((phrase) => {
    const given = typeof phrase === "string" ? { text: phrase } : phrase;
    const source = "text" in given ? given.text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&") : given.regex;
    return new RegExp(`^(?:${source})$`, given.ignoreCase ? "iu" : "u");
  });
  for (let end = 1; end <= characters.length; end++)
    for (let begin = 0; begin < end; begin++) {
      const part = characters.slice(begin, end).join("");
      if (patterns.some((pattern) => pattern.test(part))) {
        const from = bytesOf(characters.slice(0, begin).join("")).length;
        return { begin: from, end: from + bytesOf(part).length };
      }
    }
  return undefined;
}

interface Found {
  readonly found: { begin: number; end: number } | undefined;
  /** How far the text was known to be free after each piece. */
  readonly settled: readonly number[];
}

function read(pieces: readonly Buffer[], phrases: readonly Phrase[]): Found {
  const finder = new PhraseFinder(preparedPhrases(phrases, "phrases"));
  const settled: number[] = [];
  for (const piece of pieces) {
    const found = finder.read(piece);
    if (found) return { found, settled };
    settled.push(finder.settled);
  }
  return { found: undefined, settled };
}

const found = (text: string, ...phrases: readonly Phrase[]): Found["found"] => read([bytesOf(text)], phrases).found;

describe("phrases in a text", () => {
  test("texts, with their case or without", () => {
    expect(found("a tapestry of", "tapestry")).toEqual({ begin: 2, end: 10 });
    expect(found("a Tapestry of", "tapestry")).toBeUndefined();
    expect(found("a TAPestry of", { text: "tapeSTRY", ignoreCase: true })).toEqual({ begin: 2, end: 10 });
    expect(found("Éé", { text: "éÉ", ignoreCase: true })).toEqual({ begin: 0, end: 4 });
  });

  test("regular expressions", () => {
    expect(found("It is not just a test, but a way", { regex: "not (just|only) .{1,20}, but" })).toEqual({
      begin: 6,
      end: 26,
    });
    expect(found("Shivers", { regex: "shivers?", ignoreCase: true })).toEqual({ begin: 0, end: 6 });
    expect(found("Shivers", { regex: "(?i)shivers?" })).toEqual({ begin: 0, end: 6 });
    expect(found("xäy", { regex: "[^a-z]" })).toEqual({ begin: 1, end: 3 });
    expect(found("A", { regex: "[^a]", ignoreCase: true })).toBeUndefined();
  });

  test("of those that are complete first the longest", () => {
    expect(found("abcd", "bc", "abc", "abcd")).toEqual({ begin: 0, end: 3 });
    expect(found("aab", { regex: "a{1,2}b" })).toEqual({ begin: 0, end: 3 });
  });

  test("bytes that are no character end what they are in", () => {
    const bytes = Buffer.from([0x61, 0xc3, 0x62]);
    const finder = new PhraseFinder(preparedPhrases([{ regex: "a.b" }, { text: "ab", ignoreCase: true }], "phrases"));
    expect(finder.read(bytes)).toEqual({ begin: 0, end: 3 });
  });

  test.each(Array.from({ length: 40 }, (_, seed) => seed))("random phrases in random texts (%i)", (seed) => {
    const random = randomIntegers(seed);
    const letters = Array.from("abAB éÉ€");
    const text = (length: number): string => Array.from({ length }, () => letters[random(letters.length)]!).join("");
    const part = (): string => {
      const one = [text(1), ".", "[ab]", "[^a]", `(?:${text(2)}|${text(1)})`][random(5)]!;
      return one + ["", "", "?", `{1,${1 + random(3)}}`, "{0,2}"][random(5)]!;
    };
    for (let round = 0; round < 40; round++) {
      const phrases: Phrase[] = Array.from({ length: 1 + random(4) }, (): Phrase => {
        const ignoreCase = random(2) === 0;
        if (random(2) === 0) return { text: text(2 + random(4)), ignoreCase };
        return { regex: text(1) + part() + part(), ignoreCase };
      });
      const whole = text(3 + random(20));
      const expected = searched(whole, phrases);
      const bytes = bytesOf(whole);
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length;) {
        const length = 1 + random(4);
        pieces.push(bytes.subarray(at, at + length));
        at += length;
      }
      const result = read(pieces, phrases);
      expect({ whole, phrases, found: result.found }).toEqual({ whole, phrases, found: expected });
      let length = 0;
      for (const [i, settled] of result.settled.entries()) {
        length += pieces[i]!.length;
        // what is in the phrase was held back, and no more than the longest one
        if (expected) expect(settled).toBeLessThanOrEqual(expected.begin);
        expect(length - settled).toBeLessThanOrEqual(40);
      }
    }
  });

  test("only what may become a text is held back", () => {
    const pieces = ["one ", "ta", "pes", "t", "s"].map(bytesOf);
    expect(read(pieces, ["tapestry"]).settled).toEqual([4, 4, 4, 4, 11]);
  });

  test("a finder that starts anew finds what begins there", () => {
    const finder = new PhraseFinder(preparedPhrases(["abc", { regex: "b.d" }], "phrases"));
    expect(finder.read(bytesOf("ab"))).toBeUndefined();
    finder.restart(2);
    expect(finder.read(bytesOf("cd abc"))).toEqual({ begin: 5, end: 8 });
  });
});

describe("lists of phrases", () => {
  test.each<[string, unknown, string]>([
    ["no list", "a", '`bannedPhrases` must be a list of phrases, found "a"'],
    [
      "a number",
      [1],
      "`bannedPhrases[0]` must be a text, `{ text }` or `{ regex }`, with `ignoreCase` or without, found 1",
    ],
    ["an empty text", ["a", ""], "`bannedPhrases[1]` must not be empty: a text has an empty text everywhere"],
    ["both", [{ text: "a", regex: "b" }], "`bannedPhrases[0]` must have either `text` or `regex`"],
    ["neither", [{ ignoreCase: true }], "`bannedPhrases[0]` must have either `text` or `regex`"],
    ["an unknown member", [{ text: "a", flags: "i" }], "bannedPhrases[0].flags"],
    ["too many", Array.from({ length: 4097 }, String), "`bannedPhrases` must have at most 4096 phrases, found 4097"],
    ["a long text", ["x".repeat(1025)], "`bannedPhrases[0]` must have at most 1024 bytes, found 1025"],
    [
      "too many bytes",
      Array.from({ length: 200 }, () => "x".repeat(1000)),
      "must have at most 65536 bytes in all its phrases",
    ],
    [
      "too many expressions",
      Array.from({ length: 257 }, () => ({ regex: "a" })),
      "at most 256 regular expressions, found 257",
    ],
    ["no bound", [{ regex: "a.*b" }], "`bannedPhrases[0]`: the regular expression matches texts of any length"],
    [
      "a long match",
      [{ regex: ".{0,300}b" }],
      "the longest match of the regular expression must have at most 1024 bytes, found 1201",
    ],
    ["an empty match", [{ regex: "a?" }], "matches an empty text"],
    ["a look", [{ regex: "\\bword" }], "a phrase cannot look around"],
    ["a reference", [{ regex: "(a)\\1" }], "a reference to a group"],
    ["a fault", [{ regex: "(a" }], "this `(` is not closed"],
    ["places", Array.from({ length: 9 }, () => ({ regex: "[ab]{1000}" })), "have at most 2048 places"],
    ["ways", [{ regex: "b(?:(?:a?){30}){30}" }], "have at most 8192 ways between their places"],
  ])("%s is refused", (_, value, message) => {
    expect(() => phraseList(value, "bannedPhrases")).toThrow(message);
  });

  test("an expression is refused within its budget", () => {
    const start = performance.now();
    expect(() => phraseList([{ regex: "b(?:(?:(?:a?){10}){10}){10}" }], "bannedPhrases")).toThrow("ways");
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
