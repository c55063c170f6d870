/** A running generation: one step decodes, picks with the chain in the graph, and accepts. */
import { unlessAborted } from "../core/aborts.js";
import { InputError, invalid, translated } from "../core/errors.js";
import { grammarsReady, releaseGrammars } from "../sequence/features/followed.js";
import type { NativeText } from "../backends/native/binding.js";
import { saveSequence } from "../sequence/savedSequence.js";
import type { TextSoFar } from "../decode/speculation/drafter.js";
import type { Later } from "../decode/scheduler/later.js";
import type { Written } from "../decode/scheduler/written.js";
import { measuresOf, movesOf, statesIn, stopOf, type SequenceState, type UniformValues } from "../sequence/sequence.js";
import { checkTailKeeps } from "../sequence/tail.js";
import { withoutEnds } from "./ends.js";
import { forcing, inPlaceOfPick, unasked, type Forcing } from "./forced.js";
import { readInPlace } from "./healing/grammars.js";
import { savedHealing } from "./healing/healing.js";
import type { Piece, Saved } from "./pieces.js";
import { openAhead, type AheadText } from "./ahead.js";
import { SequenceLine } from "../sequence/sequenceLine.js";
import { StatsCounter, type TextEnd } from "./statsCounter.js";
import { savedGuides } from "./openGuides.js";
import { bansPhrases, BannedPhrases } from "./phrases/banned.js";
import { NONE, Picks, roomOf, type Parts, type Picked, type Place, type Told } from "./picks.js";
import { TokenText } from "./text.js";
import { PieceTexts, type Facts } from "./texts.js";
import { Thought } from "./thought.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

export class Writer {
  readonly meter: StatsCounter;
  private readonly line: SequenceLine;
  private readonly text: TokenText;
  private readonly output: PieceTexts;
  private readonly limit: number;
  private readonly picks: Picks;
  /** Tokens that were computed before they were asked for. */
  private later: Later | undefined;
  private readonly ahead: AheadText | undefined;
  private readonly forcing: Forcing | undefined;
  /** What is kept of a token that the model is not asked for. */
  private readonly unasked: ReturnType<typeof unasked>;
  private readonly thought: Thought | undefined;
  private readonly phrases: BannedPhrases | undefined;
  /** The places of the tokens that the model was not asked for. */
  private forcedAt: number[] = [];
  /** The places of the tokens of texts that were written in place of picks. */
  private readonly writtenAt = new Set<number>();
  /** The text was ended by a token that a grammar did not allow. */
  private endDisallowed = false;
  private isBusy = false;
  private isOver = false;
  /** Of a piece that was there. */
  private fault: { readonly error: unknown } | undefined;
  /** When a token was asked for that was not there. */
  private waitsSince: number | undefined;
  /** Its slot and tail are given back. */
  private isClosed = false;

  constructor(private readonly parts: Parts) {
    const { prompt, slot, placed, guides, options, sequence, model } = parts;
    this.line = new SequenceLine(sequence);
    this.text = new TokenText(prompt, slot.contextSize);
    this.phrases = bansPhrases(options, sequence) ? new BannedPhrases(options, sequence) : undefined;
    const bytesOf = (token: number, place: number): Uint8Array =>
      model.piece(token, false).subarray(parts.healing?.cutAt(place, token));
    this.output = new PieceTexts(options.stop ?? [], bytesOf, this.phrases?.finder);
    if (this.phrases && options.resume) this.output.goOn(this.phrases.before(parts));
    this.picks = new Picks(parts, this.phrases);
    this.forcing = forcing(parts);
    const writes = parts.graph.writes !== undefined || options.thought !== undefined;
    this.unasked = writes ? unasked(parts) : undefined;
    this.thought = options.thought && new Thought(options.thought, model, prompt);
    this.ahead = openAhead(parts, this.forcing, this.unasked !== undefined);
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
      ...(parts.healing && !options.resume && { healed: parts.healing.text }),
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
        this.readBefore(written);
        this.accept(written, written);
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
    this.parts.healing?.rewind(left);
    this.thought?.restart(this.text.tokens.subarray(prompt.length));
    // a recurrent model cannot forget a part of a text; any other reads the last token again, for its logits
    const { picks } = this;
    picks.read = model.info.isRecurrent ? 0 : Math.min(picks.read, prompt.length + left - 1);
    this.forcedAt = this.forcedAt.filter((place) => place < left);
    for (const place of this.writtenAt) if (place >= left) this.writtenAt.delete(place);
    this.endDisallowed = false;
  }

