/** The tests' own reference of grammars, compared with JavaScript's regular expressions and with lists of all short texts. */
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { all, any, ROOT, text, textOf, type Item, type Rules } from "../../runtime/grammars/text/rules.js";
import { matcher, matches, prefixes } from "./matcher.js";

const grammar = (root: Item, others: Readonly<Record<string, Item>> = {}): Rules =>
  new Map([[ROOT, root], ...Object.entries(others)]);
const repeat = (item: Item, min: number, max: number): Item => ({ kind: "repeat", item, min, max });
const rule = (name: string): Item => ({ kind: "rule", name });
const ANY_CHARACTER: Item = { kind: "class", ranges: [], isNegated: true };

const character = fc.constantFrom("a", "b", "é");
const item = fc.letrec<{ item: Item }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 4 },
    fc.array(character, { maxLength: 2 }).map((some) => textOf(some.join(""))),
    fc.record({
      kind: fc.constant("class" as const),
      ranges: fc
        .array(character, { minLength: 1, maxLength: 2 })
        .map((some) => some.map((one) => [one.codePointAt(0)!, one.codePointAt(0)!] as const)),
      isNegated: fc.boolean(),
    }),
    fc.array(tie("item"), { maxLength: 3 }).map(all),
    fc.array(tie("item"), { minLength: 1, maxLength: 3 }).map(any),
    fc
      .tuple(tie("item"), fc.integer({ min: 0, max: 2 }), fc.constantFrom(0, 1, 2, Infinity))
      .map(([inner, min, more]) => repeat(inner, min, min + more)),
    fc.tuple(tie("item"), tie("item"), fc.boolean()).map(([one, other, isNegated]): Item => ({
      kind: "intersection",
      items: [one, isNegated ? { kind: "complement", item: other } : other],
    })),
  ),
})).item;

/** All texts of these characters up to a length. */
function texts(one: Item, most: number): ReadonlySet<string> {
  const joined = (heads: Iterable<string>, tails: Iterable<string>): Set<string> => {
    const result = new Set<string>();
    for (const head of heads) for (const tail of tails) if ((head + tail).length <= most) result.add(head + tail);
    return result;
  };
  const alphabet = ["a", "b", "é"];
  switch (one.kind) {
    case "text":
      return joined([""], [String.fromCodePoint(...one.characters)]);
    case "class":
      return new Set(
        alphabet.filter(
          (a) => one.ranges.some(([from, to]) => from <= a.charCodeAt(0) && a.charCodeAt(0) <= to) !== one.isNegated,
        ),
      );
    case "all":
      return one.items.reduce<ReadonlySet<string>>((heads, part) => joined(heads, texts(part, most)), new Set([""]));
    case "any":
      return new Set(one.items.flatMap((part) => [...texts(part, most)]));
    case "repeat": {
      const inner = texts(one.item, most);
      const result = new Set<string>();
      let some: ReadonlySet<string> = new Set([""]);
      for (let count = 0; count <= Math.min(one.max, one.min + most); count++) {
        if (count >= one.min) for (const text of some) result.add(text);
        some = joined(some, inner);
      }
      return result;
    }
    case "intersection": {
      const [first, second] = one.items as [Item, Item];
      const others = texts(second.kind === "complement" ? second.item : second, most);
      return new Set([...texts(first, most)].filter((text) => others.has(text) !== (second.kind === "complement")));
    }
    default:
      throw new Error(one.kind);
  }
}

const short = (most: number): string[] =>
  most === 0 ? [""] : ["", ...["a", "b", "é"].flatMap((head) => short(most - 1).map((tail) => head + tail))];

test("regular items have the texts that a list of all short texts has", () => {
  fc.assert(
    fc.property(item, (one) => {
      const found = matcher(grammar(one));
      expect(short(4).filter((text) => found.matches(text))).toEqual(
        short(4).filter((text) => texts(one, 4).has(text)),
      );
    }),
    { numRuns: 300, seed: 1 },
  );
});

