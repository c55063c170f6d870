/** What the streams of this process can show, and lines that fit them. */
import { fold } from "./fold.js";

interface Stream {
  readonly isTTY?: boolean;
  /** Of a terminal: its width in characters. */
  readonly columns?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable counts if it is there and not empty. */
const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";

/**
 * Whether to write colours: https://force-color.org, then https://no-color.org, then what the stream is. As in Node.js,
 * `FORCE_COLOR` wins over `NO_COLOR`, and its values `0` and `false` mean no colours.
 */
export function usesColor({ isTTY }: Stream = process.stderr, env: Environment = process.env): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = env;
  if (isSet(force)) return force !== "0" && force !== "false";
  return isTTY === true && !isSet(no) && terminal !== "dumb";
}

/** Whether lines can be overwritten, for progress. The log of a CI job keeps every version of a line. */
export const canOverwrite = ({ isTTY }: Stream = process.stderr, env: Environment = process.env): boolean =>
  isTTY === true && env["TERM"] !== "dumb" && (!isSet(env["CI"]) || env["CI"] === "false");

/** The text with lines that fit a terminal; as it is for a pipe or a file. */
const fitted = (text: string, { isTTY, columns }: Stream): string => (isTTY ? fold(text, columns) : text);

/** Writes a result for people on standard output. */
export const print = (text: string): void => void process.stdout.write(fitted(text, process.stdout));

/** Writes a message for people on standard error. */
export const say = (text: string): void => void process.stderr.write(fitted(text, process.stderr));
