/** Random well-typed programs: samplers of every construct of the language, in chains with those of the standard library. */
import * as fc from "fast-check";
import { bindParams, paramChoices, type Draft, type ParamChoice } from "./params.js";
import { extremeTemperatures, standardFilters, standardPicks, standardStage, type StandardChoice } from "./standard.js";
import { afterPick, body, picks, settledPick, stateDeclaration } from "./statements.js";
import { counter, newScope, type Kind, type Named, type Text } from "./text.js";

export interface ProgramInput {
  readonly name: string;
  readonly type: "f32" | "i32" | "bool";
  /** Maximum number of pairs; undefined for a dense input. */
  readonly capacity: number | undefined;
  readonly fill: number;
}

export interface Program {
  readonly text: string;
  /** Values of the chain's static parameters. */
  readonly set: Readonly<Record<string, number>>;
  /** Values of the chain's uniforms. */
  readonly uniforms: Readonly<Record<string, number>>;
  readonly inputs: readonly ProgramInput[];
  readonly picks: "sample" | "argmax" | undefined;
}

// ---------------------------------------------------------------- random choices

interface OwnChoice {
  readonly params: readonly ParamChoice[];
  readonly states: readonly Text[];
  readonly body: Text;
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

const ownChoices = (maxParams: number): fc.Arbitrary<OwnChoice> =>
  fc.record({
    params: fc.array(paramChoices, { maxLength: maxParams, size: "max" }),
    states: fc.array(stateDeclaration, { maxLength: 2, size: "max" }),
    body,
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
    type: fc.constantFrom<ProgramInput["type"]>("f32", "f32", "i32", "bool"),
    capacity: fc.constantFrom(undefined, 1, 4, 64),
    fill: fc.constantFrom(0, 1),
  }),
  { maxLength: 2 },
);

// ---------------------------------------------------------------- program text

const KIND_OF_INPUT: Readonly<Record<ProgramInput["type"], Kind>> = { f32: "column", i32: "column", bool: "mask" };

/** A stage, and the sampler it calls unless that is in the standard library. */
interface Written {
  readonly call: string;
  readonly sampler?: string;
  readonly standard?: string;
  /** The logits that a standard sampler reads, which it declares itself. */
  readonly guides?: readonly string[];
}

function writeOwn(draft: Draft, globals: readonly Named[], choice: OwnChoice, pick: Text | undefined): Written {
  const { fresh } = draft.scope;
  const { declarations, args, names, seeds } = bindParams(draft, choice.params);
  const scope = newScope({ names: [...globals, ...names], seeds: [...seeds] }, fresh);
  const name = fresh("own");
  const lines = [...choice.states.map((write) => write(scope)), choice.body(scope)];
  if (pick) lines.push(pick(scope));
  if (choice.after) lines.push(choice.after({ ...scope, names: [...scope.names], canUsePicked: pick !== undefined }));
  const sampler = `sampler ${name}(${declarations.join(", ")}) {\n  ${lines.join("\n  ")}\n}`;
  return { call: `${name}(${args.join(", ")})`, sampler };
}

const writeStandard = (draft: Draft, choice: StandardChoice): Written => ({
  call: standardStage(draft, choice),
  standard: choice.sampler.name,
  guides: choice.sampler.guides,
});

function writeEnd(draft: Draft, globals: readonly Named[], end: EndChoice): Written[] {
  if (end.how === "none") return [];
  if (end.how === "standard") return [writeStandard(draft, end.standard)];
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
    inputs: inputChoices,
    stages: fc.array(stageChoices, { maxLength: 2, size: "max" }),
    end: endChoices,
    /** Number of stages that form a nested chain. */
    nested: fc.constantFrom(0, 0, 0, 1, 2),
  })
  .filter(({ stages, end }) => stages.length > 0 || end.how !== "none")
  .map(({ consts, inputs, stages, end, nested }): Program => {
    const fresh = counter();
    const globals: Named[] = [];
    const header: string[] = [];
    for (const value of consts) {
      const name = fresh("c");
      header.push(`const ${name} = ${value}`);
      globals.push({ name, kind: /^-?[0-9]+$/.test(value) ? "whole" : "scalar", rate: "static" });
    }
    const declared = inputs.map(({ type, capacity, fill }): ProgramInput => {
      const name = fresh("x");
      header.push(`input ${name}: ${type}${capacity === undefined ? "" : ` sparse(${capacity}) = ${fill}`}`);
      globals.push({ name, kind: KIND_OF_INPUT[type], rate: "runtime" });
      return { name, type, capacity, fill };
    });
    const draft: Draft = { scope: newScope({}, fresh), params: [], set: {}, uniforms: {} };
    const written = [
      ...stages.map((s) =>
        "own" in s ? writeOwn(draft, globals, s.own, undefined) : writeStandard(draft, s.standard),
      ),
      ...writeEnd(draft, globals, end),
    ];
    const guides = new Set(written.flatMap((w) => w.guides ?? []));
    for (const name of guides) declared.push({ name, type: "f32", capacity: undefined, fill: 0 });
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
    return { text, set: draft.set, uniforms: draft.uniforms, inputs: declared, picks: picksOf(end) };
  });

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
