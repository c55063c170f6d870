/** Metrics: their text as Prometheus reads it, and the dashboard, which uses only metrics that exist. */
import { describe, expect, test } from "@jest/globals";
import { parser } from "@prometheus-io/lezer-promql";
import { readFileSync } from "node:fs";
import parseText from "parse-prometheus-text-format";
import { Metrics } from "../../server/metrics/metrics.js";
import { REFUSALS } from "../../server/refusal.js";

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "COUNTER" | "GAUGE" | "HISTOGRAM";
  readonly metrics: readonly { readonly value: string; readonly labels?: Readonly<Record<string, string>> }[];
}

/** What a busy server counts: each metric once at least. */
function busy(): Metrics {
  const metrics = new Metrics();
  metrics.read({ running: () => 3, places: () => 32, waiting: () => 2 });
  metrics.read({ liveChains: () => 7, samplers: () => 9, compiling: () => 1 });
  metrics.request("/v1/completions", 200, 1.5);
  metrics.request("/v1/completions", 200, 0.5);
  metrics.request("/v1/chat/completions", 429, 0.001);
  metrics.refused("queue_full");
  metrics.admitted(0.25);
  metrics.tokens("prompt", 100);
  metrics.tokens("generated", 32);
  metrics.drafted(12, 9);
  metrics.firstToken(0.2);
  metrics.nextToken(0.02);
  metrics.decoded(0.015);
  for (const found of ["hit", "miss", "joined", "named"] as const) metrics.sampler(found);
  for (const result of ["compiled", "invalid", "limit", "failed"] as const) metrics.compiled(result, 0.03);
  return metrics;
}

const familiesOf = async (metrics: Metrics): Promise<Map<string, Family>> => byName(await metrics.text());

function byName(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  for (const family of parseText(text) as Family[]) {
    const metrics = families.get(family.name)?.metrics ?? [];
    families.set(family.name, { ...family, metrics: [...metrics, ...family.metrics] });
  }
  return families;
}

/** The parser puts all histograms of a family into one; without their type it lists each sample under its own name. */
const samplesOf = async (metrics: Metrics): Promise<Map<string, Family>> =>
  byName((await metrics.text()).replace(/^# TYPE \S+ histogram$/gm, ""));

describe("the text form", () => {
  test("is what was counted", async () => {
    const families = await samplesOf(busy());
    const valuesOf = (name: string) => families.get(name)!.metrics.map(({ value, labels }) => [labels, value]);
    expect(valuesOf("ggsl_requests_total")).toEqual([
      [{ route: "/v1/completions", status: "200" }, "2"],
      [{ route: "/v1/chat/completions", status: "429" }, "1"],
    ]);
    expect(valuesOf("ggsl_refused_total")).toEqual([[{ reason: "queue_full" }, "1"]]);
    expect(valuesOf("ggsl_tokens_total")).toEqual([
      [{ kind: "prompt" }, "100"],
      [{ kind: "generated" }, "32"],
    ]);
    expect(valuesOf("ggsl_drafted_tokens_total")).toEqual([
      [{ result: "accepted" }, "9"],
      [{ result: "refused" }, "3"],
    ]);
    const gauges = ["running_texts", "places", "queue_length", "live_chains", "samplers", "compiler_queue_length"];
    expect(gauges.map((name) => families.get(`ggsl_${name}`)!.metrics[0]!.value)).toEqual([
      "3",
      "32",
      "2",
      "7",
      "9",
      "1",
    ]);
    const completions = families
      .get("ggsl_request_seconds_bucket")!
      .metrics.filter(({ labels }) => labels!["route"] === "/v1/completions");
    const below = (le: string) => completions.find(({ labels }) => labels!["le"] === le)!.value;
    expect([below("0.1"), below("0.5"), below("+Inf")]).toEqual(["0", "1", "2"]);
    expect(valuesOf("ggsl_request_seconds_sum")[0]).toEqual([{ route: "/v1/completions" }, "2"]);
    expect(valuesOf("ggsl_sampler_lookups_total")).toHaveLength(4);
    expect(valuesOf("ggsl_compile_seconds_count")).toHaveLength(4);
    expect(Number(valuesOf("process_resident_memory_bytes")[0]![1])).toBeGreaterThan(1e6);
    expect(Number(valuesOf("process_cpu_seconds_total")[0]![1])).toBeGreaterThan(0);
  });

  test("follows Prometheus's rules for names, units and help", async () => {
    for (const { name, help, type } of (await familiesOf(busy())).values()) {
      expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z].+[^.]$/)]);
      expect([name, name.endsWith("_total")]).toEqual([name, type === "COUNTER"]);
      if (type === "HISTOGRAM") expect(name).toMatch(/_seconds$/);
    }
  });

  test("a server that has done nothing shows its gauges; servers of a process share nothing", async () => {
    busy();
    const families = await familiesOf(new Metrics());
    expect(families.get("ggsl_running_texts")!.metrics).toEqual([{ value: "0" }]);
    expect(families.get("ggsl_requests_total")?.metrics ?? []).toEqual([]);
  });

  test("the longest hold of the event loop since the last look", async () => {
    const metrics = new Metrics();
    const holdOf = async (): Promise<number> =>
      Number((await familiesOf(metrics)).get("ggsl_event_loop_hold_seconds")!.metrics[0]!.value);
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
    await pause();
    await holdOf();
    const begin = performance.now();
    while (performance.now() - begin < 400);
    await pause();
    expect(await holdOf()).toBeGreaterThan(0.35);
    // the hold is told once
    const before = performance.now();
    await pause();
    expect(await holdOf()).toBeLessThan((performance.now() - before) / 1000);
    metrics.close();
  });

  test("every reason of a refusal is a label", async () => {
    const metrics = new Metrics();
    const reasons = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[];
    for (const reason of reasons) metrics.refused(reason);
    const { metrics: found } = (await familiesOf(metrics)).get("ggsl_refused_total")!;
    expect(found.map(({ labels }) => labels!["reason"])).toEqual(reasons);
  });
});

