/** Random well-typed programs: samplers of every construct of the language, in chains with those of the standard library. */
import * as fc from "fast-check";
import { declareFunction } from "./declared.js";
import { functions } from "./expressions.js";
import {
  bindParams,
  bindSets,
  paramChoices,
  setChoices,
  type Draft,
  type ParamChoice,
  type SetChoice,
  type TokenValues,
} from "./params.js";
import { grammarChoices } from "./grammars.js";
import { endingConstants, FIRST_TEXTS, setLiterals } from "./sets.js";
import {
  extremeTemperatures,
  orderAfter,
  standardFilters,
  standardPicks,
  standardStage,
  type StandardChoice,
} from "./standard.js";
import { afterPick, body, measure, picks, settledPick, stateDeclaration, stop, write } from "./statements.js";
import { counter, newScope, type FunctionName, type Kind, type Named, type Scope, type Text } from "./text.js";

export interface ProgramInput {
  readonly name: string;
  readonly type: "f32" | "i32" | "bool" | "logits";
  /** Maximum number of pairs; undefined for a dense input. */
  readonly capacity: number | undefined;
  readonly fill: number;
}

export interface Program {
  readonly text: string;
  /** Values of the chain's static parameters. */
  readonly set: Readonly<Record<string, number | TokenValues>>;
  /** Values of the chain's uniforms. */
  readonly uniforms: Readonly<Record<string, number>>;
  /** Values of its sets of tokens, one for each step in turn. */
  readonly sets: Readonly<Record<string, readonly TokenValues[]>>;
  /** The smallest vocabulary that has all its tokens. */
  readonly leastVocab: number;
  readonly inputs: readonly ProgramInput[];
  readonly picks: "sample" | "argmax" | undefined;
  /** The grammar that it follows. */
  readonly grammar: string | undefined;
}

// ---------------------------------------------------------------- random choices

interface OwnChoice {
  readonly params: readonly ParamChoice[];
  readonly sets: readonly SetChoice[];
  readonly states: readonly Text[];
  readonly body: Text;
  /** Before and after the pick. */
  readonly measures: readonly [Text | undefined, Text | undefined];
  readonly stop: Text | undefined;
  readonly write: Text | undefined;
  readonly after: Text | undefined;
}

interface EndChoice {
  readonly how: "sample" | "argmax" | "settled" | "standard" | "none";
  readonly sample: Text;
  readonly argmax: Text;
  readonly settled: Text;
  readonly standard: StandardChoice;
  readonly own: OwnChoice;
}

type StageChoice = { readonly own: OwnChoice } | { readonly standard: StandardChoice };

/** In a quarter of the places: only some runtimes know it. */
const seldom = <T>(part: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: part });

const ownChoices = (maxParams: number): fc.Arbitrary<OwnChoice> =>
  fc.record({
    params: fc.array(paramChoices, { maxLength: maxParams, size: "max" }),
    sets: fc.array(setChoices, { maxLength: 2 }),
    states: fc.array(stateDeclaration, { maxLength: 2, size: "max" }),
    body,
    measures: fc.tuple(fc.option(measure, { nil: undefined }), fc.option(measure, { nil: undefined })),
    write: seldom(write),
    stop: fc.option(stop, { nil: undefined, freq: 2 }),
    after: fc.option(afterPick, { nil: undefined, freq: 3 }),
  });

const stageChoices: fc.Arbitrary<StageChoice> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ own: ownChoices(3) }) },
  { weight: 2, arbitrary: fc.record({ standard: standardFilters }) },
  { weight: 1, arbitrary: fc.record({ standard: extremeTemperatures }) },
);

const endChoices: fc.Arbitrary<EndChoice> = fc.record({
  how: fc.constantFrom<EndChoice["how"]>("sample", "sample", "sample", "argmax", "settled", "standard", "none"),
  sample: picks.sample,
  argmax: picks.argmax,
  settled: settledPick,
  standard: standardPicks,
  own: ownChoices(3),
});

const constChoices = fc.array(fc.constantFrom("0.5", "3", "-2", "1e-9", "(1 + 2) / 4", "max(2, 5) % 3"), {
  maxLength: 2,
});
const inputChoices = fc.array(
  fc.record({
    type: fc.constantFrom<ProgramInput["type"]>("f32", "f32", "i32", "bool", "logits"),
    capacity: fc.constantFrom(undefined, 1, 4, 64),
    fill: fc.constantFrom(0, 1),
  }),
  { maxLength: 2 },
);

