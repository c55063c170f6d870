/** Loads the model again when the process that has it ends, as after the loss of a worker. */
import { setTimeout as delay } from "node:timers/promises";
import type { Model } from "ggsl/models/model.js";
import type { Log } from "../log.js";
import type { Queue } from "../queue/queue.js";
import type { Engine } from "./engine.js";

interface Recovery {
  readonly engine: Engine;
  /** Requests wait in it while there is no model. */
  readonly queue: Queue;
  readonly log: Log;
  readonly load: () => Promise<Model>;
  /** Tries the model that was loaded. */
  readonly warmUp: () => Promise<void>;
}

/** Milliseconds before the model is loaded again; doubled after each time that fails. */
const WAIT = { first: 500, most: 15_000 } as const;

/** Begins to watch. The function that it returns ends it, and waits for a load that runs. */
export function recover({ engine, queue, log, load, warmUp }: Recovery): () => Promise<void> {
  const stop = new AbortController();
  let running = Promise.resolve();
  const again = async (reason: Error & { readonly code?: string }): Promise<void> => {
    queue.pause();
    log.error(
      { error: reason.code, reason: reason.message },
      "the model is lost: requests wait until it is loaded again",
    );
    for (let wait: number = WAIT.first; ; wait = Math.min(2 * wait, WAIT.most)) {
      await delay(wait, undefined, { signal: stop.signal });
      try {
        engine.replace(await load());
        await warmUp();
        break;
      } catch (error) {
        const { code, message } = error as Error & { readonly code?: string };
        log.warn({ error: code, reason: message }, "the model cannot be loaded yet");
      }
    }
    log.info({}, "the model is loaded again");
    watch();
    queue.resume();
  };
  const watch = (): void => {
    void engine.model.lost?.then((reason) => {
      // the wait ends early with the server
      if (!stop.signal.aborted) running = again(reason).catch(() => undefined);
    });
  };
  watch();
  return async () => {
    stop.abort();
    await running;
  };
}
