/** The policy of a server: stages before those of all chains, and before their picks. Its file is read once; it may contain the key of a watermark. */
import path from "node:path";
import { compileError, formatDiagnostics } from "@ggsl/compiler/check/format.js";
import type { Policy } from "@ggsl/compiler/check/policies.js";
import { MAX_SOURCE_BYTES, readRegular, textOf, UnreadableFile } from "@ggsl/compiler/disk.js";
import { diskImporter } from "@ggsl/compiler/diskImporter.js";
import { checkPolicy } from "@ggsl/compiler/driver.js";
import { InputError } from "ggsl/core/errors.js";
import { disk } from "../disk.js";

export interface PolicyFile {
  readonly file: string;
  readonly text: string;
}

const checked = ({ file, text }: PolicyFile): ReturnType<typeof checkPolicy> =>
  checkPolicy({ name: file, text }, { importer: diskImporter(disk, { rootOf: () => path.dirname(file) }) });

/** Reads and checks a policy. Throws `InputError` with the diagnostics. */
export function openPolicy(file: string): PolicyFile {
  const given = { file, text: readFile(file) };
  const { policy, diagnostics } = checked(given);
  if (policy) return given;
  throw new InputError(`the policy cannot be used:\n${formatDiagnostics(diagnostics).trimEnd()}`, {
    code: "INVALID_FILE",
  });
}

let latest: { readonly text: string; readonly policy: Policy } | undefined;

/** The stages of a policy, which are made once in each thread. Throws `CompileError`. */
export function policyOf(given: PolicyFile): Policy {
  if (latest?.text === given.text) return latest.policy;
  const { policy, diagnostics } = checked(given);
  if (!policy) throw compileError(diagnostics);
  latest = { text: given.text, policy };
  return policy;
}

function readFile(file: string): string {
  try {
    return textOf(readRegular(disk, file, MAX_SOURCE_BYTES));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new InputError(`the policy "${file}" cannot be read: ${error.reason}`, { code: "UNREADABLE_FILE" });
  }
}