test("docs/server.md lists each metric with its labels", async () => {
  const rows = [...readFileSync("docs/server.md", "utf8").matchAll(/^\| (`(?:ggsl|process)_.*?) \|(.*?)\| /gm)];
  const listed = rows.flatMap(([, names, labels]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => [name, [...labels!.matchAll(/`(\w+)`/g)].map(([, l]) => l)]),
  );
  const samples = await samplesOf(busy());
  const labelsOf = (name: string): string[] => {
    const { metrics } = samples.get(`${name}_count`) ?? samples.get(name)!;
    return Object.keys(metrics[0]!.labels ?? {});
  };
  const names = [...(await familiesOf(busy())).keys()];
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(names.map((name) => [name, labelsOf(name)])));
});

describe("the dashboard", () => {
  interface Dashboard {
    readonly panels: readonly {
      readonly id: number;
      readonly title: string;
      readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
      readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
    }[];
  }
  const { panels } = JSON.parse(readFileSync("server/metrics/grafana.json", "utf8")) as Dashboard;
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m")));

  /** The names of a query's metrics and labels. Throws if it is not PromQL. */
  function namesIn(query: string): { readonly metrics: string[]; readonly labels: string[] } {
    const [metrics, labels]: [string[], string[]] = [[], []];
    parser.parse(query).iterate({
      enter: ({ type, from, to }) => {
        if (type.isError) throw new Error(`${query}: not PromQL at ${from}`);
        const text = query.slice(from, to);
        if (type.name === "VectorSelector") metrics.push(/^\w+/.exec(text)![0]);
        if (type.name === "LabelName") labels.push(text);
      },
    });
    return { metrics, labels };
  }

  test("uses only metrics and labels that exist, and each metric", async () => {
    const samples = await samplesOf(busy());
    const used = new Set<string>();
    for (const query of queries) {
      const { metrics, labels } = namesIn(query);
      expect(metrics.length).toBeGreaterThan(0);
      for (const metric of metrics) {
        const found = samples.get(metric)?.metrics;
        expect([metric, found?.length]).toEqual([metric, expect.any(Number)]);
        used.add(metric.replace(/_bucket$/, ""));
        const known = new Set(found!.flatMap((m) => Object.keys(m.labels ?? {})));
        for (const label of labels) expect([query, label, known.has(label)]).toEqual([query, label, true]);
      }
    }
    expect([...(await familiesOf(busy())).keys()].filter((name) => !used.has(name))).toEqual([]);
  });

  test("panels have numbers and places of their own", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(panels.length);
  });

  test("the parser finds what is not PromQL", () => {
    expect(() => namesIn("rate(ggsl_requests_total[1m]")).toThrow(/not PromQL/);
  });
});