// ---------------------------------------------------------------- program text

const KIND_OF_INPUT: Readonly<Record<ProgramInput["type"], Kind>> = {
  f32: "column",
  i32: "column",
  bool: "mask",
  logits: "column",
};

/** A stage, and the sampler it calls unless that is in the standard library. */
interface Written {
  readonly call: string;
  readonly sampler?: string;
  readonly standard?: string;
  /** The logits that a standard sampler reads, which it declares itself. */
  readonly guides?: readonly string[];
}

function writeOwn(draft: Draft, globals: Scope, choice: OwnChoice, pick: Text | undefined): Written {
  const { fresh } = draft.scope;
  const { declarations, args, names, seeds } = bindParams(draft, choice.params);
  const sets = bindSets(draft, choice.sets, globals.sets);
  const scope: Scope = {
    ...globals,
    names: [...globals.names, ...names],
    seeds: [...seeds],
    states: [],
    sets: [...globals.sets, ...sets.names],
  };
  const name = fresh("own");
  const canUsePicked = pick !== undefined;
  const [before, after] = choice.measures;
  const lines = [...choice.states.map((write) => write(scope)), choice.body(scope)];
  if (choice.write) lines.push(choice.write(scope));
  if (before) lines.push(before(scope));
  if (pick) lines.push(pick(scope));
  if (after) lines.push(after({ ...scope, canUsePicked }));
  if (choice.stop) lines.push(choice.stop({ ...scope, canUsePicked }));
  // a state may have changed
  if (choice.after) lines.push(choice.after({ ...scope, names: [...scope.names], canUsePicked, canUseWindows: false }));
  globals.order = scope.order;
  const params = [...declarations, ...sets.declarations];
  const sampler = `sampler ${name}(${params.join(", ")}) {\n  ${lines.join("\n  ")}\n}`;
  return { call: `${name}(${[...args, ...sets.args].join(", ")})`, sampler };
}

function writeStandard(draft: Draft, globals: Scope, choice: StandardChoice): Written {
  const { name, guides } = choice.sampler;
  globals.order = orderAfter(choice, globals.order);
  const alias = choice.isRenamed ? draft.scope.fresh("std") : name;
  return {
    call: standardStage(draft, choice, alias),
    standard: alias === name ? name : `${name} as ${alias}`,
    guides,
  };
}

function writeEnd(draft: Draft, globals: Scope, end: EndChoice): Written[] {
  if (end.how === "none") return [];
  if (end.how === "standard") return [writeStandard(draft, globals, end.standard)];
  return [writeOwn(draft, globals, end.own, end[end.how])];
}

/** The pick of the last stage. One that the arguments decide is checked as the looser of the two. */
function picksOf({ how, standard }: EndChoice): Program["picks"] {
  if (how === "standard") return standard.sampler.picks;
  return how === "settled" ? "argmax" : how === "none" ? undefined : how;
}

