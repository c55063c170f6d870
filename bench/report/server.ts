/** Requests to servers as tables. */
import type { ServerMeasurement, ServerSide } from "../results.js";
import { spreadText, type Table } from "./table.js";

const NAMES: Readonly<Record<string, string>> = {
  ggsl: "`ggsl serve`",
  "llama, device": "llama-server, device sampling",
  "llama, CPU": "llama-server, CPU sampling",
};

export const serverTable = (measurements: readonly ServerMeasurement[]): Table => ({
  head: [
    ...["requests", "clients", "server", "requests/s", "first token, ms", "p99", "next token, ms", "p99"],
    ...["CPU s for 256 requests", "GGSL's requests/s over it", "GGSL's CPU over it"],
  ],
  rows: measurements.flatMap(({ work, clients, sides }) =>
    sides.map((s) => [
      ...[work, String(clients), NAMES[s.side]!, spreadText(s.requestsPerSecond)],
      ...[s.firstMs, s.first99Ms, s.nextMs, s.next99Ms].map(({ median }) => median.toFixed(1)),
      ...[s.cpuSeconds, s.requestsRatio, s.cpuRatio].map(spreadText),
    ]),
  ),
});

/** What distinct chains may cost, with the most clients. */
export function serverTargets(measurements: readonly ServerMeasurement[]): Table {
  const most = Math.max(...measurements.map(({ clients }) => clients));
  const sideOf = (work: RegExp, side: string): ServerSide | undefined =>
    measurements.find((m) => m.clients === most && work.test(m.work))?.sides.find((s) => s.side === side);
  const [shared, distinct] = [sideOf(/^one chain$/, "ggsl"), sideOf(/^\d+ chains$/, "ggsl")];
  const device = sideOf(/^\d+ chains$/, "llama, device")?.cpuRatio;
  const ratio = shared && distinct && distinct.cpuSeconds.median / shared.cpuSeconds.median;
  const row = (what: string, limit: number, found: number | undefined, shown?: string): string[] => [
    ...[what, String(limit), shown ?? found?.toFixed(2) ?? "not measured"],
    found === undefined ? "-" : found <= limit ? "yes" : "no",
  ];
  return {
    head: ["what", "at most", "measured", "met"],
    rows: [
      row(`CPU of distinct chains over one chain, ${most} clients`, 1.2, ratio),
      row(
        `CPU of distinct chains over llama-server's with device sampling, ${most} clients`,
        ...([0.8, device?.median, device && spreadText(device)] as const),
      ),
    ],
  };
}
