/** What the routes of a server share. */
import type { DefaultChains } from "./engine/defaults.js";
import type { Engine } from "./engine/engine.js";
import type { KeyRing } from "./keys/ring.js";
import type { Quotas } from "./keys/quotas.js";
import type { Metrics } from "./metrics/metrics.js";
import type { Queue } from "./queue/queue.js";
import type { Samplers } from "./samplers/samplers.js";

export interface Serving {
  readonly engine: Engine;
  readonly samplers: Samplers;
  readonly defaults: DefaultChains;
  /** The names of samplers of places. */
  readonly slots: ReadonlyMap<number, string>;
  readonly keys: KeyRing;
  readonly quotas: Quotas;
  readonly queue: Queue;
  readonly metrics: Metrics;
  /** Requests that are being answered. */
  readonly answering: Set<AbortController>;
  /** Fields that are not known or not done, and names of other models, are ignored, and named in a header. */
  /** Whether stages of the server come before those of all chains, or before their picks. */
  readonly hasPolicy: boolean;
  readonly isLenient: boolean;
  /** Milliseconds that the reader of a stream may take nothing. */
  readonly patience: number;
  /** Seconds without an event until a stream has a ping; 0 or less: never. */
  readonly pingInterval: number;
}
