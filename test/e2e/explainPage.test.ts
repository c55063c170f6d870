/** `ggsl explain --html`: what the page says, and that nothing from outside becomes markup in it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { format } from "prettier";
import { escape } from "../../runtime/core/markup.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { toSpec } from "../../compiler/graph/json.js";
import { OPTIMIZATIONS } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { warm } from "../cli/warm/warm.js";
import type { Result } from "../codegen/ggsl.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-page-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = warm();
const explain = (...args: string[]): Result => run(["explain", ...args], { cwd: folder });

/** A page that is one: its tags match, and nothing in it runs or is fetched. */
async function expectSound(page: string): Promise<void> {
  await format(page, { parser: "html" }); // throws where tags do not match
  const tags = [...page.matchAll(/<([a-zA-Z!/][^\s>]*)/g)].map(([, name]) => name!.replace(/^\//, "").toLowerCase());
  const known =
    "!doctype a b body code defs details div g h1 h2 h3 head header html main marker meta nav p path pre rect section span style summary svg table tbody td text th thead title tr";
  expect([...new Set(tags)].filter((name) => !known.split(" ").includes(name))).toEqual([]);
  const attributes = [...page.matchAll(/<[a-z][^\s>]*((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)].flatMap(([, text]) =>
    [...text!.matchAll(/([a-zA-Z-]+)="/g)].map(([, name]) => name!),
  );
  expect(attributes.filter((name) => /^on|^src|^style$|^srcdoc$|^action$/.test(name))).toEqual([]);
  expect([...page.matchAll(/href="([^"]*)"/g)].filter(([, to]) => !to!.startsWith("#"))).toEqual([]);
  expect(page).not.toMatch(/url\((?!#arrow\))|@import/);
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
}

const CHAIN = "top_k(40) |> min_p(0.05) |> temp(0.8) |> dist(42)";

const LEAVES: readonly string[] = ["input", "uniform"];

/** The cells of the table in a section, without markup. */
const rowsOf = (page: string, section: string): string[][] =>
  [
    ...page
      .slice(page.indexOf(`<section id="${section}">`))
      .split("</section>")[0]!
      .matchAll(/<tr[^]*?<\/tr>/g),
  ].map(([row]) => [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, c]) => c!.replace(/<[^>]*>/g, "").trim()));

test("the page says what the table says, and more", async () => {
  const page = explain("-e", CHAIN, "--html").stdout;
  await expectSound(page);
  const { stages, nodes } = JSON.parse(explain("-e", CHAIN, "--json").stdout) as {
    nodes: number;
    stages: { name: string; nodes: number; rows: string; device: string }[];
  };
  const rows = rowsOf(page, "stages").slice(1);
  expect(rows.map((r) => [r[0], r[3], r[4], r[5]])).toEqual(
    stages.map((s, i) => [`${i + 1} ${s.name}`, s.rows, s.device, String(s.nodes)]),
  );
  expect(rows.map((r) => r[2])).toEqual(["V", ...stages.slice(0, -1).map((s) => s.rows)]);
  expect(rows.map((r) => r[1]!.replace(/ at least.*/, ""))).toEqual([
    "top k",
    "keep logit &gt;= max(logit) + log(p)",
    "keep t &gt; 0",
    "nothing",
  ]);
  expect(page).toContain(`${nodes} nodes in ggml&#39;s graph`);
  expect(rowsOf(page, "host").filter((r) => r.length > 0)).toEqual([
    ["the picked token", "4"],
    ["1 uniforms", "4"],
  ]);
});

test("each optimization is measured by compiling without it", () => {
  const launched = (g: Graph): number => g.nodes.filter(({ op }) => !["input", "uniform", "view"].includes(op)).length;
  const rows = rowsOf(explain("-e", CHAIN, "--html").stdout, "optimizations").slice(1);
  expect(rows.map(([name]) => name).sort()).toEqual([...OPTIMIZATIONS.keys()].sort());
  const all = launched(compilePipeline(CHAIN).graph);
  for (const [name, , , without, withIt] of rows) {
    expect(without).toBe(String(launched(compilePipeline(CHAIN, { disable: [name!] }).graph)));
    expect(withIt).toBe(String(all));
  }
  expect(rows.some(([, , , without]) => Number(without) > all)).toBe(true);
  const off = explain("-e", CHAIN, "--html", "--no-optimize").stdout;
  expect(off).toContain("All are disabled.");
  expect(rowsOf(explain("-e", CHAIN, "--html", "--disable", "ratio-pick").stdout, "optimizations").length).toBe(
    OPTIMIZATIONS.size,
  );
});

test("every node is drawn, with its stage's colour and number", () => {
  const page = explain("-e", CHAIN, "--html").stdout;
  const { graph } = compilePipeline(CHAIN);
  const svg = page.slice(page.indexOf("<svg"), page.indexOf("</svg>"));
  const edges = graph.nodes.reduce((sum, { inputs }) => sum + inputs.length, 0) + 1;
  expect(svg.match(/<g class="node/g)!.length).toBe(graph.nodes.length + 1);
  expect(svg.match(/class="edge"/g)!.length).toBe(edges);
  for (const [i] of graph.stages.entries())
    expect(svg.match(new RegExp(`class="node c${i}"`, "g"))?.length ?? 0).toBe(
      graph.nodes.filter((n) => n.origin?.stage === i && !LEAVES.includes(n.op)).length,
    );
});

test("a graph too large to be read is not drawn, and the page says so", async () => {
  const page = explain("-e", Array.from({ length: 14 }, () => "typical(0.9)").join(" |> "), "--html").stdout;
  await expectSound(page);
  expect(page).toMatch(/This graph has \d+ nodes; drawings are made of up to 400/);
});

test("the host tail and a chain without a pick", async () => {
  const page = explain("-e", "top_k(20) |> host dist(1)", "--html").stdout;
  await expectSound(page);
  expect(page).toContain("The host tail starts at <code>host dist(1)</code>: llama.cpp's own CPU samplers.");
  expect(rowsOf(page, "host")).toContainEqual(["token ids of the rows", "80"]);
});

test("-o writes a file, and --json and --html do not go together", () => {
  expect(explain("-e", CHAIN, "--html", "-o", "page.html")).toMatchObject({ status: 0, stdout: "", stderr: "" });
  expect(readFileSync(join(folder, "page.html"), "utf8")).toBe(explain("-e", CHAIN, "--html").stdout);
  expect(explain("-e", CHAIN, "--html", "--json").status).toBe(2);
  expect(explain("-e", CHAIN, "--html", "-o", "no/such/folder.html")).toMatchObject({ status: 1, stdout: "" });
});

const HOSTILE = [
  `</title><script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  `</style></pre></svg><iframe src="https://example.org">`,
  `<!-- ]]> &lt; &#60;script&#62; \u2028 \0 \ud800 javascript:alert(1)`,
];

describe.each(HOSTILE)("%j", (text) => {
  test("in every place of a spec", async () => {
    const spec = toSpec(compilePipeline(`penalties(repeat: 1.1) |> mirostat_v2(5, 0.1, 1)`).graph);
    const named = {
      ...spec,
      name: text,
      nodes: spec.nodes.map((n) => ({ ...n, name: text, ...(n.origin && { origin: { ...n.origin, file: text } }) })),
      inputs: spec.inputs.map((input, i) => (i === 0 ? input : { ...input, name: `${text}${i}` })),
      states: spec.states.map((state) => ({ ...state, name: text })),
      stages: spec.stages.map((stage) => ({
        name: text,
        origin: { ...stage.origin, file: text },
        rows: "V",
        drops: [text],
      })),
    };
    writeFileSync(join(folder, "spec.json"), JSON.stringify(named));
    const { stdout, stderr, status } = explain("spec.json", "--html");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    await expectSound(stdout);
    expect(stdout).toContain(escape(text));
    expect(stdout).not.toContain(text);
  });

  test("as a string of a program, and as the file's name", async () => {
    const name = `${text.replace(/[/\0\ud800]/g, "_")}.ggsl`;
    const quoted = text.replace(/[\0\ud800\u2028]/g, "").replace(/["\\]/g, "\\$&");
    writeFileSync(
      join(folder, name),
      `import { dry, dist } from "std"\nchain c = dry(multiplier: 1, breakers: ["${quoted}"]) |> dist()\n`,
    );
    const { stdout, stderr, status } = explain(name, "--html");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    await expectSound(stdout);
    expect(stdout).toContain(escape(name));
  });
});
