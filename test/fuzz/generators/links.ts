/** Damaged links of the playground: read, and their programs compiled as the page does. */
import * as fc from "fast-check";
import { readLink, writeLink, type Shared } from "../../../playground/state/link.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter } from "../core/shrink.js";
import { editedJson, jsonEdits, type JsonEdit } from "./json.js";
import { runProgram } from "./program.js";
import { TEXTS } from "./programs.js";

interface Link {
  readonly program: string;
  readonly source: number;
  readonly edits: readonly JsonEdit[];
  /** Damage of the encoded form: places as fractions, and the characters that are put there. */
  readonly damage: readonly (readonly [at: number, text: string])[];
}

const SOURCES: readonly Shared["source"][] = [
  { kind: "shape", shape: "zipf", size: 100 },
  { kind: "list", text: "1, 2, -inf", are: "logits" },
  { kind: "model", prompt: "In the beginning" },
];

function linkOf({ program, source, edits, damage }: Link): string {
  const shared = {
    program,
    chain: "c",
    uniforms: { t: 0.8 },
    statics: { k: 40 },
    seed: 7,
    source: SOURCES[source],
    against: "top_k(9)",
    banned: " delve\nthe",
  };
  const json = JSON.stringify(editedJson(shared, edits));
  let link = `#1.${Buffer.from(json).toString("base64url")}`;
  for (const [at, text] of damage) {
    const place = Math.floor(at * link.length);
    link = link.slice(0, place) + text + link.slice(place + 1);
  }
  return link;
}

export const links = defineGenerator<Link>({
  name: "links",
  doc: "damaged links of the playground: read, written again, their programs compiled and run",
  cases: fc.record({
    program: fc.constantFrom("", ...TEXTS),
    source: fc.nat({ max: SOURCES.length - 1 }),
    edits: jsonEdits,
    damage: fc.array(
      fc.tuple(
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.constantFrom("", "=", "+", "/", "A", "_", "é", "\0", "#", "1.", "A".repeat(40_000)),
      ),
      { maxLength: 2, size: "max" },
    ),
  }),
  run(c) {
    const shared = readLink(linkOf(c));
    const again = readLink(writeLink(shared));
    if (JSON.stringify(again) !== JSON.stringify(shared)) throw new Wrong("a link differs after writing it again");
    runProgram(shared.program);
  },
  *smaller(c) {
    for (const edits of shorter(c.edits)) yield { ...c, edits };
    for (const damage of shorter(c.damage)) yield { ...c, damage };
    if (c.program !== "") yield { ...c, program: "" };
  },
  show: (c) => ({ ending: "txt", text: linkOf(c) }),
});
