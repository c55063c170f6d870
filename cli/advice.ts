/** The sampling advice of model files, and what loading them tells. */
import { describeNotes } from "@ggsl/settings/from/notes.js";
import { InputError } from "ggsl/core/errors.js";
import type { Model } from "ggsl/models/model.js";
import type { ChainOptions } from "./chain.js";
import { UsageError } from "./usage.js";
import { say } from "./terminal.js";

/** The chain that the model file advises; it is printed. Without one it is `otherwise`, or an error. */
export function advisedBy({ advice }: Model, otherwise?: string): NonNullable<ChainOptions["program"]> {
  const { text, notes, fault } = advice;
  if (fault !== undefined)
    throw new InputError(`the model's sampling advice cannot be used:\n  ${fault}`, { code: "INVALID_FILE" });
  if (text === undefined && otherwise !== undefined) return { name: "chat", text: otherwise };
  if (text === undefined)
    throw new UsageError(
      "expected either a FILE or -e STAGES: the model file contains no sampling advice (general.sampling.*)",
    );
  for (const line of describeNotes(notes)) say(`${line}\n`);
  process.stderr.write(`the chain is the model's sampling advice:\n\n${text}\n`);
  return { name: "general.sampling", text };
}

/** Warns about a crashing driver even if its backend was not requested. */
export function reportBroken({ skipped, backend }: Model): void {
  for (const { backend: other, reason, isBroken } of skipped)
    if (isBroken) say(`warning: ${other}: ${reason}; the model runs on ${backend}\n`);
}
