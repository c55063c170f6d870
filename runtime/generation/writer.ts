/** A running generation: one step decodes, picks with the chain in the graph, and accepts. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { unlessAborted } from "../core/aborts.js";
import type { PlacedGraph } from "../backends/devices/place.js";
import { InputError, invalid, translated } from "../core/errors.js";
import { varying } from "../sequence/features/feed.js";
import { grammarsReady, releaseGrammars } from "../sequence/features/followed.js";
import { likeliest } from "./likeliest.js";
import type { ChainResults, ModelBinding, NativeModel, NativeText } from "../backends/native/binding.js";
import { saveSequence } from "../sequence/savedSequence.js";
import type { Later } from "../decode/scheduler/later.js";
import type { TextPiece, Written } from "../decode/scheduler/written.js";
import type { Part, Slot, SlotOutput } from "../decode/scheduler/step.js";
import {
  featureInputs,
  measuresOf,
  movesOf,
  statesIn,
  stopOf,
  uniformsOf,
  type SequenceState,
  type UniformValues,
} from "../sequence/sequence.js";
import { checkTailKeeps } from "../sequence/tail.js";
import type { Speculator } from "../decode/speculation/speculator.js";
import { mayEnd, withoutEnds } from "./ends.js";
import { forcing, type Forcing } from "./forced.js";
import type { Piece, Saved } from "./pieces.js";
import { logprobsOf } from "./likelihood.js";
import { openAhead, type AheadText } from "./ahead.js";
import { SequenceLine } from "../sequence/sequenceLine.js";
import { StatsCounter, type TextEnd } from "./statsCounter.js";
import { guideParts, savedGuides, type OpenGuide } from "./openGuides.js";
import { bansPhrases, BannedPhrases } from "./phrases/banned.js";
import { openMasked, type MaskedChain } from "./phrases/masked.js";
import { rowsGraphOf, type SequenceRequest } from "./request.js";
import { withRejected } from "../sequence/phrases/values.js";
import type { KeptRows, RowReader } from "./rows.js";
import type { TailLine } from "../sequence/tailLine.js";
import { TokenText } from "./text.js";
import { PieceTexts, type Facts } from "./texts.js";
import { Thought } from "./thought.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

/** What a generation holds while it runs. */
interface Parts {
  readonly model: NativeModel;
  readonly binding: ModelBinding;
  readonly graph: Graph;
  readonly options: SequenceRequest;
  /** The tokens of the prompt. */
  readonly prompt: Int32Array;
  readonly slot: Slot;
  readonly placed: PlacedGraph;
  readonly tail: TailLine | undefined;
  /** With `alternatives`, unless the host tail or the graph gives the rows. */
  readonly rows: RowReader | undefined;
  readonly guides: readonly OpenGuide[];
  readonly speculator: Speculator | undefined;
  /** Every logit of the model is checked. */
  readonly checksLogits: boolean;
  /** After the prompt. */
  readonly sequence: SequenceState;
}

const NONE = new Float32Array();
const NO_INPUTS: ReturnType<typeof varying> = [];

/** A token that something else has accepted. */
interface Told {
  /** Undefined: that is not known. */
  readonly isRefused: boolean | undefined;
  /** The texts that are known with it; undefined where nothing else has read it. */
  readonly pieces?: readonly TextPiece[] | undefined;
  /** The place of the stop text that it completes; -1: none. */
  readonly stop?: number;
}

/** A picked token and what came with it. */
interface Picked {
  readonly token: number;
  readonly isForced?: boolean;
  /** It ends a text; undefined: that is not known. */
  readonly isEnd?: boolean;
  /** It ends a thought, whatever the chain picked. */
  readonly isClosing?: boolean;
  /** The context's text has accepted it. */
  readonly told?: Told;
  /** Absent if nothing was asked for. */
  readonly facts?: Omit<Facts, "token">;
  /** The states, the measures, the stops. */
  readonly scalars: Float32Array;
}

