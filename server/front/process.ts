/** The process of a model, as the front sees it. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { randomBytes } from "node:crypto";
import type { ServeOptions } from "../config/options.js";
import { guarded } from "../guarded.js";
import type { FromChild, Job, ModelFacts, ToChild } from "./protocol.js";

export interface ModelProcess {
  /** Where it listens; only this machine reaches it. */
  readonly url: URL;
  readonly facts: ModelFacts;
  /** What requests of the front bring. */
  readonly secret: string;
  readonly pid: number;
  /** Resolves with the reason when the process is over. */
  readonly over: Promise<string>;
  /** Writes running texts to their end, for some milliseconds at most, and ends it. */
  end(grace: number): Promise<void>;
}

/** Milliseconds after the grace until a process is killed. */
const KILL_AFTER = 5000;

/** Only tests and tools run the sources. */
function script(): { readonly file: string; readonly execArgv: readonly string[] } {
  if (import.meta.url.endsWith(".js"))
    return { file: fileURLToPath(new URL("child.js", import.meta.url)), execArgv: [] };
  const execArgv = ["--conditions=@ggsl/source", "--import", import.meta.resolve("tsx")];
  return { file: fileURLToPath(new URL("child.ts", import.meta.url)), execArgv };
}

/** Starts a process and waits until its model is loaded. Rejects with the reason if it is not. */
export async function startProcess(options: ServeOptions): Promise<ModelProcess> {
  const { file, execArgv } = script();
  const secret = randomBytes(32).toString("hex");
  // its lines of the log go where the front's go
  const child = spawn(process.execPath, [...execArgv, file], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  let failure: string | undefined;
  type Ready = Extract<FromChild, { readonly kind: "ready" }>;
  let ready!: (message: Ready) => void;
  const started = new Promise<Ready>((resolve) => (ready = resolve));
  child.on(
    "message",
    guarded("message", (message: FromChild) => {
      if (message.kind === "ready") ready(message);
      else failure = message.message;
    }),
  );
  const over = new Promise<string>((resolve) => {
    child.once(
      "error",
      guarded("error", ({ message }: Error) => resolve(message)),
    );
    child.once(
      "exit",
      guarded("exit", (status: number | null, signal: string | null) =>
        resolve(failure ?? `it ended by ${signal ?? `status ${status}`}`),
      ),
    );
  });
  const send = (message: Job | ToChild): void => void child.send(message, () => undefined);
  send({ options, secret });
  const { url, facts } = await Promise.race([started, over.then((reason) => Promise.reject(new Error(reason)))]);
  return {
    url: new URL(url),
    facts,
    secret,
    pid: child.pid!,
    over,
    async end(grace) {
      if (child.connected) send({ grace });
      const timer = setTimeout(
        guarded("kill", () => child.kill("SIGKILL")),
        grace + KILL_AFTER,
      );
      await over;
      clearTimeout(timer);
    },
  };
}
