/** Random edits of JSON. */
import * as fc from "fast-check";

export interface JsonEdit {
  /** Which of all values, as a fraction. */
  readonly at: number;
  readonly kind: "set" | "delete" | "repeat" | "copy" | "rename" | "nudge";
  /** The index of an odd value, or the fraction of a value to copy. */
  readonly value: number;
}

const ODD: readonly unknown[] = [
  ...[null, true, false, "", "x", "V", "__proto__", "\0", "é".repeat(50), "a".repeat(20_000)],
  ...[
    0,
    -0,
    1,
    -1,
    2,
    0.5,
    255,
    256,
    65_535,
    65_536,
    2 ** 24,
    2 ** 24 + 1,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    -(2 ** 31),
  ],
  ...[1e-45, 1e-38, 1e38, 3.5e38, 1e308, 16_777_217],
  ...[
    [],
    {},
    [[]],
    [0, 1, 2],
    [{}],
    { length: 3 },
    ["mul", 1],
    ["add", 1, 2],
    ["select", 1, 1, 1],
    ["log", ["sub", 0, 1]],
  ],
  ...[{ last: 0 }, { last: 2 ** 24 }, { since: [] }, { since: "a" }, { ends_with: [1] }, { ends_with: "" }, { in: 7 }],
  ...[{ pattern: "(a" }, { pattern: "(a+)+$" }, { class: "end" }, { class: "none" }, "prompt_length", "generated"],
  ...[
    "add",
    "mul",
    "soft_max",
    "top_k",
    "argsort",
    "get_rows",
    "set_rows",
    "cast",
    "view",
    "cumsum",
    "input",
    "uniform",
    "roll",
  ],
  ...["f32", "i32", "desc", "asc", "logits", "sampled"],
];

export const jsonEdits: fc.Arbitrary<readonly JsonEdit[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    kind: fc.constantFrom<JsonEdit["kind"]>(
      "set",
      "set",
      "set",
      "delete",
      "repeat",
      "copy",
      "rename",
      "nudge",
      "nudge",
    ),
    value: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  }),
  { minLength: 1, maxLength: 5, size: "max" },
);

type Holder = Record<string, unknown>;

/** The object or list that holds a value, and its key there. */
interface Slot {
  readonly holder: Holder;
  readonly key: string;
}

function slotsOf(value: unknown, found: Slot[] = []): Slot[] {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    found.push({ holder: value as Holder, key });
    slotsOf(inner, found);
  }
  return found;
}

/** A copy of the value with the edits. */
export function editedJson(value: unknown, edits: readonly JsonEdit[]): unknown {
  const root = { value: structuredClone(value) };
  for (const { at, kind, value: which } of edits) {
    const slots = slotsOf(root).slice(1);
    const slot = slots[Math.floor(at * slots.length)];
    if (slot) edit(slot, kind, which, slots);
  }
  return root.value;
}

function edit({ holder, key }: Slot, kind: JsonEdit["kind"], which: number, slots: readonly Slot[]): void {
  const present = holder[key];
  const odd = ODD[Math.floor(which * ODD.length)];
  const other = slots[Math.floor(which * slots.length)]!;
  if (kind === "set") holder[key] = structuredClone(odd);
  else if (kind === "copy") holder[key] = structuredClone(other.holder[other.key]);
  else if (kind === "nudge")
    holder[key] = typeof present === "number" ? present + [-1, 1, 2, 100][Math.floor(which * 4)]! : odd;
  else if (Array.isArray(holder)) {
    if (kind === "delete") holder.splice(Number(key), 1);
    else
      holder.splice(Number(key), 0, ...Array.from({ length: which > 0.98 ? 5000 : 1 }, () => structuredClone(present)));
  } else {
    if (kind !== "repeat") Reflect.deleteProperty(holder, key);
    if (kind !== "delete") holder[typeof odd === "string" ? odd : `${key}2`] = present;
  }
}
