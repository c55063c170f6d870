/** What the paths of a front share. */
import type { Metrics } from "../metrics/metrics.js";
import type { Models } from "./models.js";

export interface Fronting {
  readonly models: Models;
  /** The models, and those with one of the server's samplers as `NAME:SAMPLER`; the first one is that of requests without a name. */
  readonly names: readonly [string, ...string[]];
  /** The model of each of these names. */
  readonly modelOf: ReadonlyMap<string, string>;
  readonly fileOf: (model: string) => string;
  readonly metrics: Metrics;
  /** Names of other models are those of the first one. */
  readonly isLenient: boolean;
  /** In seconds since 1970. */
  readonly created: number;
}
