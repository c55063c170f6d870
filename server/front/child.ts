/** The process of a model. Its front tells it what to load, and to end; it ends with the front, too. */
import { guarded } from "../guarded.js";
import { openBehind } from "../serve.js";
import type { FromChild, Job, ToChild } from "./protocol.js";
import { ToldKeys } from "./keys.js";

const tell = (message: FromChild): void => void process.send?.(message);

// a terminal sends it to all processes, and the front says when to end
process.on(
  "SIGINT",
  guarded("SIGINT", () => undefined),
);
process.once(
  "disconnect",
  guarded("disconnect", () => process.exit(1)),
);
process.once(
  "message",
  guarded("message", (job: Job) => {
    run(job).catch((error: unknown) => {
      tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
      process.exitCode = 1;
      process.disconnect();
    });
  }),
);

async function run({ options, secret }: Job): Promise<void> {
  const server = await openBehind(options, new ToldKeys(secret));
  let isEnding = false;
  const end = (grace?: number): void => {
    if (isEnding) return;
    isEnding = true;
    void server.close(grace).finally(() => process.exit(0));
  };
  process.on(
    "SIGTERM",
    guarded("SIGTERM", () => end()),
  );
  process.on(
    "message",
    guarded("message", ({ grace }: ToChild) => end(grace)),
  );
  process.removeAllListeners("disconnect").once(
    "disconnect",
    guarded("disconnect", () => end(0)),
  );
  const { details, contextSize } = server;
  tell({ kind: "ready", url: await server.listen(), facts: { details, contextSize } });
}