export class Writer {
  readonly meter: StatsCounter;
  private readonly line: SequenceLine;
  private readonly text: TokenText;
  private readonly output: PieceTexts;
  private readonly limit: number;
  /** Tokens that the model has read. */
  private read = 0;
  /** Tokens that were computed before they were asked for. */
  private later: Later | undefined;
  private readonly ahead: AheadText | undefined;
  private readonly forcing: Forcing | undefined;
  private readonly thought: Thought | undefined;
  private readonly phrases: BannedPhrases | undefined;
  /** The chain, and its rows, where tokens are masked. */
  private masked: MaskedChain | undefined;
  private maskedRows: MaskedChain | undefined;
  /** The places of the tokens that the model was not asked for. */
  private forcedAt: number[] = [];
  /** The text was ended by a token that a grammar did not allow. */
  private endDisallowed = false;
  private isBusy = false;
  private isOver = false;
  /** Of a piece that was there. */
  private fault: { readonly error: unknown } | undefined;
  /** When the piece was asked for that comes by itself. */
  private waitsSince: number | undefined;
  /** Its slot and tail are given back. */
  private isClosed = false;

  constructor(private readonly parts: Parts) {
    const { prompt, slot, placed, guides, options, sequence, model } = parts;
    this.line = new SequenceLine(sequence);
    this.text = new TokenText(prompt, slot.contextSize);
    this.phrases = bansPhrases(options, sequence) ? new BannedPhrases(options, sequence) : undefined;
    this.output = new PieceTexts(options.stop ?? [], (token) => model.piece(token, false), this.phrases?.finder);
    if (this.phrases && options.resume) this.output.goOn(this.phrases.before(parts));
    this.forcing = forcing(parts);
    this.thought = options.thought && new Thought(options.thought, model, prompt);
    this.ahead = openAhead(parts, this.forcing);
    const longest = greatest(
      guides.map(({ tokens }) => tokens.length),
      prompt.length,
    );
    this.limit = Math.min(options.maxTokens ?? Infinity, slot.contextSize - longest);
    this.meter = new StatsCounter({
      promptTokens: prompt.length,
      computedPromptTokens: slot.computedPromptTokens,
      split: placed.split,
      context: slot.stats,
      speculation: parts.speculator?.stats,
      counts: () => ({
        generatedTokens: this.text.count,
        forcedTokens: this.forcedAt.length,
        disallowedTokens: this.line.disallowed + (this.endDisallowed ? 1 : 0),
        ...this.phrases?.counts,
      }),
    });
  }

  /** The next piece; undefined after the last. */
  async next(): Promise<Piece | undefined> {
    this.isBusy = true;
    try {
      while (!this.output.hasNext && !this.isOver) await this.step();
    } finally {
      this.isBusy = false;
    }
    return this.output.next();
  }

  /** The next piece where it is there; undefined where it must be waited for, and after the last. */
  take(): Piece | undefined {
    try {
      while (!this.output.hasNext && this.goesOn && !this.parts.options.signal?.aborted) {
        const written = this.later?.take();
        if (!written) return undefined;
        const start = this.waitsSince ?? performance.now();
        this.waitsSince = undefined;
        this.readBefore(written);
        this.accept(written, start, written);
      }
    } catch (error) {
      this.fault = { error };
    }
    return this.output.next();
  }

  /** Whether pieces come without being asked for. */
  get isAhead(): boolean {
    return this.goesOn && this.later?.isOpen === true;
  }

  /** Calls when one may have come, or when no more come so. */
  onChange(wake: () => void): void {
    this.isBusy = true;
    this.waitsSince ??= performance.now();
    this.later!.onChange(() => {
      this.isBusy = false;
      wake();
    });
  }

  private get goesOn(): boolean {
    return !this.isOver && !this.fault && this.text.count < this.limit;
  }

  /** After the latest token. */
  get sequence(): SequenceState {
    return this.line.now;
  }

