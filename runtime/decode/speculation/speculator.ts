/**
 * Speculation of one sequence: the last token is decoded together with a draft, and an output that was computed ahead is given
 * when the text has reached it with the same tokens, uniforms and inputs. So the text is that of decoding each token alone.
 */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { grammarOf, varying } from "../../sequence/features/feed.js";
import { grammarsReady } from "../../sequence/features/followed.js";
import type { GrammarState } from "../../grammars/types.js";
import type { InputError } from "../../core/errors.js";
import type { ChainResults } from "../../backends/native/binding.js";
import type { Row, Slot, SlotOutput, Step } from "../scheduler/step.js";
import {
  acceptToken,
  featureInputs,
  uniformsOf,
  type SequenceState,
  type UniformValues,
} from "../../sequence/sequence.js";
import type { Draft, Drafter, TextSoFar } from "./drafter.js";
import { knownStates } from "./known.js";
import { Pace } from "./pace.js";

/** What speculation holds of its sequence. */
interface SpeculatorParts {
  readonly graph: Graph;
  readonly vocabSize: number;
  readonly drafter: Drafter;
  /** The most tokens of a draft. */
  readonly most: number;
  /** Whether drafts are only as long as pays. */
  readonly isAdaptive: boolean;
  readonly isEnd: (token: number) => boolean;
  /** The sequence for the next token. */
  readonly settled: (sequence: SequenceState) => SequenceState;
  /** The chain on a row of the model's own logits. */
  readonly evaluate: (logits: Float32Array, row: Row) => ChainResults;
}

/** Where the text is. */
interface Present {
  readonly slot: Slot;
  /** The text so far. */
  readonly tokens: Int32Array;
  readonly sequence: SequenceState;
  /** The step for the next token, without a draft. */
  readonly step: Step;
  /** The most tokens that a draft can be used for. */
  readonly room: number;
  /** The step with more tokens, for guides too. */
  readonly extend: (draft: readonly number[]) => Pick<Step, "tokens" | "guides">;
}

/** Where a text is that can go on by itself. */
type Resting = Pick<Present, "slot" | "tokens" | "sequence" | "room"> & {
  /** More tokens than the last one are read with the next token. */
  readonly isBehind: boolean;
};

/** What was computed ahead of the text. */
interface Ahead {
  /** The length of the text that the draft follows. */
  readonly base: number;
  readonly draft: readonly number[];
  readonly kind: number;
  readonly rows: readonly Row[];
  readonly outputs: readonly SlotOutput[];
}

/** Counts of a generation. */
export interface SpeculationStats {
  /** Tokens that were decoded before they were picked. */
  drafted: number;
  /** Those of them that were picked then. */
  accepted: number;
  /** Batches of the sequence. */
  decodes: number;
}

export class Speculator {
  readonly stats: SpeculationStats = { drafted: 0, accepted: 0, decodes: 0 };
  private readonly states: ReturnType<typeof knownStates>;
  private pace: Pace | undefined;
  private ahead: Ahead | undefined;
  /** Milliseconds that the host took for outputs that were computed ahead, since the latest decode. */
  private host = 0;
  /** The first token of a draft that was not decoded, to compare with the text. */
  private guess: { readonly kind: number; readonly token: number; readonly base: number } | undefined;

  constructor(private readonly parts: SpeculatorParts) {
    this.states = knownStates(parts.graph, parts.vocabSize);
  }

  /** Whether texts may go on by themselves where no draft pays. */
  get isAdaptive(): boolean {
    return this.parts.isAdaptive;
  }

  /** Whether the text goes on by itself: no output was computed ahead, and no draft pays now. */
  rests(text: Resting): boolean {
    // not the sequence, which is computed where it is read
    const { slot, tokens, room, isBehind } = text;
    this.begin(slot, tokens);
    if (this.isAhead(tokens)) return false;
    this.drop(tokens);
    return isBehind || !this.pays(text, room);
  }

  /** The text has gone on by itself, with a token that the model was asked for or not. Whether it is better asked now. */
  pass(text: TextSoFar, room: number, isDecoded: boolean): boolean {
    this.check(text.tokens);
    if (!isDecoded) return false;
    this.stats.decodes++;
    this.pace!.rest();
    return this.pace!.looks() && this.pays(text, room);
  }

