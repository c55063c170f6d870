/** The store of samplers: forms, ids, the cache, refusals, cost, those of the server. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { formatDiagnostic } from "../../compiler/check/format.js";
import { compileStages } from "../../compiler/driver.js";
import { toSpec, writeSpec } from "../../compiler/graph/json.js";
import { Metrics } from "../../server/metrics/metrics.js";
import { Cache } from "../../runtime/core/cache.js";
import { checkCost, costLimits } from "../../server/samplers/cost.js";
import { samplerJson } from "../../server/samplers/samplers.js";
import { codeOf, folder, openStore, refusalOf, VOCAB_SIZE } from "./store.js";

const metrics = new Metrics();
const store = openStore({ metrics });
afterAll(() => store.close());

const PIPELINE = "top_k(40) |> min_p(0.05) |> dist(7)";
const PROGRAM = `// a comment
/* and another */
import { top_k, temp, dist } from "std"
input green: f32 sparse(8) = 0
sampler boost() { logit += green }
/// words
chain warm(
  /// how warm
  t: f32 > 0 = 1,
  banned: tokens(4) = tokens(1, "b"),
  flag: bool = true,
  seed: seed = random,
) = boost() |> drop(banned) |> top_k(8) |> temp(t) |> dist(seed)
sampler drop(banned: tokens) { keep token not in banned  measure left = n  stop when n < 2 as "few" }
chain cold() = top_k(3) |> dist(1)
`;

describe("what a request brings", () => {
  test("a pipeline is compiled as the library compiles it", async () => {
    const sampler = await store.get({ sampler: PIPELINE });
    const { graph } = compilePipeline(PIPELINE, { limits: "strict", file: "sampler" });
    expect(sampler.chain.graph).toEqual(graph);
    expect(sampler).toMatchObject({
      form: "pipeline",
      chainName: "chain",
      picks: true,
      parameters: [],
      diagnostics: [],
    });
    expect(sampler.spec).toEqual(toSpec(graph));
    expect(sampler.id).toMatch(/^[0-9a-f]{64}$/);
    expect(sampler.explain).toMatch(/^stage +device[^]*top_k\(40\)[^]*cost of a token: \d+ rows computed, 1 sort/);
    expect(sampler.cost).toMatchObject({ sorts: 1, readbackBytes: 4 });
    const { token } = await sampler.chain.evaluate(new Float32Array(VOCAB_SIZE).fill(-1).with(3, 30));
    expect(token).toBe(3);
  });

  test("a program: its chain, parameters, inputs and measures", async () => {
    const sampler = await store.get({ sampler: PROGRAM, chain: "warm" });
    expect(sampler.parameters).toEqual([
      { name: "t", type: "f32", min: 0, excludesMin: true, default: 1, doc: "how warm" },
      { name: "flag", type: "bool", default: true },
      { name: "seed", type: "seed", default: "random" },
      { name: "banned", type: "tokens", default: [1, "b"], capacity: 4 },
    ]);
    expect(sampler.inputs).toEqual([{ name: "green", kind: "column", type: "f32", capacity: 8 }]);
    expect([sampler.form, sampler.chainName, sampler.measures]).toEqual(["program", "warm", ["left"]]);
    expect(sampler.stops).toEqual(["few"]);
    const cold = await store.get({ sampler: PROGRAM, chain: "cold" });
    expect([cold.chainName, cold.id === sampler.id]).toEqual(["cold", false]);
  });

  test("a spec, as an object and as a text", async () => {
    const { graph } = compilePipeline("top_k(5) |> greedy()");
    const [object, text] = [{ ...toSpec(graph) }, writeSpec(graph)];
    for (const sampler of [object, text]) {
      const found = await store.get({ sampler });
      expect([found.form, found.spec]).toEqual(["spec", object]);
    }
  });

  test("with a grammar of the request in front", async () => {
    const free = await store.get({ sampler: "dist(1)" });
    const sampler = await store.get({ sampler: "dist(1)", constrained: true });
    expect([free.parameters, sampler.parameters]).toEqual([[], [{ name: "grammar", type: "grammar" }]]);
    const refusal = await refusalOf(store.get({ sampler: free.spec, constrained: true }));
    expect(refusal.message).toContain("it has no grammar parameter, and the request has a grammar");
    // the same by its id
    const again = await store.get({ sampler: free.id, constrained: true });
    expect(again).toBe(sampler);
  });

  test("warnings are kept with the sampler", async () => {
    const program =
      'import { dist } from "std"\nsampler s() {\n  let a = logit\n  logit += 1\n}\nchain c = s() |> dist(1)';
    const sampler = await store.get({ sampler: program });
    expect(sampler.diagnostics).toEqual([
      expect.objectContaining({
        severity: "warning",
        file: "sampler",
        line: 3,
        column: 7,
        text: expect.stringMatching(/^warning\[W/),
      }),
    ]);
  });

  test("its description is JSON", async () => {
    const sampler = await store.get({ sampler: PIPELINE });
    const json = JSON.parse(JSON.stringify(samplerJson(sampler))) as Record<string, unknown>;
    expect(json).toMatchObject({ object: "sampler", id: sampler.id, chain: "chain", form: "pipeline", picks: true });
    expect(json["spec"]).toEqual(JSON.parse(JSON.stringify(sampler.spec)));
  });
});

describe("refusals", () => {
  test("errors of a program have codes, places and help, in OpenAI's form", async () => {
    const sampler = "top_k(40)\n  |> topp(0.9)\n |> dist()";
    const refusal = await refusalOf(store.get({ sampler }));
    expect([refusal.status, refusal.reason]).toEqual([400, "invalid_sampler"]);
    const { error } = refusal.body;
    expect(error).toMatchObject({ type: "invalid_request_error", param: "sampler", line: 2, column: 6 });
    expect([error.code, codeOf(refusal)]).toEqual(["invalid_sampler", expect.stringMatching(/^E\d{4}$/)]);
    expect(error.message).toMatch(/topp.*\(sampler:2:6\)/);
    const [first] = error.diagnostics!;
    expect(first).toMatchObject({
      severity: "error",
      code: codeOf(refusal),
      file: "sampler",
      line: 2,
      column: 6,
      endLine: 2,
      endColumn: 10,
    });
    expect(`${first!.help} ${first!.label}`).toContain("top_p");
    expect(first!.text).toBe(
      compileStages(sampler, { file: "sampler" })
        .diagnostics.map((d) => formatDiagnostic(d))
        .join(),
    );
  });

  test.each<[what: string, sampler: unknown, chain: string | undefined, code: RegExp, message: RegExp]>([
    ["a number", 7, undefined, /^invalid_request$/, /must be a text or a graph spec/],
    ["a list", [], undefined, /^invalid_request$/, /must be a text or a graph spec/],
    ["a name", "creative", undefined, /^unknown_sampler$/, /no sampler "creative": the server has no samplers/],
    ["an id", "0".repeat(64), undefined, /^unknown_sampler$/, /no sampler 0+ any more/],
    ["a program", `chain c = ${" ".repeat(2 ** 16)}`, undefined, /^sampler_too_large$/, /may have at most 65536/],
    ["a long spec", `{${" ".repeat(2 ** 20)}`, undefined, /^sampler_too_large$/, /may have at most 1048576/],
    ["a chain", "dist()", "x", /^invalid_request$/, /a pipeline has one chain, and `x` cannot be chosen/],
    ["nothing", "", undefined, /^E\d{4}$/, /expected/],
    ["another chain", PROGRAM, "x", /^E\d{4}$/, /no chain `x`/],
    ["two chains", PROGRAM, undefined, /^E\d{4}$/, /warm/],
    ["a file", 'import { x } from "./a.ggsl"\nchain c = x()', undefined, /^E\d{4}$/, /a\.ggsl/],
    ["a spec of nothing", {}, undefined, /^INVALID_SPEC$/, /^spec\./],
    ["no JSON", "{", undefined, /^INVALID_SPEC$/, /not JSON/],
    ["many stages", Array(33).fill("temp(1.1)").join(" |> "), undefined, /^E0218$/, /too large/],
  ])("%s", async (what, sampler, chain, code, message) => {
    const refusal = await refusalOf(store.get({ sampler, chain }));
    const { error } = refusal.body;
    expect(refusal.status).toBe(refusal.reason === "unknown_sampler" ? 404 : 400);
    if (error.diagnostics) expect(error.code).toBe("invalid_sampler");
    expect([codeOf(refusal), error.message]).toEqual([expect.stringMatching(code), expect.stringMatching(message)]);
    expect(error.param).toBe(what === "a chain" ? "sampler_chain" : "sampler");
  });

  test("JSON that is nested deeper than any spec", async () => {
    const deep = JSON.parse('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)) as unknown;
    const refusal = await refusalOf(store.get({ sampler: deep }));
    expect(refusal.message).toMatch(/must be a text or a graph spec/);
    expect(codeOf(await refusalOf(store.get({ sampler: '{"a":'.repeat(100_000) })))).toBe("INVALID_SPEC");
  });
});

describe("the cost", () => {
  test("of the server, and of a key on top of it", async () => {
    await using costly = openStore({ cost: { sorts: 1 } });
    const client = { lane: "k", limits: { cost: { work: 1000 } } };
    const refusal = await refusalOf(costly.get({ sampler: "top_p(0.9) |> min_p(0.1) |> typical(0.9) |> dist()" }));
    expect([refusal.reason, refusal.param, refusal.status]).toEqual(["sampler_too_costly", "sampler", 400]);
    expect(refusal.message).toMatch(
      /^the sampler costs too much for a token by this server: \d+ sorts of the vocabulary, and at most 1 are allowed \(`sorts`\)$/,
    );
    const sampler = await costly.get({ sampler: PIPELINE });
    expect(sampler.cost.work).toBeGreaterThan(1000);
    expect((await refusalOf(costly.get({ sampler: PIPELINE }, { client }))).message).toMatch(/for this key: \d+ rows/);
    // the server's own are chosen by who runs it
    await costly.addText("dear", "top_p(0.9) |> typical(0.9) |> dist()");
    await expect(costly.get({ sampler: "dear" }, { client })).resolves.toMatchObject({ name: "dear" });
  });

  test("limits of the compiler are the strict ones, for the vocabulary of the model", async () => {
    const stage = (n: number) => `sampler s${n}() { sort by abs(logit - ${n}) asc  logit += rank }`;
    const five = `${[1, 2, 3, 4, 5].map(stage).join("\n")}\nchain c = s1() |> s2() |> s3() |> s4() |> s5()`;
    const refusal = await refusalOf(store.get({ sampler: five }));
    expect([codeOf(refusal), refusal.message]).toEqual(["E0701", expect.stringMatching(/too many sorts/)]);
    await using large = openStore({ vocabSize: 2 ** 18, limits: { work: 2 ** 20 } });
    const work = await refusalOf(large.get({ sampler: "temp(0.5) |> top_p(0.9) |> dist()" }));
    expect(work.message).toMatch(/too many rows to compute for a token: at most 1048576 are allowed/);
  });

  test("limits are checked when the server starts", () => {
    expect(costLimits({ work: 5, sorts: 0 })).toEqual({ work: 5, sorts: 0 });
    expect(() => costLimits({ wrk: 5 })).toThrow(/there is no cost "wrk" to limit; there are nodes, work, sorts/);
    expect(() => costLimits({ work: -1 })).toThrow(/the limit `work` must be an integer from 0, found -1/);
  });

  test("says which numbers are above", () => {
    const cost = { nodes: 9, work: 9, sorts: 9, deviceBytes: 9, hostBytes: 9, uploadBytes: 9, readbackBytes: 9 };
    expect(() => checkCost({ cost }, { nodes: 9 }, "server")).not.toThrow();
    expect(() => checkCost({ cost }, { nodes: 8, hostBytes: 0 }, "server")).toThrow(/`nodes`.*`hostBytes`/);
  });
});

describe("what is kept", () => {
  test("one compilation for requests of the same text at once, and none for later ones", async () => {
    const counted = new Metrics();
    await using shared = openStore({ metrics: counted });
    const text = "top_k(11) |> dist(5)";
    const all = await Promise.all(Array.from({ length: 20 }, () => shared.get({ sampler: text })));
    expect(new Set(all).size).toBe(1);
    expect(await shared.get({ sampler: all[0]!.id })).toBe(all[0]);
    expect(shared.find(all[0]!.id)).toBe(all[0]);
    const faulty = await Promise.all([1, 2, 3].map(() => refusalOf(shared.get({ sampler: "topp()" }))));
    expect(await refusalOf(shared.get({ sampler: "topp()" }))).toBe(faulty[0]);
    const lines = (await counted.text())
      .split("\n")
      .filter((line) => /^ggsl_(sampler_lookups|compile_seconds_count)/.test(line));
    expect(lines).toEqual([
      'ggsl_sampler_lookups_total{result="miss"} 2',
      'ggsl_sampler_lookups_total{result="joined"} 21',
      'ggsl_sampler_lookups_total{result="hit"} 2',
      'ggsl_compile_seconds_count{result="compiled"} 1',
      'ggsl_compile_seconds_count{result="invalid"} 1',
    ]);
  });

  test("what was used last; those of the server are pinned", async () => {
    await using small = openStore({ capacity: 3 });
    await small.addText("own", "greedy()");
    const ids: string[] = [];
    for (let k = 1; k <= 3; k++) ids.push((await small.get({ sampler: `top_k(${k}) |> dist(1)` })).id);
    await small.get({ sampler: ids[0] });
    await small.get({ sampler: "top_k(4) |> dist(1)" });
    expect([small.size, ids.map((id) => small.find(id) !== undefined)]).toEqual([4, [true, false, true]]);
    expect(small.find("own")).toBe(await small.get({ sampler: "own" }));
    expect((await refusalOf(small.get({ sampler: ids[1] }))).reason).toBe("unknown_sampler");
  });

  test("as many as fit, whatever their number; one alone always", () => {
    const cache = new Cache<string>(3, 100);
    const kept = () => ["a", "b", "c", "d"].filter((key) => cache.get(key) !== undefined).join("");
    for (const key of ["a", "b", "c"]) cache.set(key, key, 30);
    cache.get("a");
    cache.set("d", "d", 30);
    expect(kept()).toBe("acd");
    cache.set("c", "c", 60);
    expect([kept(), cache.size]).toEqual(["cd", 2]);
    cache.set("a", "a", 200);
    expect(kept()).toBe("a");
    cache.set("b", "b", 10);
    expect(kept()).toBe("b");
  });

  test("one that is not kept is made", () => {
    const cache = new Cache<string>(2);
    const made: string[] = [];
    const make = (key: string) =>
      cache.getOrMake(key, () => {
        made.push(key);
        return key.toUpperCase();
      });
    expect(["a", "b", "a", "c", "a", "b"].map(make)).toEqual(["A", "B", "A", "C", "A", "B"]);
    expect(made).toEqual(["a", "b", "c", "b"]);
  });

  test.each([0, 1, 2, 3, 4, 5, 6])("a client that comes %i steps after the last one gave up", async (steps) => {
    const first = store.get({ sampler: `top_k(31) |> dist(${steps})` });
    const control = new AbortController();
    const left = store.get({ sampler: `top_k(32) |> dist(${steps})` }, { signal: control.signal }).catch(() => "left");
    control.abort();
    // at each step of the way out
    for (let i = 0; i < steps; i++) await Promise.resolve();
    const other = store.get({ sampler: `top_k(32) |> dist(${steps})` });
    expect(await left).toBe("left");
    await expect(other).resolves.toMatchObject({ picks: true });
    await first;
  });

  test("a client that gives up: the others get the sampler, and what no one waits for is not compiled", async () => {
    const counted = new Metrics();
    await using busy = openStore({ metrics: counted });
    const first = busy.get({ sampler: "top_k(21) |> dist()" });
    const control = new AbortController();
    const { signal } = control;
    const gone = busy.get({ sampler: "top_k(22) |> dist()" }, { signal });
    const [left, stayed] = [
      busy.get({ sampler: "top_k(23) |> dist()" }, { signal }),
      busy.get({ sampler: "top_k(23) |> dist()" }),
    ];
    control.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    await expect(left).rejects.toThrow("gone");
    expect((await stayed).spec.name).toBe("chain");
    await first;
    expect(await counted.text()).toContain('ggsl_compile_seconds_count{result="compiled"} 2');
    await expect(busy.get({ sampler: "dist()" }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });
});

describe("samplers of the server", () => {
  test("a program that imports a file, and what requests of it can choose", async () => {
    writeFileSync(join(folder, "lib.ggsl"), "sampler half() { logit *= 0.5 }");
    const file = join(folder, "main.ggsl");
    writeFileSync(file, 'import { half } from "./lib.ggsl"\nimport { dist } from "std"\nchain a = half() |> dist(1)\n');
    await using own = openStore();
    const added = await own.add("story", file);
    expect([added.name, added.chain.graph]).toEqual(["story", JSON.parse(JSON.stringify(added.chain.graph))]);
    expect(own.named).toEqual([added]);
    expect(await own.get({ sampler: "story" })).toBe(added);
    const constrained = await own.get({ sampler: "story", constrained: true });
    expect(constrained.parameters.map(({ type }) => type)).toEqual(["grammar"]);
    expect((await refusalOf(own.get({ sampler: "stories" }))).message).toContain("the server has story");
    // the text alone is a stranger's
    const { message } = await refusalOf(own.get({ sampler: 'import { half } from "./lib.ggsl"\nchain a = half()' }));
    expect(message).toContain("lib.ggsl");
  });

  test.each([
    ["a b", "dist()", /a name begins with a letter/],
    ["greedy", "dist()", /the standard library has a sampler of that name/],
    ["bad", "topp()", /the sampler "bad" cannot be used:\nerror\[E\d{4}\][^]*--> bad:1:1/],
  ])("%j is refused at the start", async (name, text, message) => {
    await expect(store.addText(name, text)).rejects.toThrow(message);
  });

  test("a file that is not there, a folder, two of a name", async () => {
    await expect(store.add("x", join(folder, "absent.ggsl"))).rejects.toMatchObject({ code: "UNREADABLE_FILE" });
    await expect(store.add("x", folder)).rejects.toThrow(/it is a folder/);
    await using own = openStore();
    const both = await Promise.allSettled([own.addText("x", "dist(1)"), own.addText("x", "dist(2)")]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });
});

test("a program compiled here is the one compiled there", async () => {
  const { chain } = await store.get({ sampler: PROGRAM, chain: "cold" });
  expect(chain.graph).toEqual(compile(PROGRAM, { chain: "cold", limits: "strict", file: "sampler" }).graph);
});
