/** The tokens of a grammar of ohm as regular expressions with the flag `u`. */

/** A parsed expression of ohm's recipe: its kind, where it is, and its parts. */
type Expression = readonly [kind: string, at: unknown, ...parts: unknown[]];
/** A rule of ohm's recipe: its kind, where it is, its description, its parameters and its body. */
type Rule = readonly [
  kind: string,
  at: unknown,
  description: string | null,
  params: readonly string[],
  body: Expression,
];
export type Rules = Readonly<Record<string, Rule>>;

/** Ohm's own rules, as sets of characters. */
const OHM: Readonly<Record<string, string>> = {
  letter: String.raw`\p{L}`,
  digit: "0-9",
  alnum: String.raw`\p{L}0-9`,
  any: String.raw`\u{0}-\u{10ffff}`,
};

/** A part of a regular expression, which repeats as a whole; `set` are its characters, if it is one character of a set. */
interface Part {
  readonly text: string;
  readonly set?: string;
}

const oneOf = (set: string): Part => ({ set, text: set === OHM["any"] ? "[^]" : `[${set}]` });
const group = (text: string): Part => ({ text: `(?:${text})` });
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
const character = (c: string): string => (/[\w ]/.test(c) ? c : `\\u{${c.codePointAt(0)!.toString(16)}}`);

/** The regular expression of a lexical rule that does not refer to itself. An alternative or a condition that is the rule `without` is left out. */
export const regexOf = (rules: Rules, name: string, without?: string): string =>
  partOf(rules, rules[name]![4], without).text;

function partOf(rules: Rules, expression: Expression, without?: string): Part {
  const [kind, , ...rest] = expression;
  const parts = rest as Expression[];
  const of = (part: Expression): Part => partOf(rules, part);
  switch (kind) {
    case "terminal": {
      const text = String(rest[0]);
      return text.length === 1 ? { set: character(text), text: escaped(text) } : group(escaped(text));
    }
    case "range":
      return oneOf(`${character(String(rest[0]))}-${character(String(rest[1]))}`);
    case "app": {
      const name = String(rest[0]);
      const set = OHM[name];
      return set === undefined ? of(rules[name]![4]) : oneOf(set);
    }
    case "alt": {
      const kept = parts.filter((part) => !isRule(part, without)).map(of);
      const sets = kept.flatMap(({ set }) => (set === undefined ? [] : [set]));
      return sets.length === kept.length ? oneOf(sets.join("")) : group(kept.map(({ text }) => text).join("|"));
    }
    case "seq":
      return group(
        sequence(
          rules,
          parts.filter(([what, , part]) => what !== "not" || !isRule(part as Expression, without)),
        ),
      );
    case "star":
      return group(`${repeated(rules, parts[0]!)}*`);
    case "plus":
      return group(`${repeated(rules, parts[0]!)}+`);
    case "opt":
      return group(`${of(parts[0]!).text}?`);
    case "not":
      return { text: `(?!${of(parts[0]!).text})` };
    case "lookahead":
      return { text: `(?=${of(parts[0]!).text})` };
    default:
      throw new Error(`an expression of kind ${kind} has no form as a regular expression`);
  }
}

const isRule = ([kind, , name]: Expression, rule?: string): boolean => kind === "app" && name === rule;

/** Everything up to a text is matched without looking back, which long comments need. */
function sequence(rules: Rules, parts: readonly Expression[]): string {
  return parts
    .map((part, i) => {
      const until = untilOf(part);
      return until !== undefined && until === parts[i + 1]?.[2] ? "[^]*?" : partOf(rules, part).text;
    })
    .join("");
}

/** The text before which `(~text any)*` ends. */
function untilOf([kind, , inner]: Expression): unknown {
  if (kind !== "star") return undefined;
  const [what, , not, any] = inner as Expression;
  const isAny = what === "seq" && (any as Expression)[0] === "app" && (any as Expression)[2] === "any";
  return isAny && (not as Expression)[0] === "not" ? ((not as Expression)[2] as Expression)[2] : undefined;
}

/** What is repeated: one of its alternatives that is itself repeated would be tried in exponentially many ways. */
function repeated(rules: Rules, expression: Expression): string {
  const [kind, , ...rest] = expression;
  const single = (part: Expression): Expression => {
    const inner = part[0] === "app" ? rules[part[2] as string]?.[4] : part;
    return inner?.[0] === "plus" ? (inner[2] as Expression) : part;
  };
  const parts = kind === "alt" ? ["alt", null, ...(rest as Expression[]).map(single)] : single(expression);
  return partOf(rules, parts as unknown as Expression).text;
}

/** The texts that rules match, from `start` on; the rules named in `tokens` are not looked into. */
export function terminalsOf(rules: Rules, start: string, tokens: readonly string[]): string[] {
  const seen = new Set<string>(tokens);
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (!Array.isArray(value)) return;
    const [kind, , text, ...rest] = value as unknown[];
    if (kind === "not") return;
    if (kind === "terminal") found.add(text as string);
    if (kind === "app" && !seen.has(text as string)) {
      seen.add(text as string);
      visit(rules[text as string]?.[4]);
    }
    if (kind === "app") for (const arg of rest.flat()) visit(arg);
    else for (const part of [text, ...rest]) visit(part);
  };
  visit(rules[start]![4]);
  return [...found];
}
