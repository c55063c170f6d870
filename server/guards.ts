/** What guards all requests to a server, of one model or several, and what is told of their answers. */
import type { Answered, AppOptions } from "./app.js";
import { DEFAULTS, hostsOf, openLimits, originsOf, type ServeOptions } from "./config/options.js";
import { Connections } from "./http/connections.js";
import { HeldBytes } from "./http/held.js";
import { Proxies } from "./lanes/proxies.js";
import type { Metrics } from "./metrics/metrics.js";
import type { ServerLog } from "./requestLog.js";

type Guards = Pick<AppOptions, "cors" | "hosts" | "proxies" | "connections" | "held">;

/** Throws `InputError`. */
export function guardsOf(options: Omit<ServeOptions, "model" | "alias">): Guards {
  const cors = originsOf(options);
  const hosts = { host: options.host ?? DEFAULTS.host, allowed: hostsOf(options) };
  const proxies = new Proxies(options.trustProxy);
  const limits = openLimits(options);
  return { cors, hosts, proxies, connections: new Connections(limits, proxies), held: new HeldBytes(limits) };
}

/** Figures of what clients have open. */
export const openFigures = ({ connections, held }: Guards) => ({
  connections: () => connections.count,
  bodyBytes: () => held.total,
});

/** Counts an answer, and writes its line. */
export const tellsOf =
  (metrics: Metrics, log: ServerLog) =>
  (answered: Answered): void => {
    metrics.request(answered.route, answered.status, answered.milliseconds / 1000);
    // the process of a model has a line of its own
    if (!answered.facts.isPassed) log.answered(answered);
  };