export const programs: fc.Arbitrary<Program> = fc
  .record({
    consts: constChoices,
    sets: fc.array(setLiterals, { maxLength: 2 }),
    endings: fc.array(endingConstants, { maxLength: 1 }),
    functions: fc.array(functions, { maxLength: 3 }),
    grammar: seldom(fc.record({ source: grammarChoices, at: fc.nat({ max: 2 }) })),
    /** Block comments between the parts, and commas after the last items. */
    style: fc.record({ comments: fc.boolean(), commas: fc.boolean() }),
    inputs: inputChoices,
    stages: fc.array(stageChoices, { maxLength: 2, size: "max" }),
    end: endChoices,
    /** Number of stages that form a nested chain. */
    nested: fc.constantFrom(0, 0, 0, 1, 2),
  })
  .filter(({ stages, end }) => stages.length > 0 || end.how !== "none")
  .map(({ consts, sets, endings, functions: functionsOf, grammar, style, inputs, stages, end, nested }): Program => {
    const fresh = counter();
    const header: string[] = [];
    const names: Named[] = [];
    const declare = (prefix: string, value: string): string => {
      const name = fresh(prefix);
      header.push(`const ${name} = ${value}`);
      return name;
    };
    for (const value of consts)
      names.push({
        name: declare("c", value),
        kind: /^-?[0-9]+$/.test(value) ? "whole" : "scalar",
        rate: "static",
      });
    const declared = inputs.map(({ type, capacity, fill }): ProgramInput => {
      const name = fresh("x");
      const isDense = capacity === undefined || type === "logits";
      header.push(`input ${name}: ${type}${isDense ? "" : ` sparse(${capacity}) = ${fill}`}`);
      names.push({ name, kind: KIND_OF_INPUT[type], rate: "runtime" });
      return { name, type, capacity: isDense ? undefined : capacity, fill };
    });
    let globals = newScope(
      {
        names,
        sets: sets.map((value) => declare("t", value)),
        endings: endings.map((value) => declare("e", value)),
      },
      fresh,
    );
    const declaredFunctions: FunctionName[] = [];
    for (const choice of functionsOf) {
      const { text, declared: made } = declareFunction(globals, choice);
      header.push(text);
      declaredFunctions.push(made);
      globals = { ...globals, functions: [...declaredFunctions] };
    }
    const scope = newScope({ functions: globals.functions }, fresh);
    if (grammar) {
      const { gbnf, rules } = grammar.source;
      globals = { ...globals, grammar: { name: declare("g", JSON.stringify(gbnf)), rules } };
    }
    const draft: Draft = { scope, params: [], set: {}, uniforms: {}, sets: {}, changing: {} };
    const written = [
      ...stages.map((s) =>
        "own" in s ? writeOwn(draft, globals, s.own, undefined) : writeStandard(draft, globals, s.standard),
      ),
      ...writeEnd(draft, globals, end),
    ];
    if (globals.grammar)
      written.splice(Math.min(grammar!.at, stages.length), 0, {
        call: `constrain(${globals.grammar.name})`,
        standard: "constrain",
      });
    const guides = new Set(written.flatMap((w) => w.guides ?? []));
    for (const name of guides) declared.push({ name, type: "logits", capacity: undefined, fill: 0 });
    const standard = [...new Set(written.flatMap((w) => w.standard ?? []))];
    const imports = standard.length > 0 ? [`import { ${standard.join(", ")} } from "std"`] : [];
    const text = [
      ...imports,
      ...header,
      ...written.flatMap((w) => w.sampler ?? []),
      ...writeChains(
        draft,
        written.map((w) => w.call),
        nested,
      ),
    ].join("\n");
    return {
      text: styled(text, style),
      set: { ...draft.set, ...draft.sets },
      uniforms: draft.uniforms,
      sets: draft.changing,
      leastVocab: NEEDS_TOKENS.test(text) ? FIRST_TEXTS.length : 1,
      inputs: declared,
      picks: picksOf(end),
      grammar: grammar?.source.gbnf,
    };
  });

/** What is about tokens by their ids or texts. */
const NEEDS_TOKENS = /\btokens\b|\b(?:ends_with|since|inside|completes|constrain)\(|\bwrite "/;

/** The same program, written in another way. */
function styled(text: string, { comments, commas }: { comments: boolean; commas: boolean }): string {
  const closed = commas ? text.replace(/([a-z0-9])\) \{$/gm, "$1,) {").replace(/^(import \{ .*) \}/gm, "$1, }") : text;
  return comments ? closed.replaceAll("\n", "\n/* *\n */ ") : closed;
}

/** The chain; its first `nested` stages are a chain too, with the same parameters. */
function writeChains({ params }: Draft, calls: readonly string[], nested: number): string[] {
  const head = (name: string, used: Draft["params"]): string =>
    used.length === 0 ? `chain ${name}` : `chain ${name}(${used.map((p) => p.declaration).join(", ")})`;
  const whole = head("main", params);
  const inner = calls.slice(0, nested);
  if (inner.length === 0) return [`${whole} = ${calls.join(" |> ")}`];
  const used = params.filter(({ name }) => inner.some((call) => new RegExp(`\\b${name}\\b`).test(call)));
  const call = `part(${used.map(({ name }) => `${name}: ${name}`).join(", ")})`;
  return [`${head("part", used)} = ${inner.join(" |> ")}`, `${whole} = ${[call, ...calls.slice(nested)].join(" |> ")}`];
}
