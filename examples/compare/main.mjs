/**
 * A study of truncation, as a program: each section compares chains and adds a table and a figure to a page.
 *
 *     node examples/compare/main.mjs [PAGE [TEXTS]]
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, loadModel } from "ggsl";
import { compareChains, compareRows, compareText, drawFigure } from "ggsl/compare";

const [page = "build/compare/index.html", texts = "64"] = process.argv.slice(2);
const here = new URL(".", import.meta.url);
const source = readFileSync(new URL("truncation.ggsl", here), "utf8");

/** A chain of truncation.ggsl at a temperature. */
const chain = (name, t) => ({ name: `${name}, t = ${t}`, chain: compile(source, { chain: name, set: { t } }) });

const SECTIONS = [
  {
    title: "1. What temperature does",
    about:
      "Temperature divides the logits: above 1 it makes unlikely tokens likelier. At 1 the chain draws from the model's own distribution, so minus the mean log-probability is the mean entropy. Look at how far the two are apart at the other temperatures.",
    chains: [chain("without", 0.7), chain("without", 1), chain("without", 1.5)],
  },
  {
    title: "2. Truncation at a high temperature",
    about:
      "All three drop the tail before the temperature is raised. top_p keeps most of a flat distribution, min_p is relative to the best token, and top_n_sigma to the spread of the logits. The log-probability shows how unlikely the tokens are that get through, distinct-n what that gains.",
    chains: [chain("with_min_p", 1.5), chain("with_top_p", 1.5), chain("with_top_n_sigma", 1.5), chain("without", 1.5)],
  },
  {
    title: "3. A safer temperature, or a truncated high one",
    about:
      "Both keep texts probable. Compare the variety that is left at about the same log-probability, and how much repeats within a text.",
    chains: [chain("without", 0.7), chain("with_min_p", 1.5)],
  },
];

const model = await loadModel(fileURLToPath(new URL("../model/demo-q8_0.gguf", here)), { backend: "cpu" });
const parts = [];
for (const { title, about, chains } of SECTIONS) {
  const comparison = await compareChains(model, "And it came to pass", { chains, texts: Number(texts), tokens: 64 });
  console.log(`${title}\n\n${compareText(comparison)}`);
  parts.push(`<h2>${title}</h2>\n<p>${about}</p>\n${tableOf(comparison)}\n${drawFigure(comparison)}`);
}
model.dispose();
mkdirSync(dirname(page), { recursive: true });
writeFileSync(page, pageOf(parts.join("\n")));
console.log(`wrote ${page}`);

/** Names and values are this program's own: nothing has to be escaped. */
function tableOf(comparison) {
  const cells = (tag, values) => values.map((value) => `<${tag}>${value}</${tag}>`).join("");
  const head = cells("th", ["", ...comparison.chains.map(({ name }) => name)]);
  const rows = compareRows(comparison).map(({ title, values }) => `<tr><th>${title}</th>${cells("td", values)}</tr>`);
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function pageOf(body) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Truncation at a high temperature</title>
<style>
  :root { color-scheme: light dark }
  body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
  table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
  th, td { padding: .2rem .8rem .2rem 0; text-align: right; border-bottom: 1px solid #8886 }
  th:first-child { text-align: left }
  svg { max-width: 100%; height: auto }
</style>
<h1>Truncation at a high temperature</h1>
${body}
</html>
`;
}
