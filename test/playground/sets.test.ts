/** Sets of tokens, vocabularies, guides and the colours of the language in the built playground. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../runtime/chain/chain.js";
import { loadModelFromBytes } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/file.js";
import { inBrowser, openSite, SCREENSHOTS, type Site } from "./site.js";
import { until, visit } from "./visit.js";
import { llamaTest } from "../wasm/llamaTest.js";

const SETS = `import { greedy } from "std"

sampler rules(banned: tokens, static digits: tokens) {
  logit += token in digits ? 2 : 0
  keep token not in banned
}

chain picky(banned: tokens(2) = tokens(1), static digits: tokens = tokens()) = rules(banned, digits) |> greedy()
`;

const GUIDED = 'import { cfg, greedy } from "std"\n\nchain guided(scale: f32 in [0, 3] = 1.8) = cfg(scale) |> greedy\n';

const COLOURS = `/* one
two */
fn near(x: f32) -> f32 = x / 2
sampler all_of(static set: tokens = tokens(/^a\\/b$/, "x")) {
  keep token in set and near(prob) >= 0
  measure rows = n
}
chain c = all_of()
`;

/** What a page has, and Node.js's types lack. */
interface Styles {
  getComputedStyle(element: unknown): { readonly color: string };
}

let site: Site;

inBrowser("sets, vocabularies and guides in the playground", () => {
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test("the fields of sets decide which tokens stay, and a link keeps them", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.page.getByLabel("Logits from").selectOption("probs");
    await v.page.getByLabel("numbers, one for each token").fill("0.1, 0.4, 0.3, 0.2");
    await v.type(SETS);
    await v.see("#stages .status", /Picks token 2;/);

    const banned = v.page.locator("#parameters .set", { hasText: "banned" }).locator("input");
    expect(await banned.getAttribute("placeholder")).toBe("tokens(1)");
    await banned.fill("1, 2");
    await v.see("#stages .status", /Picks token 3;/);
    for (const text of ["1, 2, 3", "1, x", "-1", '""']) {
      await banned.fill(text);
      await v.see("#parameters .fault", /must be at most 2 token ids and texts/);
    }

    // texts need a vocabulary
    await banned.fill('" b", 3');
    await v.see("#stages .status", /vocabulary/);
    await v.page.locator("#logits summary").click();
    await v.page.getByLabel("vocabulary", { exact: true }).fill("a\n b\nc\nd");
    await v.see("#stages .status", /Picks token 2;/);

    // a static set compiles the chain again
    await v.page.locator("#parameters .set", { hasText: "digits" }).locator("input").fill('"a"');
    await v.see("#stages .status", /Picks token 0;/);
    await v.page.locator("#share").click();
    const link = await v.page.getByLabel("Link to this program").inputValue();
    await v.page.screenshot({ path: join(SCREENSHOTS, "sets.png"), fullPage: true });

    const other = await visit(site.browser, link);
    await other.see("#stages .status", /Picks token 0;/);
    const inputs = other.page.locator("#parameters .set input");
    expect(await inputs.nth(0).inputValue()).toBe('" b", 3');
    expect(await inputs.nth(1).inputValue()).toBe('"a"');
    expect(await other.page.getByLabel("vocabulary", { exact: true }).inputValue()).toBe("a\n b\nc\nd");
    await other.close();
    await v.close();
  });

  test("the editor colours functions, sets, patterns and block comments", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.zipf();
    await v.type(COLOURS);
    await v.see("#stages .status", /vocabulary/);
    expect(await v.diagnostics()).toBe("");
    const colourOf = (text: string, line: number): Promise<string> =>
      v.page
        .locator("#editor .cm-line")
        .nth(line)
        .locator("span", { hasText: text })
        .first()
        .evaluate((span) => (globalThis as unknown as Styles).getComputedStyle(span).color);
    const comment = await colourOf("/* one", 0);
    expect(await colourOf("two */", 1)).toBe(comment);
    const pattern = await colourOf("/^a", 3);
    expect(await colourOf('"x"', 3)).toBe(pattern);
    expect(pattern).not.toBe(comment);
    const keyword = await colourOf("sampler", 3);
    expect(await colourOf("fn", 2)).toBe(keyword);
    expect(await colourOf("measure", 5)).toBe(keyword);
    await v.page.screenshot({ path: join(SCREENSHOTS, "colours.png") });
    await v.close();
  });

  llamaTest("the model's texts are the vocabulary of its logits, and a guide has a prompt", async () => {
    using model = await loadModelFromBytes(readFileSync(DEMO_MODEL), { backend: "wasm" });
    const pieces: string[] = [];
    const [prompt, negative] = ["And the LORD said unto", "In the beginning"];
    const options = { chain: compile(GUIDED), maxTokens: 12, guides: { negative: { prompt: negative } } };
    for await (const { text } of model.generate(prompt, options)) pieces.push(text);

    const v = await visit(site.browser, site.url);
    await v.zipf();
    await v.type(GUIDED);
    await v.see("#stages .status", /reads the logits of other sequences \(negative\)/);
    await v.page.getByLabel("Prompt of the guide negative").fill(negative);
    await v.page.getByLabel("Prompt", { exact: true }).fill(prompt);
    await v.page.getByLabel("Tokens", { exact: true }).fill("12");
    await v.page.getByRole("button", { name: "Write" }).click();
    const ours = v.page.locator("#text .side").nth(0).locator(".token");
    await until(
      async () => (await ours.allTextContents()).join(""),
      (text) => text === pieces.join(""),
    );

    // at a place of the text the guide has its logits too
    await v.page.getByLabel("Logits from").selectOption("model");
    await ours.nth(3).click();
    await v.see("#stages .where", /^Token 4 of your program's text/);
    await v.see("#stages .status", new RegExp(`^Picks token \\d+ ${JSON.stringify(pieces[3])};`));
    await v.page.screenshot({ path: join(SCREENSHOTS, "guides.png"), fullPage: true });
    await v.type(`import { greedy } from "std"
sampler words() {
  keep token in tokens(/^ [A-Z]+$/)
}
chain c = words() |> greedy()
`);
    await v.see("#stages .status", /Picks token \d+ " [A-Z]+";/);
    expect(await v.page.getByLabel("Prompt of the guide negative").count()).toBe(0);
    await v.close();
  });
});
