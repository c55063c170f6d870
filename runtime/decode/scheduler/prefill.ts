/** Long texts are read in chunks, so that other sequences go on writing: which tokens are part of the next batch. */
import type { Places } from "./places.js";
import { MIN_SHARED } from "./prefix.js";
import type { Job, Reading } from "./reading.js";

/** The tokens that a reading adds to a batch. */
export interface Chunk {
  readonly reading: Reading;
  readonly position: number;
  readonly tokens: readonly number[];
}

/** What a job adds to a batch. */
export interface Turn {
  readonly job: Job;
  readonly chunks: readonly Chunk[];
  /** The last tokens of all chunks, as many as the step has rows, have outputs, and the job is done. */
  readonly isLast: boolean;
}

/** In tokens. */
export interface TokenLimits {
  /** The positions of a sequence. llama.cpp rounds the memory of a context up to multiples of 256, which may have room for more. */
  readonly contextSize: number;
  /** The tokens of one batch, at most; what the context computes at once. */
  readonly batchSize: number;
  /** The tokens of prompts in one batch, while other sequences write. */
  readonly promptBatch: number;
}

/**
 * How many tokens of texts that are being read are part of the next batch, beside those with one token left.
 * @param others how many texts have a token in it beside the jobs
 * @param writing the slots that have had an output
 */
export function mostOf(
  jobs: readonly Job[],
  others: number,
  writing: Iterable<Places>,
  { batchSize, promptBatch }: TokenLimits,
): number {
  const long = jobs.filter(({ readings }) => readings.some(({ isBehind }) => isBehind));
  if (long.length === 0) return batchSize;
  const short = jobs.flatMap(({ readings }) => readings.filter(({ isBehind, follows }) => !isBehind && !follows));
  const areAlone = [...writing].every((places) => long.some((job) => job.places === places));
  const rows = short.reduce((sum, one) => sum + one.rows, others);
  return Math.min(areAlone ? batchSize : promptBatch, batchSize - rows);
}

export const chunksOf = (turns: readonly Turn[]): Chunk[] => turns.flatMap(({ chunks }) => chunks);

/**
 * The next chunks of all jobs. Those with only tokens with outputs left are part of every batch; the others share `most` tokens fairly. The last
 * tokens of a step's sequence and of its guides are part of one batch.
 */
export function turnsOf(jobs: readonly Job[], most: number): Turn[] {
  if (!jobs.some(isReading)) return jobs.map((job) => ({ job, chunks: job.readings.map(whole), isLast: true }));
  const begun = jobs.flatMap(({ readings }) => readings.filter(({ isBegun }) => isBegun));
  const stops = stopsOf(jobs.flatMap(({ readings }) => readings));
  const wanted = begun
    .filter(({ isBehind }) => isBehind)
    .map((reading) => ({ reading, count: Math.min(reading.rest, (stops.get(reading) ?? Infinity) - reading.read) }));
  const shares = fairShares(
    wanted.map(({ count }) => count),
    most,
  );
  const counts = new Map(wanted.map(({ reading }, i) => [reading, shares[i]!]));
  const turns = jobs.map((job): Turn => {
    const { readings } = job;
    const isLast = readings.every((one) => one.isBegun && (counts.get(one) ?? one.rest) === one.rest);
    const chunks = readings
      .filter(({ isBegun }) => isBegun)
      .map((reading) => ({
        reading,
        count: Math.min(counts.get(reading) ?? reading.rest, reading.rest - (isLast ? 0 : reading.rows)),
      }))
      .filter(({ count }) => count > 0)
      .map(({ reading, count }) => ({ reading, position: reading.read, tokens: reading.next(count) }));
    return { job, chunks, isLast };
  });
  const reading = turns.filter(({ chunks }) => chunks.length > 0);
  const following = jobs.filter(({ readings: [first] }) => first!.follows);
  return withSources([...reading, ...following.map((job) => ({ job, chunks: [], isLast: true }))]);
}

/** Without those that follow a text whose last token is not among them. */
export function withSources(turns: readonly Turn[]): Turn[] {
  const last = new Set(turns.filter(({ isLast }) => isLast).map(({ job }) => job.readings[0]));
  return turns.filter(({ job: { readings } }) => !readings[0]!.follows || last.has(readings[0]!.follows));
}

/** A turn that leaves the tokens with outputs to a later batch; undefined if there are no others. */
export function withoutOutputs({ job, chunks }: Turn): Turn | undefined {
  const others = chunks
    .map((chunk) => ({ ...chunk, tokens: chunk.tokens.slice(0, chunk.tokens.length - chunk.reading.rows) }))
    .filter(({ tokens }) => tokens.length > 0);
  return others.length > 0 ? { job, chunks: others, isLast: false } : undefined;
}

/** Whether some of its tokens have no outputs, or wait for those of others. */
const isReading = ({ readings }: Job): boolean => readings.some(({ isBegun, isBehind }) => !isBegun || isBehind);

const whole = (reading: Reading): Chunk => ({
  reading,
  position: reading.read,
  tokens: reading.next(reading.rest),
});

/**
 * Where readings stop because others copy what they have read by then: a model's memory may not give back what it held before. Who
 * would have to wait for only a few more tokens copies there, too.
 */
function stopsOf(readings: readonly Reading[]): Map<Reading, number> {
  const stops = new Map<Reading, number>();
  const waiting = readings.flatMap(({ waitsFor }) => waitsFor ?? []).filter(({ source }) => source.isBegun);
  for (const { source, length } of waiting) stops.set(source, Math.min(length, stops.get(source) ?? Infinity));
  for (const wait of waiting) {
    const stop = stops.get(wait.source)!;
    if (wait.length < stop + MIN_SHARED) wait.length = stop;
  }
  return stops;
}

/** Divides `most`: each gets at least 1, and who gets less than is wanted gets as much as any other. */
export function fairShares(wanted: readonly number[], most: number): number[] {
  const shares = wanted.map(() => 0);
  let left = Math.max(wanted.length, most);
  const order = [...wanted.keys()].sort((a, b) => wanted[a]! - wanted[b]!);
  order.forEach((at, i) => {
    const share = Math.min(wanted[at]!, Math.ceil(left / (order.length - i)));
    shares[at] = share;
    left -= share;
  });
  return shares;
}
