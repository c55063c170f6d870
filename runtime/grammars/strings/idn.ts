/** Internationalized names of hosts, by RFC 5890 to 5893. */
import { propertyRanges } from "../patterns/classes.js";
import { containedPattern, wholePattern } from "../patterns/pattern.js";
import { both, choice, except, oneOf, ONE_CHARACTER, repeat, sequence } from "../regular/items.js";
import { common, inTexts, without } from "../regular/ranges.js";
import type { Item, Ranges } from "../text/rules.js";

/** RFC 5892, section 2.6, and its blocks and old letters of Hangul, which are not allowed. */
const ALLOWED = ranges("00df 03c2 06fd-06fe 0f0b 3007");
const REFUSED = ranges(
  "0640 07fa 302e-302f 3031-3035 303b 1100-11ff a960-a97c d7b0-d7fb 20d0-20ff 1d100-1d24f ad 34f 115f-1160 17b4-17b5 180b-180f",
);
/** Allowed where the characters beside them allow it. */
const IN_CONTEXT = ranges("b7 375 5f3-5f4 30fb 200c-200d");
const VIRAMA =
  "\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca\\u0e3a\\u0eba\\u0f84\\u1039\\u103a\\u1714\\u1734\\u17d2\\u1a60" +
  "\\u1b44\\u1baa\\u1bab\\u1bf2\\u1bf3\\u2d7f\\ua806\\ua8c4\\ua953\\ua9c0\\uaaf6\\uabed";
/** Letters of Arabic that join what is after them, and all that join what is before. */
const JOINING =
  "\\u0626\\u0628\\u062a-\\u062e\\u0633-\\u063f\\u0641-\\u0647\\u0649\\u064a\\u066e\\u066f\\u0678-\\u0687\\u069a-\\u06bf\\u06c1\\u06c2\\u06cc\\u06ce\\u06d0\\u06d1\\u06fa-\\u06fc\\u06ff";
const JOINED = `${JOINING}\\u0622-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef`;

/** What is in no label (RFC 5891, section 4.2.3, and RFC 5892, appendix A). */
const NEVER = [
  "^-|-$|^..--|^\\p{M}",
  "(?:^|[^l])\\u00b7|\\u00b7(?:[^l]|$)",
  "\\u0375(?:\\P{Script=Greek}|$)",
  "(?:^|\\P{Script=Hebrew})[\\u05f3\\u05f4]",
  "^[^\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Han}]*\\u30fb[^\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Han}]*$",
  "[\\u0660-\\u0669].*[\\u06f0-\\u06f9]|[\\u06f0-\\u06f9].*[\\u0660-\\u0669]",
  `(?:^|[^${VIRAMA}])\\u200d`,
  `(?:^|[^${VIRAMA}${JOINING}])\\u200c|[${JOINING}]\\u200c(?:[^${JOINED}]|$)`,
];
/** Scripts that are written from right to left. */
const FROM_RIGHT = ["Hebrew", "Arabic", "Syriac", "Thaana", "Nko", "Samaritan", "Mandaic", "Adlam"];
const RIGHT = FROM_RIGHT.map((script) => `\\p{Script=${script}}`).join("");
/** What a label from right to left is (RFC 5893, section 2): one kind of digits at most, and none at the beginning. */
const RIGHT_LABEL = `(?!.*[0-9\\u06f0-\\u06f9].*[\\u0660-\\u0669])(?!.*[\\u0660-\\u0669].*[0-9\\u06f0-\\u06f9])(?=[${RIGHT}])[${RIGHT}\\p{M}0-9\\u200c\\u200d-]+`;

/** Of ASCII; `xn--` and Punycode is not decoded. */
const ASCII_LABEL = "(?!(?![Xx][Nn])[^]{2}--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const SEPARATOR = wholePattern("[.\\u3002\\uff0e\\uff61]");

function ranges(hexadecimal: string): Ranges {
  return hexadecimal.split(" ").map((range) => {
    const [from, to = from] = range.split("-").map((one) => Number.parseInt(one, 16));
    return [from!, to!] as const;
  });
}

/** Whether a character is itself where letters are written small, and in one form. */
const isStable = (character: number): boolean => {
  const one = String.fromCodePoint(character);
  return one === one.normalize("NFKC").toLowerCase().normalize("NFKC");
};

/** The characters of labels, by RFC 5892, section 3. */
function valid(): Ranges {
  const letters = ["Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"].flatMap((property) => propertyRanges(property)!);
  const stable: [number, number][] = [];
  for (const [from, to] of common(inTexts(letters), without(REFUSED)))
    for (let character = from; character <= to; character++) {
      if (!isStable(character)) continue;
      const last = stable.at(-1);
      if (last?.[1] === character - 1) last[1] = character;
      else stable.push([character, character]);
    }
  return inTexts([...stable, ...ALLOWED, ...IN_CONTEXT, [0x2d, 0x2d]]);
}

/** A name: labels, with dots between them. */
const named = (label: Item): Item => sequence(label, repeat(sequence(SEPARATOR, label), 0));

export function idnHostname(): Item {
  const label = except(repeat(oneOf(valid()), 1, 59), ...NEVER.map(containedPattern));
  const right = both(label, wholePattern(RIGHT_LABEL));
  const left = choice(wholePattern(ASCII_LABEL), except(label, containedPattern(`[${RIGHT}]`)));
  // beside a label from right to left, others begin with a letter
  const leftBeside = except(left, wholePattern("(?!\\p{L}).*"));
  return both(choice(named(left), named(choice(right, leftBeside))), repeat(ONE_CHARACTER, 1, 253));
}