  /** Whether a draft pays now. */
  private pays(text: TextSoFar, room: number): boolean {
    const { drafter, most } = this.parts;
    const limit = Math.min(most, room);
    const pace = this.pace!;
    if (limit < 1 || !pace.mayDraft) return false;
    if (!drafter.isFree) return pace.best(0, limit) > 0;
    let length = 0;
    const found = drafter.draft(text, (kind) => (length = pace.best(kind, limit)));
    if (found instanceof Promise || length > 0) return true;
    this.compareWith(found, text.tokens);
    return false;
  }

  private begin(slot: Slot, tokens: Int32Array): void {
    this.pace ??= new Pace(slot.costs, this.parts.most, this.parts.drafter.isFree);
    this.check(tokens);
  }

  /** The output for the next token. */
  next(present: Present): SlotOutput | Promise<SlotOutput> {
    const start = performance.now();
    this.begin(present.slot, present.tokens);
    const known = this.known(present);
    if (known) {
      this.stats.accepted++;
      this.pace!.gain();
      this.host += performance.now() - start;
      return known;
    }
    this.drop(present.tokens);
    const since = start - this.host;
    this.host = 0;
    const draft = this.draft(present);
    return draft ? this.decodeDraft(present, draft, since) : this.decode(present, NOTHING, since);
  }

  /** The chain is given other values from the next token on, after these tokens. Throws `InputError`. */
  setUniforms(values: UniformValues, text: Int32Array): void {
    this.parts.drafter.setUniforms?.(values, text);
  }

  /** The text has only `length` tokens left. */
  rewind(length: number): void {
    this.ahead = this.guess = undefined;
    this.parts.drafter.rewind(length);
  }

  /** Whether an output was computed ahead for the text, if its chain is fed alike. */
  private isAhead(tokens: Int32Array): boolean {
    const { ahead } = this;
    const at = ahead ? tokens.length - ahead.base : 0;
    if (!ahead || at < 1 || at >= ahead.outputs.length) return false;
    for (let i = 0; i < at; i++) if (tokens[ahead.base + i] !== ahead.draft[i]) return false;
    return true;
  }

  /** The result of a row that was computed ahead, if the text has come to it. */
  private known({ tokens, step }: Present): SlotOutput | undefined {
    if (!this.isAhead(tokens)) return undefined;
    const ahead = this.ahead!;
    const at = tokens.length - ahead.base;
    const output = ahead.outputs[at]!;
    if (this.states && areEqual(ahead.rows[at - 1]!, step)) return output;
    return output.raw && { ...this.parts.evaluate(output.raw, step), sequence: output.sequence, raw: output.raw };
  }

  /** The draft to decode; undefined if none pays. */
  private draft({ tokens, sequence, room, step }: Present): Draft | undefined | Promise<Draft | undefined> {
    const { drafter, most, isAdaptive } = this.parts;
    const limit = Math.min(most, room);
    // what a prompt costs says nothing of the next tokens
    if (step.tokens.length > 1 || limit < 1) return undefined;
    let length = 0;
    const start = drafter.isFree ? 0 : performance.now();
    const found = drafter.draft(
      { tokens, sequence },
      (kind) => (length = isAdaptive ? this.pace!.length(kind, limit) : limit),
    );
    if (found instanceof Promise)
      return found.then((draft) => {
        this.pace!.draft(performance.now() - start, draft?.tokens.length ?? 0);
        return draft;
      });
    if (found && length > 0) return found;
    this.compareWith(found, tokens);
    return undefined;
  }

  private compareWith(found: Draft | undefined, { length }: Int32Array): void {
    this.guess = found && { kind: found.kind, token: found.tokens[0]!, base: length };
  }

  private async decodeDraft(
    present: Present,
    drafting: Draft | Promise<Draft | undefined>,
    asked: number,
  ): Promise<SlotOutput> {
    const start = performance.now();
    const { tokens: draft, kind } = (await drafting) ?? NONE;
    // what the draft has cost counts by itself
    const since = drafting instanceof Promise ? asked + performance.now() - start : asked;
    const rows = draft.length === 0 ? [] : await this.rowsFor(present, draft);
    try {
      return await this.decode(present, { draft: draft.slice(0, rows.length), kind, rows }, since);
    } catch (error) {
      // logits after a wrong draft must not fail the text
      if (rows.length === 0 || !(error instanceof Error) || (error as Partial<InputError>).code !== "INVALID_LOGITS")
        throw error;
      return this.decode(present, NOTHING);
    }
  }

