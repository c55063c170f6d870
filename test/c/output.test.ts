/** The texts of tokens in C++ are those of the same tokens in TypeScript, to the last byte: stop texts and whole characters. */
import { expect, test } from "@jest/globals";
import { TextOutput } from "../../runtime/generation/output.js";
import { randomIntegers } from "../grammars/walk.js";
import { addon } from "./library.js";

/** What both say of tokens, one by one. */
interface Said {
  readonly given: readonly { readonly text: string; readonly rest: readonly number[] }[];
  readonly stop: string | undefined;
}

const plain = (given: readonly { readonly text: string; readonly rest: Uint8Array }[]): Said["given"] =>
  given.map(({ text, rest }) => ({ text, rest: [...rest] }));

function inTypeScript(stops: readonly string[], tokens: readonly Uint8Array[], restarts: ReadonlySet<number>): Said[] {
  const output = new TextOutput<number>(stops);
  const said: Said[] = [];
  let rest = new Uint8Array();
  for (const [i, bytes] of tokens.entries()) {
    if (restarts.has(i)) output.restart(i, rest);
    const given = output.push(i, bytes);
    rest = new Uint8Array(given.at(-1)?.rest ?? rest);
    said.push({ given: plain(given), stop: output.stop?.text });
    if (output.stop) return said;
  }
  return [...said, { given: plain(output.flush()), stop: undefined }];
}

function inC(stops: readonly string[], tokens: readonly Uint8Array[], restarts: ReadonlySet<number>): Said[] {
  const output = new addon.COutput(stops);
  const said: Said[] = [];
  let rest = new Uint8Array();
  for (const [i, bytes] of tokens.entries()) {
    if (restarts.has(i)) output.restart(rest);
    const given = output.push(bytes);
    rest = new Uint8Array(given.at(-1)?.rest ?? rest);
    const stop = output.stop === undefined ? undefined : stops[output.stop];
    said.push({ given: plain(given), stop });
    if (stop !== undefined) return said;
  }
  return [...said, { given: plain(output.flush()), stop: undefined }];
}

/** A vocabulary of parts of characters, letters and words, some of them no UTF-8. */
function vocabularyOf(random: (below: number) => number): Uint8Array[] {
  const encoder = new TextEncoder();
  const letters = ["a", "b", "ab", "é", "ê", "日", "本", "🙂", "🙃", "\ufeff", "\0"];
  return Array.from({ length: 4 + random(20) }, () => {
    const word = Array.from({ length: 1 + random(3) }, () => letters[random(letters.length)]).join("");
    const bytes = encoder.encode(word);
    if (random(4) === 0) return Uint8Array.from({ length: random(4) }, () => random(256));
    const [begin, end] = [random(bytes.length), bytes.length - random(2)];
    return random(3) === 0 ? bytes.subarray(begin, end) : bytes;
  });
}

test("for random vocabularies, texts, stop texts and restarts", () => {
  const random = randomIntegers(3);
  let [stopped, held, broken] = [0, 0, 0];
  for (let round = 0; round < 1500; round++) {
    const vocabulary = vocabularyOf(random);
    const tokens = Array.from({ length: random(40) }, () => vocabulary[random(vocabulary.length)]!);
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const stops = Array.from({ length: random(4) }, () => {
      const some = Array.from({ length: 1 + random(3) }, () => [...vocabulary[random(vocabulary.length)]!]).flat();
      return decoder.decode(Uint8Array.from(some)).slice(random(2)) || "ab";
    });
    const restarts = new Set(random(2) === 0 ? [] : [random(40), random(40)]);
    const expected = inTypeScript(stops, tokens, restarts);
    expect(inC(stops, tokens, restarts)).toEqual(expected);
    if (expected.some(({ stop }) => stop !== undefined)) stopped++;
    if (expected.some(({ given }) => given.length > 1)) held++;
    if (expected.some(({ given }) => given.some(({ text }) => text.includes("\ufffd")))) broken++;
  }
  for (const count of [stopped, held, broken]) expect(count).toBeGreaterThan(200);
});

test("for every pair of bytes and the borders of all lengths", () => {
  const streams: number[][] = [];
  for (let first = 0; first < 256; first++)
    for (const second of [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xf0, 0xff])
      streams.push([first, second], [first, second, 0x80, 0x41], [first, second, 0x80, 0x80, 0x80]);
  for (const stream of streams) {
    const whole = [Uint8Array.from(stream)];
    const single = stream.map((byte) => Uint8Array.of(byte));
    for (const tokens of [whole, single])
      expect(inC([], tokens, new Set())).toEqual(inTypeScript([], tokens, new Set()));
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    expect(inC([], single, new Set()).flatMap(({ given }) => given.map(({ text }) => text))).toEqual(
      single.map((byte) => decoder.decode(byte, { stream: true })),
    );
  }
});

test("an empty stop text is refused", () => {
  expect(() => new addon.COutput(["a", ""])).toThrow("stop text 1 is empty");
});
