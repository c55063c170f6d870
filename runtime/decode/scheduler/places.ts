/** The sequences of a context: who has them, and what their memory holds. */
import { least } from "@ggsl/compiler/core/extremes.js";
import type { NativeContext, NativeGraph } from "../../backends/native/binding.js";
import { MIN_SHARED, sharedLength } from "./prefix.js";

/** A sequence of the context. Its text stays when its user has gone, until another user needs the place. */
export class Place {
  /** What its memory holds. */
  readonly tokens: number[] = [];
  isTaken = false;
  /** Its user has asked for this sequence. */
  isFixed = false;
  /** When it was released; 0: never. */
  lastUsed = 0;
  /** False after a batch failed: its memory may hold anything, and `tokens` is empty. */
  private isKnown = true;

  constructor(
    public sequence: number,
    /** Undefined after a chain was refused. */
    public chain: NativeGraph | undefined,
    public isGuide: boolean,
    /** Only for those who ask for it. */
    readonly isReserved: boolean | undefined = false,
  ) {}

  /** Gives it the chain: unless it has it already, llama.cpp reserves its memory again. */
  give(context: NativeContext, chain: NativeGraph, isGuide: boolean): void {
    if (this.fits(chain, isGuide)) return;
    this.chain = undefined;
    context.setChain(this.sequence, chain, isGuide);
    this.chain = chain;
    this.isGuide = isGuide;
  }

  fits(chain: NativeGraph, isGuide: boolean): boolean {
    return this.chain === chain && this.isGuide === isGuide;
  }

  /** Whether its memory can be cut to the first `count` tokens, or a copy of it. */
  canKeep(context: NativeContext, count: number): boolean {
    return this.isKnown && context.canKeep(this.sequence, count);
  }

  /** Keeps the first `count` tokens, or none of them where its memory cannot be cut. */
  cut(context: NativeContext, count: number): void {
    if (this.isKnown && count === this.tokens.length) return;
    const kept = this.canKeep(context, count) ? count : 0;
    context.remove(this.sequence, kept);
    this.tokens.length = kept;
    this.isKnown = true;
  }

  /** Takes over the first `count` tokens of another place, which share its memory. */
  copy(context: NativeContext, from: Place, count: number): void {
    this.forget();
    context.copy(from.sequence, this.sequence);
    for (const one of from.tokens) this.tokens.push(one);
    this.isKnown = true;
    this.cut(context, count);
  }

  /** Each of two places with the same chain is in the sequence of the other then, with all that it holds. */
  exchange(context: NativeContext, other: Place): void {
    try {
      context.swap!(this.sequence, other.sequence);
    } catch (error) {
      this.forget();
      other.forget();
      throw error;
    }
    [this.sequence, other.sequence] = [other.sequence, this.sequence];
  }

  /** Empties what it holds, after a failure. */
  forget(): void {
    this.tokens.length = 0;
    this.isKnown = false;
  }
}

export function append(list: number[], more: readonly number[]): void {
  for (const one of more) list.push(one);
}

/** The places of one slot. */
export interface Places {
  readonly main: Place;
  /** The places of guides, with the inputs of the chain that are their logits. */
  readonly guides: readonly { readonly place: Place; readonly input: number }[];
}

export const all = ({ main, guides }: Places): Place[] => [main, ...guides.map(({ place }) => place)];

/** What decides which places a slot gets. */
interface Wanted {
  readonly chain: NativeGraph;
  readonly inputs: readonly number[];
  /** The prompts of the sequence and of its guides. */
  readonly prompts: readonly Int32Array[];
  /** The number of the sequence; default: any that is not reserved. */
  readonly place?: number | undefined;
}

/** Takes the places of a slot; undefined if too few are free. All are taken at once: two that wait never hold what the other needs. */
export function takePlaces(
  places: readonly Place[],
  { chain, inputs, prompts: [prompt, ...guides], place: asked }: Wanted,
): Places | undefined {
  const own = asked === undefined ? undefined : places[asked]!;
  const free = places.filter((place) => !place.isTaken && !place.isReserved && place !== own);
  if (own?.isTaken || free.length < inputs.length + (own ? 0 : 1)) return undefined;
  if (own) own.isTaken = own.isFixed = true;
  const take = (text: Int32Array, isGuide: boolean): Place => {
    const left = free.filter(({ isTaken }) => !isTaken);
    const fitting = left.filter((place) => place.fits(chain, isGuide));
    const taken = places.filter(({ isTaken }) => isTaken);
    const place = best(fitting.length > 0 ? fitting : left, text, (one) => distance(one, taken));
    place.isTaken = true;
    return place;
  };
  return {
    main: own ?? take(prompt!, false),
    guides: inputs.map((input, i) => ({ place: take(guides[i]!, true), input })),
  };
}

/** Places that are nearer to one that is taken are computed with it at once, where each has a cache of its own (native/llama/runs.h). */
const NEAR = 5;

/** How far the nearest place is that is taken; 0 without one. */
const distance = ({ sequence }: Place, taken: readonly Place[]): number =>
  taken.length === 0 ? 0 : least(taken.map((other) => Math.abs(other.sequence - sequence)));

/**
 * The place whose text the prompt continues, if it keeps at least half of it. Otherwise of those near others that are taken the place that
 * was not used for longest: what the prompt shares with other places is copied from there, and they keep the rest of their texts.
 */
function best(places: readonly Place[], prompt: Int32Array, distanceOf: (place: Place) => number): Place {
  const lengths = new Map(places.map((place) => [place, sharedLength(place.tokens, prompt)]));
  const [nearest] = [...places].sort((a, b) => lengths.get(b)! - lengths.get(a)!);
  const shared = lengths.get(nearest!)!;
  if (shared >= MIN_SHARED && 2 * shared >= nearest!.tokens.length) return nearest!;
  const far = new Map(places.map((place) => [place, distanceOf(place)]));
  const near = Math.max(NEAR, least(far.values()));
  return places
    .filter((place) => far.get(place)! <= near)
    .reduce((oldest, place) => (place.lastUsed < oldest.lastUsed ? place : oldest));
}

/** Empties the free place with a text that was not used for longest; false if there is none. */
export function evict(context: NativeContext, places: readonly Place[]): boolean {
  const kept = places.filter(({ isTaken, tokens }) => !isTaken && tokens.length > 0);
  if (kept.length === 0) return false;
  kept.reduce((oldest, place) => (place.lastUsed < oldest.lastUsed ? place : oldest)).cut(context, 0);
  return true;
}
