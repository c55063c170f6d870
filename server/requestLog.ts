/** The log: one JSON object a line. */
import type { Answered } from "./app.js";
import { SILENT, type Log } from "./log.js";

/** Where the lines go, and whether requests are part of them. */
export interface LogOptions {
  readonly form: "json" | "off";
  /** The bodies of requests, with their prompts, too. */
  readonly withPrompts: boolean;
  readonly write?: (line: string) => void;
}

export interface ServerLog extends Log {
  answered(answered: Answered): void;
}

export function openLog({ form, withPrompts, write = toStdout }: LogOptions): ServerLog {
  if (form === "off") return { ...SILENT, answered: () => undefined };
  const line =
    (level: string) =>
    (fields: object, message: string): void =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
  const [info, warn, error] = [line("info"), line("warn"), line("error")];
  return {
    ...{ info, warn, error },
    answered(answered) {
      const { method, route, status, milliseconds, key, body } = answered;
      const fields = {
        ...{ method, path: route, status, ms: rounded(milliseconds), key },
        ...factsOf(answered),
        ...(withPrompts && body !== undefined && { body }),
      };
      (answered.facts.error?.status === 500 ? error : info)(fields, "request");
    },
  };
}

function factsOf({ facts: { usage, sampler, user, waited, error } }: Answered): object {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  return {
    ...{ sampler, user },
    ...(waited !== undefined && { waited_ms: rounded(1000 * waited) }),
    ...(usage && {
      ...{ prompt_tokens: usage.promptTokens, cached_tokens: usage.cachedTokens, tokens: usage.generatedTokens },
      ...(usage.firstToken !== undefined && { first_token_ms: rounded(usage.firstToken) }),
      finish: usage.finishes,
    }),
    ...(error && { error: error.code, reason: error.message }),
    ...(cause !== undefined && { cause: cause instanceof Error ? cause.stack : JSON.stringify(cause) }),
  };
}

const rounded = (milliseconds: number): number => Math.round(10 * milliseconds) / 10;
const toStdout = (line: string): void => void process.stdout.write(line);