  /** Throws `InputError` for values that cannot change. */
  setUniforms(values: UniformValues): void {
    checkTailKeeps(this.parts.graph, this.sequence.params, values);
    this.parts.speculator?.setUniforms(values, this.text.tokens);
    this.forgetLater();
    this.line.setUniforms(values);
    const { phrases } = this;
    if (!phrases || this.sequence.phrases.size === 0) return;
    phrases.change(this.sequence);
    this.output.lookFor(phrases.finder);
    this.takeBack(phrases);
  }

  /** See `Generation.rewind`. */
  rewind(count: number): void {
    if (this.isBusy) throw new InputError("a piece is awaited: take tokens back after it has come", { code: "BUSY" });
    const { given } = this.output;
    if (count > given)
      throw invalid(`\`count\` must be at most ${given}, the number of tokens that were read, found ${count}`);
    const { tail } = this.parts;
    const left = given - count;
    this.forgetLater();
    if (tail && left < tail.least)
      throw new InputError(
        `the host tail of this chain remembers ${given - tail.least} of the tokens that were read, found ${count}: take fewer back`,
        { code: "LIMIT_EXCEEDED" },
      );
    this.backTo(left);
    this.phrases?.forget();
    this.output.rewind(left);
    this.isOver = this.isClosed;
    this.meter.record(this.isClosed ? this.meter.why : {});
  }

  /** The text has only its first `left` tokens, with what depends on them. */
  private backTo(left: number): void {
    const { tail, prompt, model } = this.parts;
    this.forgetLater();
    if (!this.isClosed) tail?.rewind(left);
    if (this.text.count > left) this.parts.speculator?.rewind(prompt.length + left);
    this.line.rewind(left);
    this.text.rewind(left);
    this.thought?.restart(this.text.tokens.subarray(prompt.length));
    // a recurrent model cannot forget a part of a text; any other reads the last token again, for its logits
    this.read = model.info.isRecurrent ? 0 : Math.min(this.read, prompt.length + left - 1);
    this.forcedAt = this.forcedAt.filter((place) => place < left);
    this.endDisallowed = false;
  }

  /** The phrase that the text has now is taken back, and its first token masked there, or it stays. */
  private takeBack(phrases: BannedPhrases): void {
    const { output, text } = this;
    const { tail } = this.parts;
    while (output.phrase) {
      const count = output.phraseTokens;
      const place = text.count - count;
      if (phrases.staysAt(place) || (tail && place < tail.least)) {
        phrases.counts.keptPhrases++;
        output.keepPhrase();
        continue;
      }
      const goesOn = phrases.takeBack(place, text.tokens.at(-count)!, count);
      this.backTo(place);
      output.takeBack(count);
      if (!goesOn) this.end({ finish: "rewinds" });
    }
  }

  close(): void {
    this.isClosed = true;
    this.forgetLater();
    this.masked?.[Symbol.dispose]();
    this.maskedRows?.[Symbol.dispose]();
    releaseGrammars(this.line.known.features);
  }

  private forgetLater(): void {
    const { later } = this;
    this.later = undefined;
    this.ahead?.forget();
    later?.stop();
  }

  save(): Saved {
    const { guides } = this.parts;
    const { given } = this.output;
    const tokens = this.text.upTo(given);
    return {
      tokens: tokens.slice(),
      sequence: withoutEnds(saveSequence(this.line.at(given), this.parts.tail?.saved(given))),
      ...(guides.length > 0 && { guides: savedGuides(guides, tokens.subarray(this.parts.prompt.length)) }),
    };
  }

  private async step(): Promise<void> {
    const { options } = this.parts;
    if (this.fault) throw this.fault.error;
    const { count } = this.text;
    if (count === this.limit) return this.end({ finish: count === options.maxTokens ? "maxTokens" : "context" });
    options.signal?.throwIfAborted();
    const start = this.waitsSince ?? performance.now();
    this.waitsSince = undefined;
    const written = await this.written();
    if (written) return this.accept(written, start, written);
    const picked = await this.asked();
    this.accept(picked, start, picked.told);
  }