  /** The phrase that the text has now is taken back, and its first token masked there, or it stays. */
  private takeBack(phrases: BannedPhrases): void {
    const { output, text } = this;
    const { tail } = this.parts;
    while (output.phrase) {
      const count = output.phraseTokens;
      const place = text.count - count;
      if (phrases.staysAt(place) || this.writtenAt.has(place) || (tail && place < tail.least)) {
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
    this.picks.close();
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
      sequence: {
        ...withoutEnds(saveSequence(this.line.at(given), this.parts.tail?.saved(given))),
        ...savedHealing(this.parts.healing),
      },
      ...(guides.length > 0 && { guides: savedGuides(guides, tokens.subarray(this.parts.prompt.length)) }),
    };
  }

  private async step(): Promise<void> {
    const { options } = this.parts;
    if (this.fault) throw this.fault.error;
    const { count } = this.text;
    if (count === this.limit) return this.end({ finish: count === options.maxTokens ? "maxTokens" : "context" });
    options.signal?.throwIfAborted();
    this.waitsSince ??= performance.now();
    const written = await this.written();
    if (written) return this.accept(written, written);
    const picked = await this.asked();
    this.accept(picked, picked.told);
  }

  /** @param told what accepted it, if that was something else */
  private accept(picked: Picked, told: Told | undefined): void {
    const { options, model, graph, healing } = this.parts;
    const { count } = this.text;
    const { token, scalars, isEnd = model.isEnd(token) } = picked;
    if (this.waitsSince !== undefined) this.meter.add(performance.now() - this.waitsSince, count);
    this.waitsSince = undefined;
    if (isEnd) {
      // no token of the text, and a grammar that was asked may not allow it
      this.endDisallowed = told ? told.isRefused === true : movesOf(this.sequence, token).includes("refuses");
      return this.end({ finish: "end" });
    }
    if (picked.isForced) this.forcedAt.push(count);
    if (picked.isWritten) this.writtenAt.add(count);
    this.phrases?.accept(count, token);
    this.thought?.accept(token);
    if (told) this.line.tell(token, scalars, told.isRefused);
    else this.line.accept(token, scalars, readInPlace(healing, count, token, this.sequence));
    healing?.accept(token);
    this.parts.tail?.accept(token);
    this.text.push(token);
    if (told) this.pass(told.isRead === true);
    const piece: Facts = { token };
    if (picked.facts) Object.assign(piece, picked.facts);
    if (options.states) Object.assign(piece, { states: statesIn(graph, scalars) });
    if (graph.measures.length > 0) {
      const { trace, ...measures } = measuresOf(graph, scalars);
      // it is about the token that the chain picked
      Object.assign(piece, measures, trace && !picked.isWritten && { trace });
    }
    if (told?.pieces) this.output.tell(piece, told.pieces, told.stop ?? -1);
    else this.output.read(piece);
    if (this.phrases) {
      this.takeBack(this.phrases);
      // a token that was taken back ends nothing
      if (this.isOver || this.text.count <= count) return;
    }
    const { stop } = this.output;
    if (stop !== undefined) return this.end({ finish: "stop", stopText: stop });
    // what is written is not the chain's pick
    const stoppedBy = picked.isWritten ? undefined : stopOf(graph, scalars);
    if (stoppedBy !== undefined) this.end({ finish: "stopped", stoppedBy });
  }

  /** The text has gone on by itself. */
  private pass(isDecoded: boolean): void {
    const { speculator } = this.parts;
    const pays = speculator?.pass(this.soFar, roomOf(this.place), isDecoded);
    if (pays) this.later?.pause();
  }

  /** Where most drafters look at the tokens alone. */
  private get soFar(): TextSoFar {
    const { text, line } = this;
    return {
      tokens: text.tokens,
      get sequence() {
        return line.now;
      },
    };
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
    if (isRead) this.picks.read = this.parts.prompt.length + this.text.count;
  }

  private async asked(): Promise<Picked> {
    const { options } = this.parts;
    this.later = undefined;
    const rests = !this.parts.speculator || (this.ahead !== undefined && this.picks.rests(this.place));
    const text = rests ? this.ahead?.at(this.line.step) : undefined;
    if (text) return this.forcedIn(text) ?? this.pickIn(text);
    const ready = grammarsReady(this.sequence.features);
    if (ready) await unlessAborted(ready, options.signal);
    const { count } = this.text;
    const { healing } = this.parts;
    // the end of the prompt comes first
    const isHealing = healing?.isAt(count) === true;
    const written = isHealing ? undefined : inPlaceOfPick(this.sequence, this.thought);
    if (written !== undefined) return this.writtenNow(written);
    const forced = !isHealing && count > 0 ? this.forcing?.tokenOf(this.sequence) : undefined;
    if (forced) return { ...forced, isForced: true };
    // the context's text reads whole tokens
    const isCut = healing !== undefined && this.output.settled < count && healing.isAt(this.output.settled);
    const isAsked = isCut || !rests || this.picks.isMaskedAt(count);
    const opened = isAsked ? undefined : this.ahead?.open(this.sequence, this.output.shown);
    return opened ? this.pickIn(opened) : this.picks.pick(this.place);
  }

  /** A token of a text that is written: where it can be, without the model. */
  private async writtenNow(token: number): Promise<Picked> {
    if (this.text.count > 0 && this.unasked && !this.picks.isMaskedAt(this.text.count))
      return { token, scalars: this.unasked(this.sequence), isForced: true, isWritten: true };
    return { ...(await this.picks.pick(this.place, token)), isForced: true, isWritten: true };
  }

  /** Not the first token, so that the prompt is read by then. */
  private forcedIn(text: NativeText): Picked | undefined {
    const forced = this.text.count > 0 ? translated(() => text.forced()) : undefined;
    return forced && { ...forced, isForced: true, told: this.acceptIn(text, forced.token, forced.scalars) };
  }

  /** A token that the context's text goes on with, unless it ends the text or that cannot go on. */
  private acceptIn(text: NativeText, token: number, scalars: Float32Array): Told {
    const move = translated(() => text.accept(token, scalars));
    return { isRefused: move === "stops" ? undefined : move === "refused" };
  }

  private get place(): Place {
    // of a text that is written on elsewhere, the sequence is not asked for
    const sequence = (): SequenceState => this.sequence;
    return { text: this.text, limit: this.limit, sequence };
  }

  private async pickIn(text: NativeText): Promise<Picked> {
    const { written, sampled, states = NONE } = await this.picks.decodeIn(this.place, text);
    this.later = written?.later;
    if (written) return { ...written.first, told: written.first };
    const inPlace = translated(() => text.written());
    const token = inPlace ?? sampled![0]!;
    const told = { ...this.acceptIn(text, token, states), isRead: true };
    return { token, scalars: states, ...(inPlace !== undefined && { isForced: true, isWritten: true }), told };
  }
}
