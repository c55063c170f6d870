/** The built playground on bad input: it shows a message and continues. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { writeLink } from "../../playground/state/link.js";
import { inBrowser, openBrowser, openSite, type Site } from "./site.js";
import { until, visit, type Visit } from "./visit.js";
import { isBuilt } from "../wasm/llamaTest.js";

let site: Site;

const GOOD = 'import { top_k } from "std"\n\nchain good = top_k(3)\n';

const SHARED = {
  program: GOOD,
  uniforms: {},
  statics: {},
  seed: 1,
  source: { kind: "shape", shape: "zipf", size: 500 },
} as const;

async function goesOn(v: Visit): Promise<void> {
  await v.zipf();
  await v.type(GOOD);
  await v.see("#stages .stage", /^top_k\(3\)500 → 3 tokens/);
  await until(v.diagnostics, (text) => text === "");
  await v.close();
}

inBrowser("bad input in the playground", () => {
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test("ten thousand stages", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.type(`import { temp } from "std"\nchain c = ${Array(10_000).fill("temp(0.5)").join(" |> ")}`);
    await v.see("#diagnostics", /the limit `tokens`/);
    await goesOn(v);
  });

  test("the top million of 500 rows are all of them, in order", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.zipf();
    await v.type("sampler s() { top 1000000 }\nchain c = s()");
    await v.see("#stages .stage", /^s\(\)500 tokens/);
    await v.type("sampler s() { top 100000000 }\nchain c = s()");
    await v.see("#diagnostics", /E0320.*at most 16777216/);
    await goesOn(v);
  });

  test("chains that multiply are refused", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    // 800 chains of 250 stages each, in a text of some ten thousand characters
    const ten = `chain ten = ${Array(10).fill("typical(0.5)").join(" |> ")}`;
    const hundred = `chain hundred = ${Array(10).fill("ten").join(" |> ")}`;
    const all = ["hundred", "hundred", "ten", "ten", "ten", "ten", "ten"].join(" |> ");
    const chains = Array.from({ length: 800 }, (_, i) => `chain c${i} = ${all}`);
    await v.type(`import { typical } from "std"\n${ten}\n${hundred}\n${chains.join("\n")}`);
    await v.see("#diagnostics", /the limit `steps`/);
    await goesOn(v);
  });

  test("a worker that does not answer is stopped", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.see("#stages .status", /computed on wasm/);
    // limits keep programs from taking so long, so the worker itself is made to hang
    for (const worker of v.page.workers())
      await worker.evaluate(() => {
        const own = globalThis as unknown as {
          onmessage: (event: { readonly data: { readonly request: { readonly kind: string } } }) => void;
          readonly WebAssembly: { readonly Memory: new (size: object) => { readonly buffer: SharedArrayBuffer } };
        };
        const answer = own.onmessage;
        own.onmessage = (event) => {
          // a wait that nothing ends
          if (event.data.request.kind === "check")
            Atomics.wait(
              new Int32Array(new own.WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer),
              0,
              0,
            );
          answer(event);
        };
      });
    await v.hurried(async () => {
      await v.type('import { greedy } from "std"\nchain best = greedy()');
      await v.see("#diagnostics", /Compiling took longer than 10 s and was stopped/);
    });
    await goesOn(v);
  });

  test("an invalid list", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.see("#stages .status", /computed on wasm/);
    await v.page.getByLabel("Logits from").selectOption("logits");
    const list = v.page.getByLabel("numbers, one for each token");
    await list.fill("1, 2, three");
    await v.see("#logits .fault", /number 3 of the list is "three": expected a finite number or -inf/);
    await list.fill("-inf, -inf");
    await v.see("#stages .status", /every logit is -inf/);
    await list.fill("[1.5, null, 2]");
    await until(
      () => v.page.locator("#logits .fault").innerText(),
      (text) => text === "",
    );
    await v.type('import { greedy } from "std"\nchain best = greedy()');
    await v.see("#stages .status", /Picks token 2;/);
    await v.close();
  });

  test.each([
    ["damaged data", "#1.abc", /damaged/],
    ["an unknown form", "#<script>alert(1)</script>", /does not have the form/],
    ["another version", "#2.e30", /has version 2; this page reads version 1/],
    ["no program", "#1.e30", /no program/],
    ["too long", `#1.${"A".repeat(40_000)}`, /at most 32000 are allowed/],
    ["an invalid value", tampered({ uniforms: { t: "hot" } }), /`t` among its uniforms is not a name with a number/],
    [
      "a shape of a billion tokens",
      tampered({ source: { kind: "shape", shape: "flat", size: 1e9 } }),
      /neither a shape nor a list/,
    ],
  ])("a link with %s", async (_, fragment, message) => {
    const v = await visit(site.browser, `${site.urlWithoutModel}${fragment}`);
    await v.see("#notices .notice", message);
    await v.see("#stages .stage h3", /top_a\(a\)/);
    await goesOn(v);
  });

  test("a link with an unknown parameter", async () => {
    const v = await visit(site.browser, `${site.urlWithoutModel}${writeLink({ ...SHARED, uniforms: { heat: 2 } })}`);
    await v.see("#notices .notice", /`heat`/);
    await v.see("#stages .stage h3", /top_k\(3\)/);
    await v.close();
  });

  test("without SIMD the page says so, and the reference interpreter works", async () => {
    const old = await openBrowser(["--js-flags=--no-enable-sse4-1 --no-enable-ssse3 --no-enable-avx"]);
    const v = await visit(old, site.url);
    await v.see("#notices .notice", /The WebAssembly module cannot be used: .*SIMD.*reference interpreter is used/s);
    // nor can the module with the model, in a build that has it; the pictures need none
    if (isBuilt) await v.see("#logits .fault", /The WebAssembly module with llama\.cpp cannot be used: .*SIMD/);
    await v.see("#stages .status", /^Picks token .*; computed on reference/);
    if (isBuilt) await v.see("#stages .where", /^Until the model is here: probabilities like those of words/);
    await v.zipf();
    await v.type(GOOD);
    await v.see("#stages .stage", /^top_k\(3\)500 → 3 tokens/);
    await v.close();
    await old.close();
  });
});

/** A link with modified data. */
function tampered(change: object): string {
  return `#1.${Buffer.from(JSON.stringify({ ...SHARED, ...change })).toString("base64url")}`;
}

test("a program that is too long for a link gets none", () => {
  expect(() => writeLink({ ...SHARED, program: "x".repeat(40_000) })).toThrow(/at most 32000 are allowed/);
});