  /**
   * @param start when it was asked for
   * @param told what accepted it, if that was something else
   */
  private accept(picked: Picked, start: number, told: Told | undefined): void {
    const { options, model, graph } = this.parts;
    const { count } = this.text;
    const { token, scalars, isEnd = model.isEnd(token) } = picked;
    this.meter.add(performance.now() - start, count);
    if (isEnd) {
      // no token of the text, and a grammar that was asked may not allow it
      this.endDisallowed = told ? told.isRefused === true : movesOf(this.sequence, token).includes("refuses");
      return this.end({ finish: "end" });
    }
    if (picked.isForced) this.forcedAt.push(count);
    this.phrases?.accept(count, token);
    this.thought?.accept(token, picked.isClosing === true);
    if (told) this.line.tell(token, scalars, told.isRefused);
    else this.line.accept(token, scalars);
    this.parts.tail?.accept(token);
    this.text.push(token);
    const piece: Facts = { token };
    if (picked.facts) Object.assign(piece, picked.facts);
    if (options.states) Object.assign(piece, { states: statesIn(graph, scalars) });
    if (graph.measures.length > 0) Object.assign(piece, measuresOf(graph, scalars));
    if (told?.pieces) this.output.tell(piece, told.pieces, told.stop ?? -1);
    else this.output.read(piece);
    if (this.phrases) {
      this.takeBack(this.phrases);
      // a token that was taken back ends nothing
      if (this.isOver || this.text.count <= count) return;
    }
    const { stop } = this.output;
    if (stop !== undefined) return this.end({ finish: "stop", stopText: stop });
    // what ends a thought is not the chain's pick
    const stoppedBy = picked.isClosing ? undefined : stopOf(graph, scalars);
    if (stoppedBy !== undefined) this.end({ finish: "stopped", stoppedBy });
  }

  private end(why: TextEnd): void {
    this.isOver = true;
    this.output.flush();
    this.meter.record(why);
  }

  /** A token that was computed before. */
  private async written(): Promise<Written | undefined> {
    const written = this.later && (await this.later.next());
    if (written) this.readBefore(written);
    return written;
  }

  /** The model may have read the tokens before one that was computed. */
  private readBefore({ isRead }: Written): void {
    if (isRead) this.read = this.parts.prompt.length + this.text.count;
  }

  private async asked(): Promise<Picked> {
    const { options } = this.parts;
    const text = this.ahead?.at(this.line.step);
    if (text) return this.forcedIn(text) ?? this.pickIn(text);
    const ready = grammarsReady(this.sequence.features);
    if (ready) await unlessAborted(ready, options.signal);
    const closing = this.thought?.next();
    const forced = closing === undefined && this.text.count > 0 ? this.forcing?.tokenOf(this.sequence) : undefined;
    if (forced) return { ...forced, isForced: true };
    const opened = this.isMasked ? undefined : this.ahead?.open(this.sequence, this.output.shown);
    return opened ? this.pickIn(opened) : this.pick(closing);
  }

  /** Not the first token, so that the prompt is read by then. */
  private forcedIn(text: NativeText): Picked | undefined {
    const token = this.text.count > 0 ? text.onlyToken() : undefined;
    if (token === undefined) return undefined;
    return { token, scalars: NONE, isForced: true, told: this.acceptIn(text, token, NONE) };
  }

  /** A token that the context's text goes on with, unless it ends the text or that cannot go on. */
  private acceptIn(text: NativeText, token: number, scalars: Float32Array): Told {
    const move = translated(() => text.accept(token, scalars));
    return { isRefused: move === "stops" ? undefined : move === "refused" };
  }

  /** The sequence as its next token is picked. */
  private picking(sequence: SequenceState): SequenceState {
    const { options, model } = this.parts;
    return mayEnd(sequence, options, (token) => model.isEnd(token));
  }

  /** Tokens are masked at the next place, and at no other one. */
  private get isMasked(): boolean {
    return this.phrases?.masksAt(this.text.count) === true;
  }

  private async pickIn(text: NativeText): Promise<Picked> {
    const { written, sampled, states = NONE } = await this.decode(NONE, NO_INPUTS, false, text);
    if (written) return { ...written.first, told: written.first };
    const token = sampled![0]!;
    return { token, scalars: states, told: this.acceptIn(text, token, states) };
  }