  /** What the chain is fed with after each token of a draft; fewer where a token cannot be picked. */
  private async rowsFor({ sequence, step }: Present, draft: readonly number[]): Promise<Row[]> {
    const { graph, isEnd, settled } = this.parts;
    const end = draft.findIndex(isEnd);
    const tokens = end < 0 ? draft : draft.slice(0, end);
    // evaluated later, on the logits that come back
    if (!this.states) return tokens.map(() => step);
    // a grammar that may wait is followed token by token
    const grammars = obeysGrammars(sequence) ? await grammarsAfter(sequence, tokens) : undefined;
    const rows: Row[] = [];
    let [after, { uniforms }] = [grammars ? without(sequence) : sequence, step as Row];
    for (const [i, token] of tokens.entries()) {
      if (grammars?.some((positions) => positions && i >= positions.length)) break;
      after = acceptToken(after, token, this.states(uniforms));
      if (!grammars) await grammarsReady(after.features);
      const next = settled(grammars ? { ...after, features: withGrammars(sequence, grammars, i) } : after);
      uniforms = uniformsOf(next);
      rows.push({ uniforms, inputs: varying(graph, featureInputs(next)) });
    }
    return rows;
  }

  /** @param since when it was asked for; absent: that says little of what it costs */
  private async decode(present: Present, ahead: Omit<Ahead, "outputs" | "base">, since?: number): Promise<SlotOutput> {
    const { slot, extend, tokens } = present;
    const step = since === undefined ? present.step : { ...present.step, since };
    const { draft, rows } = ahead;
    const isRaw = !this.states || step.isRaw === true;
    const whole = draft.length === 0 ? step : { ...step, ...extend(draft), more: rows, isRaw };
    const { outputs, cost } = await slot.decodeRows(whole);
    const kept = outputs.length - 1;
    this.stats.decodes++;
    this.stats.drafted += kept;
    if (cost) this.pace!.spend(cost, kept);
    this.ahead = kept > 0 ? { ...ahead, base: tokens.length, draft: draft.slice(0, kept), outputs } : undefined;
    return outputs[0]!;
  }

  /** Compares a draft that was not decoded with the text's next token. */
  private check(tokens: Int32Array): void {
    const { guess } = this;
    this.guess = undefined;
    if (!guess || tokens.length !== guess.base + 1) return;
    const isRight = tokens[guess.base] === guess.token;
    this.pace!.learn(guess.kind, isRight ? 1 : 0, !isRight);
  }

  /** Ends what was computed ahead. */
  private drop(tokens: Int32Array): void {
    const { ahead } = this;
    this.ahead = undefined;
    if (!ahead) return;
    const { base, draft, kind } = ahead;
    const after = tokens.subarray(base);
    const wrong = draft.findIndex((token, i) => token !== after[i]);
    this.pace!.learn(kind, wrong < 0 ? draft.length : wrong, wrong >= 0 && wrong < after.length);
  }

  dispose(): void {
    this.parts.drafter.dispose();
  }
}

const NONE: Draft = { tokens: [], kind: 0 };
const NOTHING = { draft: [], kind: 0, rows: [] };

const same = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

/** Whether two rows are fed with the same numbers. */
const areEqual = (a: Row, b: Row): boolean =>
  same(a.uniforms, b.uniforms) && a.inputs.every((values, i) => same(values, b.inputs[i]!));

type Positions = readonly GrammarState[] | undefined;

/** Whether a token that a grammar does not allow cannot be picked. */
const obeysGrammars = ({ graph }: SequenceState): boolean =>
  graph.features.every(({ from }) => from.kind !== "allowed" || from.first === true);

/** For each feature with a grammar its positions after the tokens; fewer where a token may not come. */
const grammarsAfter = ({ features }: SequenceState, tokens: readonly number[]): Promise<Positions[]> =>
  Promise.all(features.map(async (feature) => grammarOf(feature)?.state.follow(tokens)));

/** The sequence without its grammars, which are accepted beside it. */
const without = (sequence: SequenceState): SequenceState => ({
  ...sequence,
  features: sequence.features.map((feature) => {
    if (feature.kind !== "allowed") return feature;
    const { grammar: _, ...rest } = feature;
    return rest;
  }),
});

const withGrammars = ({ features }: SequenceState, grammars: readonly Positions[], at: number): typeof features =>
  features.map((feature, i) =>
    feature.kind === "allowed" && grammars[i] ? { ...feature, grammar: { state: grammars[i][at]! } } : feature,
  );
