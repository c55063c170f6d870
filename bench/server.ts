/**
 * `npm run bench:server`: requests to `ggsl serve`, and to llama-server built from the same source, alternating. Writes
 * bench/results/server.json, and updates docs/performance.md.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/core/table.js";
import { countOf, runMain } from "./main.js";
import { updatePage } from "./report/page.js";
import { serverTable } from "./report/server.js";
import {
  circumstances,
  quantile,
  spreadOf,
  writeJson,
  type ServerMeasurement,
  type ServerTimings,
  type ServerSide,
} from "./results.js";
import { openClient } from "./server/client.js";
import type { ServerProcess } from "./server/process.js";
import { startSide } from "./server/sides.js";
import { PATH, SIDES, TOKENS, WORK, type Side, type Work } from "./server/work.js";
import { ROOT } from "./tool.js";

const ROUNDS = "3";
const CLIENTS = [1, 8, 32, 64];
const USAGE = `usage: npm run bench:server -- [options]
  --rounds N      rounds of each comparison (default ${ROUNDS})
  --clients LIST  (default ${CLIENTS.join(",")}). Writes nothing
`;
const RESULTS = join(ROOT, "bench", "results", "server.json");

/** The requests of one client in front of all rounds: V8 goes on compiling for some hundred. */
const WARM_UP = 256;

/** Requests in a round: few clients take long. */
const requestsOf = (clients: number): number => Math.max(32, 4 * clients);
/** The number of requests for which CPU seconds are given. */
const CPU_REQUESTS = 256;

type Servers = ReadonlyMap<Side, ServerProcess>;

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: ROUNDS },
      clients: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const rounds = countOf("--rounds", values.rounds);
  const counts = values.clients?.split(",").map((text) => countOf("--clients", text)) ?? CLIENTS;
  const servers = new Map<Side, ServerProcess>();
  const measurements: ServerMeasurement[] = [];
  try {
    for (const side of SIDES) servers.set(side, await startSide(side));
    for (const [side, server] of servers) await send(server, side, WORK[0]!, 1, signal, WARM_UP);
    const cases = WORK.flatMap((work) => counts.map((clients) => ({ work, clients })));
    for (const [i, { work, clients }] of cases.entries()) {
      process.stderr.write(`[${i + 1}/${cases.length}] ${work.name}, ${clients} client${clients === 1 ? "" : "s"}\n`);
      measurements.push(await measure(servers, work, clients, rounds, signal));
    }
  } finally {
    await Promise.all([...servers.values()].map((server) => server.end()));
  }
  const { head, rows } = serverTable(measurements);
  process.stdout.write(`${formatTable(head, rows)}\n`);
  if (values.clients !== undefined) return;
  const command = `npm run bench:server${values.rounds === ROUNDS ? "" : ` -- --rounds ${rounds}`}`;
  const timings: ServerTimings = { ...circumstances(command), measurements };
  writeJson(RESULTS, timings);
  updatePage();
});

async function measure(
  servers: Servers,
  work: Work,
  clients: number,
  rounds: number,
  signal: AbortSignal,
): Promise<ServerMeasurement> {
  const results = new Map<Side, RoundOfRequests[]>(SIDES.map((side) => [side, []]));
  // one pass warms up: it also compiles the chains, which are then kept
  for (const side of SIDES) await send(servers.get(side)!, side, work, clients, signal);
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < SIDES.length; i++) {
      const side = SIDES[(i + round) % SIDES.length]!;
      results.get(side)!.push(await send(servers.get(side)!, side, work, clients, signal));
    }
  const ours = results.get("ggsl")!;
  const sides = SIDES.map((side): ServerSide => {
    const list = results.get(side)!;
    return {
      side,
      requestsPerSecond: spreadOf(list.map((r) => r.requestsPerSecond)),
      firstMs: spreadOf(list.map((r) => quantile(r.first, 0.5))),
      first99Ms: spreadOf(list.map((r) => quantile(r.first, 0.99))),
      nextMs: spreadOf(list.map((r) => quantile(r.gaps, 0.5))),
      next99Ms: spreadOf(list.map((r) => quantile(r.gaps, 0.99))),
      cpuSeconds: spreadOf(list.map((r) => r.cpu)),
      ...(side !== "ggsl" && {
        requestsRatio: spreadOf(list.map((r, round) => ours[round]!.requestsPerSecond / r.requestsPerSecond)),
        cpuRatio: spreadOf(list.map((r, round) => ours[round]!.cpu / r.cpu)),
      }),
    };
  });
  return { work: work.name, clients, rounds, requests: requestsOf(clients), sides };
}

interface RoundOfRequests {
  readonly requestsPerSecond: number;
  /** Milliseconds until the first piece of each text, and between two pieces. */
  readonly first: readonly number[];
  readonly gaps: readonly number[];
  /** Seconds for `CPU_REQUESTS`, of all threads of the server. */
  readonly cpu: number;
}

async function send(
  server: ServerProcess,
  side: Side,
  work: Work,
  count: number,
  signal: AbortSignal,
  requests = requestsOf(count),
): Promise<RoundOfRequests> {
  const [first, gaps]: [number[], number[]] = [[], []];
  // with kept connections, llama-server hangs up on some requests
  const clients = Array.from({ length: count }, () => openClient(server.url, "none", false));
  const [start, before] = [performance.now(), server.cpu()];
  let next = 0;
  try {
    await Promise.all(
      clients.map(async (client) => {
        while (next < requests) {
          signal.throwIfAborted();
          const result = await client.stream(work.body(next++, side), PATH);
          if (!result.isDone || result.tokens !== TOKENS)
            throw new Error(
              `${side}, ${work.name}: expected ${TOKENS} tokens, found ${result.tokens} with status ${result.status}: ${result.error ?? result.text}`,
            );
          first.push(result.first);
          gaps.push(...result.gaps);
        }
      }),
    );
  } finally {
    for (const client of clients) client.close();
  }
  const seconds = (performance.now() - start) / 1000;
  return {
    first,
    gaps,
    requestsPerSecond: requests / seconds,
    cpu: ((server.cpu() - before) * CPU_REQUESTS) / requests,
  };
}