  /** @param closing comes whatever the chain picks */
  private async pick(closing?: number): Promise<Picked> {
    const { placed, tail, rows, options } = this.parts;
    const whole = this.picking(this.sequence);
    const masked = this.phrases?.maskedAt(this.text.count, whole);
    const sequence = masked && whole.phrases.size > 0 ? withRejected(whole, masked) : whole;
    const uniforms = uniformsOf(sequence);
    const inputs = this.parts.graph.inputs.length > 1 ? varying(this.parts.graph, featureInputs(sequence)) : NO_INPUTS;
    const { logprobs, alternatives = 0 } = options;
    // phrases of the chain are masked by the chain itself
    const isHere = masked !== undefined && (options.bannedPhrases?.length ?? 0) > 0;
    const isRaw = logprobs !== undefined || rows !== undefined || isHere;
    const decoded = await this.decode(uniforms, inputs, isRaw);
    const run = (chain: MaskedChain): ChainResults =>
      chain.run(sequence, masked!, decoded.raw!, this.guideLogits(decoded));
    const output = isHere
      ? run((this.masked ??= openMasked(this.parts.graph, sequence)))
      : placed.finish(decoded, uniforms, inputs);
    const left = tail?.pick(output);
    const token = closing ?? (left ? left.selected : output.sampled![0]!);
    const isClosing = closing !== undefined;
    const scalars = output.states ?? NONE;
    if (logprobs === undefined && alternatives === 0) return { token, scalars, isClosing };
    const ofRows = ({ candidates, ...more }: ChainResults): KeptRows => ({ ...more, tokens: candidates });
    const maskedRows = (): KeptRows => ofRows(run((this.maskedRows ??= openMasked(rowsGraphOf(options), sequence))));
    const kept = (): KeptRows => {
      if (left) return left;
      if (!rows) return ofRows(output);
      return isHere ? maskedRows() : rows.read(sequence, decoded.raw!, this.guideLogits(decoded));
    };
    const facts = {
      ...(logprobs !== undefined && logprobsOf(decoded.raw!, token, logprobs)),
      ...(alternatives > 0 && likeliest(kept(), token, alternatives)),
    };
    return { token, facts, scalars, isClosing };
  }

  private guideLogits({ guides = [] }: SlotOutput): ReadonlyMap<string, Float32Array> {
    return new Map(guidesOf(this.parts.graph).map(({ name }, i) => [name, guides[i]!]));
  }

  private async decode(
    uniforms: Float32Array,
    inputs: ReturnType<typeof varying>,
    isRaw: boolean,
    text?: NativeText,
  ): Promise<SlotOutput> {
    const { slot, guides, prompt, options, speculator } = this.parts;
    const { tokens, count } = this.text;
    const position = this.read;
    const generated = tokens.subarray(prompt.length);
    const parts = guideParts(guides, generated, position === 0 ? undefined : position - prompt.length);
    const onRead = count === 0 ? (read: number) => options.onPromptProgress?.(read, tokens.length) : undefined;
    const room = this.limit - count - 1;
    const step = {
      tokens: tokens.subarray(position),
      position,
      uniforms,
      inputs,
      guides: parts,
      isRaw,
      onRead,
      ...(text && { text, ahead: options.ahead, room }),
    };
    const output = await (speculator
      ? speculator.next({
          slot,
          tokens,
          step,
          sequence: this.sequence,
          room: this.isMasked ? 0 : room,
          extend: (draft) => ({ ...longer(step, draft), guides: parts.map((part) => longer(part, draft)) }),
        })
      : slot.decode(step));
    this.read = tokens.length;
    this.later = output.written?.later;
    return output;
  }
}

/** A part with drafted tokens after its own. */
const longer = <P extends Part>(part: P, draft: readonly number[]): P => ({
  ...part,
  tokens: Int32Array.from([...part.tokens, ...draft]),
});
