/**
 * The kinds of features: where the values of a column come from that the host feeds. What a host does for each kind is a table with the
 * same keys; C++ has the kinds, their forms and their members from here.
 */
import type { Feature, FeatureSource, TextSource, TokenSequence, UniformExpr } from "./graph.js";

export type FeatureKind = FeatureSource["kind"];
type FeatureForm = Feature["form"]["kind"];
/** In the order of their numbers in C++. */
export const FEATURE_FORMS = ["dense", "bits", "sparse"] as const satisfies readonly FeatureForm[];
/** A source of one kind. */
export type SourceOf<Kind extends FeatureKind> = Extract<FeatureSource, { readonly kind: Kind }>;

/** What a member of a source is in a spec. */
export const MEMBER_TYPES = [
  "window",
  "text",
  "breakers",
  "sequences",
  "grammar",
  "expression",
  "truth",
  "name",
  "index",
  "inputType",
] as const;
export type MemberType = (typeof MEMBER_TYPES)[number];

/** The members of a source beside its kind; a name that ends in `?` is optional. */
type MembersOf<From> = {
  readonly [
    Name in Exclude<keyof From, "kind"> & string as object extends Pick<From, Name> ? `${Name}?` : Name
  ]: MemberType;
};

/** What the calling program gives a feature: biases, or something with a name. */
type Given =
  | { readonly kind: "bias" }
  /** A list of at most `capacity` tokens. */
  | { readonly kind: "text"; readonly name: string; readonly capacity: number }
  /** A number for each token, or pairs; without a type any numbers. */
  | { readonly kind: "column"; readonly name: string; readonly type?: "i32" | "bool" }
  /** The logits of another sequence. */
  | { readonly kind: "guide"; readonly name: string };

/** New numbers for what a source refers to. */
interface Renumbering {
  readonly expr: (expr: UniformExpr) => UniformExpr;
  readonly set: (set: number) => number;
}

interface FeatureRule<From> {
  /** The forms that its values can have. */
  readonly forms: readonly FeatureForm[];
  readonly members: MembersOf<From>;
  /** What the calling program gives it. Absent or undefined: the host has all that it needs. */
  readonly given?: (from: From) => Given | undefined;
  /** The name of its column, if that is not its kind. */
  readonly column?: (from: From) => string;
  /** The uniform expression that it has: the size of its window, or when its grammar is asked. */
  readonly expr?: (from: From) => UniformExpr | undefined;
  readonly renumbered?: (from: From, numbers: Renumbering) => From;
  /** Its list of breakers or of sequences. */
  readonly list?: (from: From) => readonly TokenSequence[];
}

interface Windowed {
  readonly last: UniformExpr;
  readonly in?: TextSource;
}

/** Counts among the last tokens of a text. */
const windowed = {
  forms: ["sparse"],
  given: ({ in: text }: Windowed): Given | undefined =>
    typeof text === "object" ? { kind: "text", name: text.input, capacity: text.capacity } : undefined,
  expr: ({ last }: Windowed) => last,
  renumbered: <From extends Windowed>(from: From, { expr }: Renumbering): From => ({ ...from, last: expr(from.last) }),
} as const;

/** In the order of their numbers in C++. */
export const FEATURES: { readonly [Kind in FeatureKind]: FeatureRule<SourceOf<Kind>> } = {
  occurrences: { ...windowed, members: { last: "window", "in?": "text" } },
  repeat_len: {
    ...windowed,
    members: { last: "window", breakers: "breakers", "in?": "text" },
    list: ({ breakers }) => breakers,
  },
  completes: { forms: ["sparse"], members: { sequences: "sequences" }, list: ({ sequences }) => sequences },
  bias: { forms: ["sparse"], members: {}, given: () => ({ kind: "bias" }) },
  allowed: {
    // dense in graphs of earlier compilers
    forms: ["bits", "dense"],
    members: { grammar: "grammar", "when?": "expression", "first?": "truth" },
    expr: ({ when }) => when,
    renumbered: (from, { expr }) => (from.when === undefined ? from : { ...from, when: expr(from.when) }),
  },
  guide: { forms: ["dense"], members: { name: "name" }, given: ({ name }) => ({ kind: "guide", name }) },
  set: {
    forms: ["dense", "sparse"],
    members: { set: "index", "not?": "truth" },
    column: ({ set, not }) => `${not ? "not_" : ""}set${set}`,
    renumbered: (from, { set }) => ({ ...from, set: set(from.set) }),
  },
  input: {
    forms: ["dense", "sparse"],
    members: { name: "name", "type?": "inputType" },
    given: ({ name, type }) => ({ kind: "column", name, ...(type && { type }) }),
    column: ({ name }) => name,
  },
};

/** The record of a source's kind. */
const ruleOf = ({ kind }: FeatureSource): FeatureRule<FeatureSource> => FEATURES[kind] as FeatureRule<FeatureSource>;

export const formsOf = ({ kind }: FeatureSource): readonly FeatureForm[] => FEATURES[kind].forms;
export const givenTo = ({ from }: Pick<Feature, "from">): Given | undefined => ruleOf(from).given?.(from);
export const columnName = (from: FeatureSource): string => ruleOf(from).column?.(from) ?? from.kind;
export const exprOfFeature = ({ from }: Pick<Feature, "from">): UniformExpr | undefined => ruleOf(from).expr?.(from);
export const listOf = (from: FeatureSource): readonly TokenSequence[] | undefined => ruleOf(from).list?.(from);
export const renumberedSource = (from: FeatureSource, numbers: Renumbering): FeatureSource =>
  ruleOf(from).renumbered?.(from, numbers) ?? from;

export type NamedInput = Exclude<Given, { kind: "bias" }> & Pick<Feature, "form">;

/** What the calling program gives by name: texts, columns and guides, each once. */
export function namedInputs(features: readonly Feature[]): NamedInput[] {
  const named = features.flatMap((feature) => {
    const given = givenTo(feature);
    return given === undefined || given.kind === "bias" ? [] : [{ ...given, form: feature.form }];
  });
  // a text may be read by several features
  return named.filter(({ name }, i) => named.findIndex((other) => other.name === name) === i);
}
