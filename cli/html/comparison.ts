/** The page of `ggsl compare --html`. */
import type { ChainResult, Comparison } from "ggsl/compare/comparison.js";
import { drawFigure } from "ggsl/compare/plot/figure.js";
import { compareRows } from "ggsl/compare/table.js";
import { html, type Markup } from "ggsl/core/markup.js";
import { writeDocument } from "./document.js";
import { BASE_STYLE } from "./style.js";

/** Texts of each chain that the page shows. */
const SHOWN = 4;

const STYLE = `${BASE_STYLE}
svg { display: block; max-width: 100%; height: auto; }
.texts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: var(--gap-4); }
blockquote { margin: .5rem 0; padding: .5rem .8rem; border-left: 3px solid var(--edge); white-space: pre-wrap; overflow-wrap: anywhere; }
td small { font-size: var(--size-label); display: block; max-width: 34rem; white-space: normal; font-weight: 400; color: var(--faint); }
th code { white-space: normal; }
`;

/** @param model where the texts come from */
export function comparisonPage(comparison: Comparison, model: string): string {
  const { chains, prompt, seed, tokens } = comparison;
  const count = chains[0]?.texts.length ?? 0;
  return writeDocument(
    "Comparison of samplers – GGSL",
    STYLE,
    html`<header>
        <h1>Comparison of samplers</h1>
        <p>
          ${count} texts of each chain, of at most ${tokens} tokens, after the prompt <code>${prompt}</code>, with the
          seeds from ${seed} on. The model is <code>${model}</code>.
        </p>
        ${chains.filter(({ hasOpenSeed }) => !hasOpenSeed).map(fixedNote)}
      </header>
      <main>
        <section>
          <h2>Measures</h2>
          ${table(comparison)}
        </section>
        <section>
          <h2>Curves</h2>
          <p class="note">
            Means over the texts that have a token at the position, with a band of one standard error on both sides.
          </p>
          ${{ markup: drawFigure(comparison) }}
        </section>
        <section>
          <h2>The first texts</h2>
          <div class="texts">${chains.map(textsOf)}</div>
        </section>
      </main>`,
  );
}

const fixedNote = ({ name }: ChainResult): Markup =>
  html`<p><code>${name}</code> has no draws, or fixes all its seeds: its texts do not depend on the seed.</p>`;

const table = (comparison: Comparison): Markup =>
  html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">measure</th>
          ${comparison.chains.map(({ name }) => html`<th scope="col" class="number"><code>${name}</code></th>`)}
        </tr>
      </thead>
      <tbody>
        ${compareRows(comparison).map(
          ({ title, doc, values }) =>
            html`<tr>
              <td>${title} <small>${doc}</small></td>
              ${values.map((value) => html`<td class="number">${value}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

const textsOf = ({ name, texts }: ChainResult): Markup =>
  html`<div>
    <h3><code>${name}</code></h3>
    ${texts.slice(0, SHOWN).map(({ text }) => html`<blockquote>${text}</blockquote>`)}
  </div>`;