test("the beginnings are those of a text that matches", () => {
  fc.assert(
    fc.property(item, (one) => {
      const found = matcher(grammar(one));
      const all = [...texts(one, 7)];
      for (const text of short(3)) {
        const isBeginning = all.some((other) => other.startsWith(text));
        // a longer text may begin with it
        if (isBeginning) expect({ text, begins: found.begins(text) }).toEqual({ text, begins: true });
        if (found.matches(text)) expect(found.begins(text)).toBe(true);
      }
    }),
    { numRuns: 100, seed: 2 },
  );
});

test("a text that cannot be completed is no beginning", () => {
  const none: Item = { kind: "any", items: [] };
  const no: Item = { kind: "intersection", items: [textOf("ab"), { kind: "complement", item: textOf("ab") }] };
  const lengths: Item = {
    kind: "intersection",
    items: [repeat(textOf("ab"), 0, Infinity), repeat(ANY_CHARACTER, 3, 5)],
  };
  expect(prefixes(grammar(all([textOf("a"), none])), "a")).toBe(false);
  expect(prefixes(grammar(all([textOf("a"), no])), "a")).toBe(false);
  expect(["", "ab", "aba", "abab", "ababa"].map((text) => prefixes(grammar(lengths), text))).toEqual([
    ...[true, true, true, true, false],
  ]);
  const endless = grammar(any([textOf("a"), all([textOf("b"), rule("endless")])]), {
    endless: all([textOf("c"), rule("endless")]),
  });
  expect([prefixes(endless, ""), prefixes(endless, "a"), prefixes(endless, "b")]).toEqual([true, true, false]);
});

test("recursion: brackets, palindromes, an ambiguous sum, and a rule that begins with itself", () => {
  const brackets = grammar(repeat(any([all([textOf("("), rule(ROOT), textOf(")")]), textOf("x")]), 0, Infinity));
  expect(["", "x", "(x)(())", "((x)"].map((text) => matches(brackets, text))).toEqual([true, true, true, false]);
  expect(["((x)", "(x))"].map((text) => prefixes(brackets, text))).toEqual([true, false]);
  const wrapped = (one: string): Item => all([textOf(one), rule(ROOT), textOf(one)]);
  const palindromes = grammar(any([textOf(""), textOf("a"), textOf("b"), wrapped("a"), wrapped("b")]));
  const some = short(5).filter((text) => !text.includes("é"));
  expect(some.filter((text) => matches(palindromes, text))).toEqual(
    some.filter((text) => text === Array.from(text).reverse().join("")),
  );
  const sum = grammar(any([textOf("1"), all([rule(ROOT), textOf("+"), rule(ROOT)])]));
  expect(["1", `1${"+1".repeat(30)}`, "1+", "+1"].map((text) => matches(sum, text))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(prefixes(sum, "1+1+")).toBe(true);
  const empty = grammar(all([rule("e"), rule("e"), textOf("a")]), {
    e: any([textOf(""), all([rule("e"), textOf("b")])]),
  });
  expect(["a", "ba", "bba", "ab"].map((text) => matches(empty, text))).toEqual([true, true, true, false]);
});

/** All lists of members up to a length, as the definition says. */
function lists(
  members: Item & { readonly kind: "members" },
  begin: readonly (number | "other")[] = [],
): (number | "other")[][] {
  const { order, min, max, others } = members;
  const used = begin.filter((one) => one !== "other");
  const hasAll = members.members.every(({ isRequired }, i) => !isRequired || used.includes(i));
  const isInOrder =
    order === "any" || begin.every((one, i) => i === 0 || one === "other" || Number(begin[i - 1]) < one);
  const own = hasAll && isInOrder && begin.length >= min && begin.length <= max ? [[...begin]] : [];
  if (begin.length === 4) return own;
  const next = [...members.members.keys()].filter((i) => !used.includes(i));
  return [
    ...own,
    ...[...next, ...(others ? ["other" as const] : [])].flatMap((one) => lists(members, [...begin, one])),
  ];
}

test("members: in their order or in any, required or not, counted", () => {
  const bounds = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(0, 1, 2, Infinity));
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 3 }),
      fc.constantFrom("declared" as const, "any" as const),
      fc.boolean(),
      bounds,
      fc.boolean(),
      (required, order, hasOthers, [min, more], isRecursive) => {
        const members: Item & { readonly kind: "members" } = {
          kind: "members",
          members: required.map((isRequired, i) => ({
            item: isRecursive ? rule(`m${i}`) : textOf(String(i)),
            isRequired,
          })),
          separator: textOf(","),
          order,
          ...(hasOthers ? { others: textOf("o") } : {}),
          min,
          max: min + more,
        };
        // a rule that is recursive has members that no regular language has
        const rules = grammar(members, {
          m0: textOf("0"),
          m1: any([textOf("1"), all([textOf("("), rule("m1"), textOf(")")])]),
          m2: textOf("2"),
        });
        const valid = new Set(lists(members).map((list) => list.map((one) => (one === "other" ? "o" : one)).join(",")));
        const parts = ["0", "1", "2", "o"];
        const candidates = [""];
        for (const a of parts) {
          candidates.push(a, `${a},`);
          for (const b of parts) {
            candidates.push(`${a},${b}`, `${a}${b}`);
            for (const c of parts) {
              candidates.push(`${a},${b},${c}`);
              for (const d of parts) candidates.push(`${a},${b},${c},${d}`);
            }
          }
        }
        const found = matcher(rules);
        expect(candidates.filter((text) => found.matches(text))).toEqual(candidates.filter((text) => valid.has(text)));
        // texts of at most 4 parts have all beginnings of at most 1 part, for these counts
        const beginnings = new Set([...valid].flatMap((text) => Array.from(text).map((_, i) => text.slice(0, i + 1))));
        for (const text of beginnings) expect({ text, begins: found.begins(text) }).toEqual({ text, begins: true });
        if (min <= 2 && valid.size > 0)
          for (const text of parts)
            expect({ text, begins: found.begins(text) }).toEqual({ text, begins: beginnings.has(text) });
      },
    ),
    { numRuns: 150, seed: 3 },
  );
});

