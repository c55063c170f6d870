/** The text of tokens: whole characters, and nothing that belongs to a stop text. Compared with a search in the whole text. */
import { describe, expect, test } from "@jest/globals";
import { TextOutput } from "../../runtime/generation/output.js";
import { stopTexts } from "../../runtime/generation/stops.js";
import { firstStop } from "./firstStop.js";

interface Written {
  /** The text of each token; undefined for a token that was never written, after a stop text. */
  readonly texts: readonly (string | undefined)[];
  /** How many tokens had been written when each came. */
  readonly late: readonly number[];
  readonly stop?: string | undefined;
}

/** Writes tokens one by one. */
function write(tokens: readonly Uint8Array[], stops: readonly string[]): Written {
  const output = new TextOutput<number>(stops);
  const texts: (string | undefined)[] = tokens.map(() => undefined);
  const late: number[] = [];
  const take = (given: readonly { token: number; text: string }[], written: number): void => {
    for (const { token, text } of given) {
      expect(late.length).toBe(token); // in order
      texts[token] = text;
      late.push(written - 1 - token);
    }
  };
  for (const [i, bytes] of tokens.entries()) {
    take(output.push(i, bytes), i + 1);
    if (output.stop) return { texts, late, stop: output.stop.text };
  }
  take(output.flush(), tokens.length);
  return { texts, late };
}

const bytesOf = (...texts: readonly string[]): Uint8Array[] => texts.map((text) => new TextEncoder().encode(text));
const cut = (text: string, ...at: readonly number[]): Uint8Array[] => {
  const bytes = new TextEncoder().encode(text);
  return [0, ...at].map((from, i) => bytes.slice(from, at[i] ?? bytes.length));
};

/** What a search in the whole text finds. */
function expected(text: Buffer, stops: readonly string[]): { text: string; stop?: string } {
  const found = firstStop(text, stops);
  return found ? { text: text.subarray(0, found.begin).toString(), stop: found.stop } : { text: text.toString() };
}

describe("stop texts", () => {
  test("across the borders of tokens", () => {
    expect(write(bytesOf("one ", "S", "TO", "P two"), ["STOP"])).toEqual({
      texts: ["one ", "", "", ""],
      late: [0, 2, 1, 0],
      stop: "STOP",
    });
  });

  test("what might begin one comes when it did not, also at the end of the text", () => {
    expect(write(bytesOf("a", "ST", "OR", "ST"), ["STOP"])).toEqual({
      texts: ["a", "ST", "OR", "ST"],
      late: [0, 1, 0, 0],
    });
    expect(write(bytesOf("ST"), ["STOP"])).toEqual({ texts: ["ST"], late: [0] });
  });

  test("the text of a token before a stop text in it", () => {
    expect(write(bytesOf("ab", "cdSTO", "Pef"), ["STOP"]).texts).toEqual(["ab", "cd", ""]);
  });

  test("the first that is complete, then the longest", () => {
    expect(write(bytesOf("xabcd"), ["abcd", "bc"])).toMatchObject({ texts: ["xa"], stop: "bc" });
    expect(write(bytesOf("xabcd"), ["cd", "abcd", "d"])).toMatchObject({ texts: ["x"], stop: "abcd" });
  });

  test("inside characters of several bytes", () => {
    // the last byte of ö is the first one of no character; é and ê share their first byte
    expect(write(cut("schön é", 4, 8), ["ê", "é"])).toMatchObject({ texts: ["sch", "ön ", ""], stop: "é" });
    expect(write(cut("日本", 1, 2, 4), ["本"])).toMatchObject({ texts: ["", "", "日", ""], stop: "本" });
  });
});

test("random texts, cut anywhere, are as a search in the whole text has them", () => {
  let seed = 1;
  const random = (count: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * count);
  };
  const letters = ["a", "b", "aa", "ab", "é", "ê", "日", "本", "🙂", "🙃"];
  const word = (length: number): string => Array.from({ length }, () => letters[random(letters.length)]).join("");
  let stopped = 0;
  for (let round = 0; round < 600; round++) {
    const text = Buffer.from(word(random(24)));
    const stops = Array.from({ length: random(4) }, () => word(1 + random(4)));
    const tokens: Uint8Array[] = [];
    for (let at = 0; at < text.length;) {
      const length = random(5);
      tokens.push(text.subarray(at, at + length));
      at += length;
    }
    const { texts, stop } = write(tokens, stops);
    const wanted = expected(text, stops);
    expect([texts.join(""), stop]).toEqual([wanted.text, wanted.stop]);
    if (stop !== undefined) stopped++;
  }
  expect(stopped).toBeGreaterThan(150);
});

test("bytes that are no characters come as soon as a decoder gives them", () => {
  const streams = [
    [0xe0, 0x80, 0x41],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xc3],
    [0xf0, 0x9f, 0x41],
    [0xff, 0xc3, 0xa9],
  ];
  for (const bytes of streams) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const tokens = bytes.map((byte) => Uint8Array.of(byte));
    expect(write(tokens, []).texts).toEqual(tokens.map((token) => decoder.decode(token, { stream: true })));
  }
});

test("goes on after a given token", () => {
  const output = new TextOutput<number>(["STOP"]);
  const [first] = output.push(0, Uint8Array.of(0x61, 0xc3));
  expect(first).toMatchObject({ text: "a", rest: Uint8Array.of(0xc3) });
  expect(output.push(1, Uint8Array.of(0xa9, 0x53, 0x54))).toEqual([]);
  output.restart(1, first!.rest);
  expect(output.push(1, Uint8Array.of(0xa8))).toMatchObject([{ token: 1, text: "è" }]);
  expect(output.push(2, new TextEncoder().encode("OP STOP"))).toMatchObject([{ text: "OP " }]);
});

test("a list is checked", () => {
  for (const [stops, message, code] of [
    ["STOP", "`stop` must be a list of texts", "INVALID_ARGUMENT"],
    [[1], "`stop[0]` must be a text, found 1", "INVALID_ARGUMENT"],
    [["a", ""], "`stop[1]` must not be empty", "INVALID_ARGUMENT"],
    [Array.from({ length: 1025 }, () => "a"), "`stop` must have at most 1024 texts, found 1025", "LIMIT_EXCEEDED"],
    [["é".repeat(2 ** 15 + 1)], "`stop` must have at most 65536 bytes in all its texts, found 65538", "LIMIT_EXCEEDED"],
  ] as const) {
    expect(() => stopTexts(stops, "stop")).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  }
});

test("the cost follows the length of the text, however many stop texts it nearly has", () => {
  const stops = Array.from({ length: 200 }, (_, i) => "a".repeat(i + 1) + "b");
  const output = new TextOutput<number>(stops);
  const token = new TextEncoder().encode("a".repeat(100));
  for (let i = 0; i < 5000; i++) output.push(i, token);
  expect(output.stop).toBeUndefined();
  output.push(5000, Uint8Array.of(0x62));
  expect(output.stop?.text).toBe(stops.at(-1));
});
