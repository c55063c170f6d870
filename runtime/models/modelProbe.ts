/**
 * Loads a model in a child process before it is loaded here, so that a file that makes llama.cpp end the process, or takes all
 * memory, does not affect this one. The child runs on the CPU with the file mapped: it loads the model, tokenizes, and computes
 * two tokens, since some damage shows only then.
 */
import { messageOf, runScript, TIMEOUT_SIGNAL, type Ended } from "../core/childScript.js";
import { ModelError } from "../core/errors.js";
import { addonPath, modelProbePath } from "../core/root.js";

/** The demo model takes 0.3 s; a disk reads more than 50 MB in a second. */
const secondsFor = (bytes: number): number => 60 + Math.ceil(bytes / 50e6);

/** Throws a `ModelError` for a model that the child process does not survive, or that it refuses. */
export async function probeModel(path: string, bytes: number, seconds = secondsFor(bytes)): Promise<void> {
  const ended = await runScript(modelProbePath(), { args: [addonPath()!, path], seconds });
  if (ended.stdout === "ok" && ended.signal === undefined && ended.status === 0) return;
  throw failureOf(path, ended, seconds);
}

function failureOf(path: string, { stderr, signal, status }: Ended, seconds: number): ModelError {
  const advice = "the file is damaged or not supported; nothing was loaded into this process";
  if (signal === TIMEOUT_SIGNAL)
    return new ModelError(
      "MODEL_CRASH",
      `"${path}" was killed in the process that tried it, which took more than ${seconds} s or all memory: ${advice}`,
    );
  const assertion = /GGML_ASSERT\(.*\) failed|GGML_ABORT.*|terminate called.*/.exec(stderr)?.[0];
  if (signal !== undefined || assertion !== undefined || status > 1)
    return new ModelError(
      "MODEL_CRASH",
      `"${path}" ended the process that tried it (${signal ?? `status ${status}`}${assertion ? `: ${assertion}` : ""}): ${advice}`,
    );
  return new ModelError("INVALID_MODEL", messageOf(stderr) ?? `"${path}" cannot be loaded`);
}