test("members of objects in objects", () => {
  const object = grammar(all([textOf("{"), rule("members"), textOf("}")]), {
    members: {
      kind: "members",
      members: [
        { item: all([textOf("a:"), rule(ROOT)]), isRequired: false },
        { item: textOf("b"), isRequired: true },
      ],
      separator: textOf(","),
      order: "any",
      min: 1,
      max: 2,
    },
  });
  const cases = {
    "{b}": true,
    "{a:{b},b}": true,
    "{b,a:{b,a:{b}}}": true,
    "{}": false,
    "{a:{b}}": false,
    "{b,b}": false,
  };
  expect(Object.fromEntries(Object.keys(cases).map((text) => [text, matches(object, text)]))).toEqual(cases);
  expect([prefixes(object, "{a:{b}"), prefixes(object, "{b,b")]).toEqual([true, false]);
});

test("a long text, and large counts", () => {
  const long = grammar({
    kind: "intersection",
    items: [repeat(ANY_CHARACTER, 100, 16_384), repeat(any([textOf("ab"), textOf("ba"), textOf("a")]), 0, Infinity)],
  });
  expect(matches(long, "aba".repeat(700))).toBe(true);
  expect(matches(long, `${"aba".repeat(700)}bb`)).toBe(false);
  const nested = grammar(
    any([textOf("x"), all([textOf("["), rule(ROOT), repeat(all([textOf(","), rule(ROOT)]), 0, 2000), textOf("]")])]),
  );
  expect(matches(nested, `${"[".repeat(300)}x${",x]".repeat(300)}`)).toBe(true);
  expect(matches(nested, `[x${",x".repeat(1000)}]`)).toBe(true);
  expect(matches(grammar(text([0, 0x1f600])), "\0😀")).toBe(true);
});
