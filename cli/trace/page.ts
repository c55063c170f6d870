/** The page of `ggsl trace --html`: a text, and for each token what the stages made of it. */
import { html, type Markup } from "ggsl/core/markup.js";
import { columnsOf, type TracedToken, type TraceFile } from "./file.js";
import { writeDocument } from "../html/document.js";
import { BASE_STYLE } from "../html/style.js";

/** Shades of probabilities. */
const SHADES = 10;
const shades = Array.from(
  { length: SHADES + 1 },
  (_, i) => `.p${i} { background: color-mix(in srgb, var(--heat) ${i * 6}%, transparent); }`,
).join("\n");

const STYLE = `${BASE_STYLE}
:root { --heat: #1f8a4c; }
${shades}
blockquote { margin: .5rem 0; padding: .5rem .8rem; border-left: 3px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
blockquote span { border-radius: 3px; }
thead th { position: sticky; top: 0; background: var(--panel); }
td code { white-space: pre; }
td small { color: var(--soft); }
`;

export function tracePage({ model, prompt, stages, texts }: TraceFile): string {
  return writeDocument(
    "Trace of a text – GGSL",
    STYLE,
    html`<header>
        <h1>Trace of ${texts.length === 1 ? "a text" : `${texts.length} texts`}</h1>
        <p>
          The model is <code>${model}</code>, the chain <code>${stages.slice(1).join(" |> ")}</code>. Of each stage: the
          probability of the token, its rank among the rows that are left, how many these are, and their entropy in
          nats.
        </p>
      </header>
      <main>
        ${texts.map((tokens, i) => textOf(tokens, { prompt, stages, number: i + 1, isOnly: texts.length === 1 }))}
      </main>`,
  );
}

interface Of {
  readonly prompt: string;
  readonly stages: readonly string[];
  readonly number: number;
  readonly isOnly: boolean;
}

const textOf = (tokens: readonly TracedToken[], { prompt, stages, number, isOnly }: Of): Markup =>
  html`<section>
    <h2>${isOnly ? "The text" : `Text ${number}`}</h2>
    <p class="note">Darker tokens were likelier for the model itself.</p>
    <blockquote>${prompt}${tokens.map(wordOf)}</blockquote>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">#</th>
            <th scope="col">token</th>
            ${stages.map((stage) => html`<th scope="col"><code>${stage}</code></th>`)}
          </tr>
        </thead>
        <tbody>
          ${tokens.map((token, i) => rowOf(token, i + 1, stages.length))}
        </tbody>
      </table>
    </div>
  </section>`;

const shadeOf = (probability: number): string => `p${Math.round(Math.min(Math.max(probability, 0), 1) * SHADES)}`;

const wordOf = (token: TracedToken): Markup => {
  const [first] = token.probability ?? [];
  return first === undefined ? html`${token.text}` : html`<span class="${shadeOf(first)}">${token.text}</span>`;
};

function rowOf(token: TracedToken, number: number, stages: number): Markup {
  const columns = columnsOf(token);
  return html`<tr>
    <td class="number">${number}</td>
    <td><code>${JSON.stringify(token.text)}</code></td>
    ${
      columns
        ? columns.probability.map(
            (probability, i) =>
              html`<td class="${shadeOf(probability)}">
                ${probability.toFixed(4)}
                <small>rank ${columns.rank[i]!} of ${columns.rows[i]!}, ${columns.entropy[i]!.toFixed(2)} nats</small>
              </td>`,
          )
        : html`<td colspan="${stages}" class="note">written by the chain, not picked</td>`
    }
  </tr>`;
}
