/** The log: one JSON object a line. Whatever a request is made of, its line can be written, and is short but for its body. */
import type { Writable } from "node:stream";
import { show } from "@ggsl/compiler/core/show.js";
import type { Answered } from "./app.js";
import { SILENT, type Log } from "./log.js";
import { boundedWriter } from "./logWriter.js";

/** Where the lines go, and whether requests are part of them. */
interface LogOptions {
  readonly form: "json" | "off";
  /** The bodies of requests, with their prompts, too. */
  readonly withPrompts: boolean;
  /** Default: standard output. Lines that its reader does not take are dropped and counted. */
  readonly to?: Writable;
}

export interface ServerLog extends Log {
  answered(answered: Answered): void;
}

/** Characters of a text that a client chose. */
export const LONGEST = 256;

export function openLog({ form, withPrompts, to = process.stdout }: LogOptions): ServerLog {
  if (form === "off") return { ...SILENT, answered: () => undefined };
  const write = boundedWriter(to, (lines) =>
    lineOf("warn", { lines }, "lines of the log were dropped: its reader was behind"),
  );
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      write(lineOf(level, fields, message));
  const [info, warn, error] = [at("info"), at("warn"), at("error")];
  return {
    info,
    warn,
    error,
    answered(answered) {
      const { id, client, method, route, status, milliseconds, key, body } = answered;
      const fields = {
        request_id: id,
        client,
        method,
        path: route,
        status,
        ms: rounded(milliseconds),
        key,
        ...factsOf(answered),
        ...(withPrompts && body !== undefined && { body }),
      };
      (answered.facts.error?.status === 500 ? error : info)(fields, "request");
    },
  };
}

/** A line of any values: those that JSON does not have are told as such. */
function lineOf(level: string, fields: object, message: string): string {
  const head = { time: new Date().toISOString(), level, message };
  try {
    return `${JSON.stringify({ ...head, ...fields })}\n`;
  } catch (error) {
    const told = Object.entries(fields).map(([name, value]) => [name, plain(value)]);
    return `${JSON.stringify({ ...head, ...Object.fromEntries(told), unwritten: cut(String(error)) })}\n`;
  }
}

/** A value that a line can have for certain. */
const plain = (value: unknown): unknown =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : `(${typeof value})`;

function factsOf({ facts: { usage, sampler, user, waited, error, answer } }: Answered): object {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  return {
    answer_id: answer,
    sampler,
    user: user === undefined ? undefined : cut(user),
    ...(waited !== undefined && { waited_ms: rounded(1000 * waited) }),
    ...(usage && {
      prompt_tokens: usage.promptTokens,
      cached_tokens: usage.cachedTokens,
      tokens: usage.generatedTokens,
      ...(usage.drafted && { drafted_tokens: usage.drafted.tokens, accepted_tokens: usage.drafted.accepted }),
      ...(usage.takenBack.length > 0 && {
        taken_back_tokens: usage.takenBack.reduce((sum, count) => sum + count, 0),
      }),
      ...(usage.firstToken !== undefined && { first_token_ms: rounded(usage.firstToken) }),
      finish: usage.finishes,
    }),
    ...(error && { error: error.code, reason: cut(error.message) }),
    // of the server
    ...(cause !== undefined && { cause: cause instanceof Error ? cause.stack : show(cause) }),
  };
}

/** A text of a client, cut, with how long it was. */
const cut = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}... (${text.length} characters)` : text;

const rounded = (milliseconds: number): number => Math.round(10 * milliseconds) / 10;
