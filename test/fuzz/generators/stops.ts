/** Stop texts in texts that come in arbitrary pieces, compared with a search in the whole text. */
import * as fc from "fast-check";
import { TextOutput } from "../../../runtime/generation/output.js";
import { stopTexts } from "../../../runtime/generation/stops.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter } from "../core/shrink.js";
import { firstStop } from "../../generation/firstStop.js";

interface Case {
  /** Bytes of each token. */
  readonly tokens: readonly (readonly number[])[];
  readonly stops: readonly unknown[];
}

/** Few letters, so that texts overlap; parts of characters of two to four bytes. */
const BYTES = [0x61, 0x61, 0x62, 0x62, 0x0a, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0x00];
const words = fc.array(fc.constantFrom("a", "b", "ab", "\n", "é", "😀", "\0"), { minLength: 1, maxLength: 6 });
const stop = fc.oneof(
  { weight: 20, arbitrary: words.map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>("", 3, null, "a".repeat(70_000), "\ud800", ["a"]) },
);

function checkedTexts(stops: readonly unknown[]): asserts stops is readonly string[] {
  stopTexts(stops, "stop");
}

export const stops = defineGenerator<Case>({
  name: "stops",
  doc: "stop texts across the borders of tokens, of characters and of each other",
  cases: fc.record({
    tokens: fc.array(fc.array(fc.constantFrom(...BYTES), { maxLength: 5 }), { maxLength: 40 }),
    stops: fc.oneof(
      { weight: 20, arbitrary: fc.array(stop, { maxLength: 6 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1000, max: 1100 }).map((n) => Array.from({ length: n }, () => "ab")) },
    ),
  }),
  run({ tokens, stops: given }) {
    checkedTexts(given);
    const output = new TextOutput<number>(given);
    const pieces: { readonly token: number; readonly text: string }[] = [];
    for (const [i, bytes] of tokens.entries()) {
      pieces.push(...output.push(i, Uint8Array.from(bytes)));
      if (output.stop) break;
    }
    if (!output.stop) pieces.push(...output.flush());
    const whole = Buffer.from(tokens.flat());
    const expected = firstStop(whole, given);
    const until = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      whole.subarray(0, expected?.begin ?? whole.length),
      {
        stream: true,
      },
    );
    const text = pieces.map((piece) => piece.text).join("");
    if (output.stop?.text !== expected?.stop)
      throw new Wrong(`the stop text ${expected?.stop}, not ${output.stop?.text}`);
    if (text !== until) throw new Wrong(`the text ${JSON.stringify(until)}, not ${JSON.stringify(text)}`);
    if (pieces.some(({ token }, i) => token !== i)) throw new Wrong("a token is missing or out of order");
  },
  *smaller(c) {
    for (const tokens of shorter(c.tokens)) yield { ...c, tokens };
    for (const fewer of shorter(c.stops)) yield { ...c, stops: fewer };
  },
});
