/** The page of `ggsl explain --html`. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { launches, opRule } from "@ggsl/compiler/graph/ops.js";
import { printGraph } from "@ggsl/compiler/graph/text.js";
import { bindDim, fedSize } from "@ggsl/compiler/graph/wire.js";
import { splitText } from "ggsl/backends/devices/place.js";
import { costText, type Explanation, type StageExplanation } from "ggsl/chain/explainGraph.js";
import { COLORS, draw } from "./drawing.js";
import { html, type Markup } from "ggsl/core/markup.js";
import type { Contribution, OpCount } from "@ggsl/compiler/contributions.js";
import { writeDocument } from "./document.js";
import { STYLE } from "./style.js";

export interface Page {
  /** The chain's source as named on the command line. */
  readonly source: string;
  readonly graph: Graph;
  /** The same chain without optimizations; absent for a compiled graph, which has one form. */
  readonly plain?: Graph | undefined;
  readonly contributions?: readonly Contribution[] | undefined;
  readonly explanation: Explanation;
  readonly vocabSize: number;
  /** The index of a stage: only what belongs to it, and the drawing with its nodes in front. */
  readonly stage?: number | undefined;
  /** Only the drawing. */
  readonly isDrawing?: boolean | undefined;
}

/** The page's text. */
export function writePage(page: Page): string {
  const { graph } = page;
  const { nav, main } = contents(page);
  return writeDocument(
    `${graph.name} – GGSL`,
    STYLE,
    html`<header>
        <h1>${heading(page)}</h1>
        ${page.isDrawing ? "" : summary(page)} ${nav}
      </header>
      <main>${main}</main>`,
  );
}

/** Where the chain is from, and what it costs. */
function summary({ source, explanation: e, vocabSize }: Page): Markup {
  const counted = e.isMeasured ? "in ggml's graph" : "in the spec, because the native runtime is not built";
  return html`<p>
      From <code>${source}</code>, for a vocabulary of ${vocabSize} tokens. ${e.nodes} nodes ${counted},
      ${e.nodesWithoutViews} without views and reshapes; ${e.readbackBytes} bytes are read back per token.
    </p>
    <p>Estimated ${costText(e.cost)}.</p>`;
}

function heading({ graph, explanation, stage }: Page): Markup {
  const chain = html`the chain <code>${graph.name}</code>`;
  if (stage === undefined) return html`The chain <code>${graph.name}</code>`;
  return html`Stage ${stage + 1} of ${chain}: <code>${explanation.stages[stage]!.name}</code>`;
}

/** The sections of the page, and the links to them. */
function contents(page: Page): { readonly nav: Markup; readonly main: readonly Markup[] } {
  const none = html``;
  if (page.isDrawing) return { nav: none, main: [drawings(page)] };
  if (page.stage !== undefined) return { nav: none, main: [stages(page), texts(page), drawings(page)] };
  const nav = html`<nav aria-label="Sections">
    <a href="#stages">Stages</a><a href="#host">Copies</a><a href="#graph">Graph</a
    ><a href="#optimizations">Optimizations</a><a href="#drawing">Drawing</a>
  </nav>`;
  return { nav, main: [stages(page), crossing(page), texts(page), optimizations(page), drawings(page)] };
}

/** Whether a page is about a stage; undefined for a node of no stage. */
const shows = (page: Page, stage: number | undefined): boolean => page.stage === undefined || page.stage === stage;

const color = (stage: number): string => `c${stage % COLORS}`;
const chip = (stage: number): Markup => html`<span class="chip ${color(stage)}">${stage + 1}</span>`;
const cell = (name: string, content: string | number | Markup, kind = ""): Markup =>
  html`<td class="${kind}" data-name="${name}"><div>${content}</div></td>`;

function table(columns: readonly (readonly [name: string, kind?: string])[], rows: readonly Markup[]): Markup {
  const heads = columns.map(([name, kind = ""]) => html`<th scope="col" class="${kind}">${name}</th>`);
  return html`<table class="rows">
    <thead>
      <tr>
        ${heads}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

// ---------------------------------------------------------------- stages

function stages(page: Page): Markup {
  const { graph, explanation, vocabSize } = page;
  const rows = explanation.stages.flatMap((stage, i) => {
    if (!shows(page, i)) return [];
    const before = i === 0 ? "V" : explanation.stages[i - 1]!.rows;
    return html`<tr>
      ${[
        cell("stage", html`<span class="stage">${chip(i)} <code>${stage.name}</code></span>`),
        cell("may drop", dropping(graph, i, stage)),
        cell("rows before", before, "number"),
        cell("rows after", stage.rows, "number"),
        cell("runs on", stage.device),
        cell("nodes", stage.nodes, "number"),
        cell("ops", html`<code>${stage.ops.join(" ") || "\u2013"}</code>`),
      ]}
    </tr>`;
  });
  const { split, rewrites } = explanation;
  return html`<section id="stages">
    <h2>Stages</h2>
    <p class="note">
      Rows are counted in the candidate table: a row that a condition drops is only masked, and the next
      <code>top</code> removes it. V is the vocabulary size, here ${vocabSize}.
    </p>
    ${table([["stage"], ["may drop"], ["rows before", "number"], ["rows after", "number"], ["runs on"], ["nodes", "number"], ["ops"]], rows)}
    ${split ? html`<p>${splitText(split)}.</p>` : ""}
    ${rewrites.map((r) => html`<p>Rewritten on this device: <b>${r.name}</b> (${r.nodes}), because ${r.reason}.</p>`)}
  </section>`;
}

function dropping({ stages: all }: Graph, i: number, { device }: StageExplanation): Markup {
  if (device === "host") return html`the rows that llama.cpp's sampler drops`;
  const drops = all[i]?.drops ?? [];
  if (drops.length > 0) return html`${drops.map((text) => html`<code>${text}</code> `)}`;
  return all[i]?.rows === undefined ? html`not recorded in the spec` : html`nothing`;
}

// ---------------------------------------------------------------- to the host and back

function crossing({ graph, explanation, vocabSize }: Page): Markup {
  const { outputs, states, inputs, uniforms, nodes } = graph;
  const { split } = explanation;
  const bytes = (dim: number | "V"): number => 4 * bindDim(dim, vocabSize);
  const back: [string, number][] = split
    ? [[`the values that ${split.stage} reads`, split.bytes]]
    : [
        ...Object.entries(outputs).map(([name, id]): [string, number] => [
          {
            sampled: "the picked token",
            candidates: "token ids of the rows",
            logits: "logits",
            probs: "probabilities",
          }[name as keyof typeof outputs],
          bytes(nodes[id as number]!.dim),
        ]),
        ...states.map(({ name }): [string, number] => [`the state ${name}`, 4]),
      ];
  const there: [string, number][] = [
    ...(uniforms.length > 0 ? [[`${uniforms.length} uniforms`, 4 * uniforms.length] as [string, number]] : []),
    ...inputs.slice(1).map((input): [string, number] => [`the input ${input.name}`, 4 * fedSize(input, vocabSize)]),
  ];
  const rows = (list: readonly [string, number][]): Markup[] =>
    list.length === 0
      ? [
          html`<tr>
            <td>nothing</td>
            <td class="number">0</td>
          </tr>`,
        ]
      : list.map(
          ([what, count]) =>
            html`<tr>
              <td>${what}</td>
              <td class="number">${count}</td>
            </tr>`,
        );
  const one = (title: string, list: readonly [string, number][]): Markup =>
    html`<div>
      <h3>${title}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col" class="number">bytes</th>
          </tr>
        </thead>
        <tbody>
          ${rows(list)}
        </tbody>
      </table>
    </div>`;
  const tail = explanation.stages.find(({ device }) => device === "host");
  return html`<section id="host">
    <h2>Copies for each token</h2>
    ${tail ? html`<p>The host tail starts at <code>${tail.name}</code>: llama.cpp's own CPU samplers.</p>` : ""}
    <div class="pair">${one("From the device to the host", back)}${one("From the host to the device", there)}</div>
    <p class="note">The model's logits stay on the device.</p>
  </section>`;
}

// ---------------------------------------------------------------- the graph as text

function texts(page: Page): Markup {
  const { graph, plain } = page;
  const one = (title: string, g: Graph, id: string): Markup =>
    html`<div>
      <h3 id="${id}">${title}</h3>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="${id}"><pre>${lines(page, g)}</pre></div>
    </div>`;
  const title = plain ? "After optimization" : "As compiled";
  return html`<section id="graph">
    <h2>The graph</h2>
    <p class="note">The colour at the start of a line and the comment at its end show its stage.</p>
    <div class="${plain ? "pair" : ""}">
      ${plain ? one(`Before optimization: ${countOf(plain)} nodes without views`, plain, "text-before") : ""}${one(`${title}: ${countOf(graph)} nodes without views`, graph, "text-after")}
    </div>
  </section>`;
}

const countOf = ({ nodes }: Graph): number => nodes.filter(launches).length;

function lines(page: Page, graph: Graph): Markup[] {
  const shown = graph.nodes.filter(({ op }) => opRule(op).kind !== "leaf");
  return printGraph(graph)
    .trimEnd()
    .split("\n")
    .flatMap((text) => {
      const number = /^ {2}%(\d+) = /.exec(text)?.[1];
      const stage = number === undefined ? undefined : shown[Number(number)]?.origin?.stage;
      if (!shows(page, stage)) return [];
      return stage === undefined ? html`<span>${text}</span>` : html`<span class="${color(stage)}">${text}</span>`;
    });
}

// ---------------------------------------------------------------- optimizations

function optimizations({ contributions }: Page): Markup {
  if (!contributions)
    return html`<section id="optimizations">
      <h2>Optimizations</h2>
      <p>A spec contains one form of the graph, and does not record its optimizations.</p>
    </section>`;
  const isWorth = (c: Contribution): boolean => c.removed.length + c.added.length > 0;
  const sorted = [...contributions.filter(isWorth), ...contributions.filter((c) => !isWorth(c))];
  const rows = sorted.map(
    (c) =>
      html`<tr class="${isWorth(c) ? "" : "idle"}">
        ${[
          cell("optimization", html`<code>${c.name}</code>`),
          cell("kind", c.kind),
          cell("what it does", c.doc),
          cell("without it", c.without, "number"),
          cell("with it", c.with, "number"),
          cell("removed", opsText(c.removed)),
          cell("added", opsText(c.added)),
        ]}
      </tr>`,
  );
  return html`<section id="optimizations">
    <h2>Optimizations</h2>
    <p class="note">
      Each optimization was disabled alone, and the chain compiled again. Numbers are nodes without views. Another
      optimization may do the same work, so the differences do not add up.
    </p>
    ${contributions.length === 0 ? html`<p>All are disabled.</p>` : table([["optimization"], ["kind"], ["what it does"], ["without it", "number"], ["with it", "number"], ["removed"], ["added"]], rows)}
  </section>`;
}

const opsText = (counts: readonly OpCount[]): Markup =>
  counts.length === 0 ? html`–` : html`<code>${counts.map(({ op, count }) => `${count} ${op}`).join(", ")}</code>`;

// ---------------------------------------------------------------- the graph as a drawing

function drawings({ graph, plain, stage }: Page): Markup {
  const key = graph.stages.map(({ name }, i) => html`${chip(i)} <code>${name}</code> `);
  const one = (g: Graph, label: string): Markup =>
    html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${draw(g, label, stage)}</div>`;
  return html`<section id="drawing">
    <h2>Drawing</h2>
    <p>${key}</p>
    <p class="note">The number after an op is its stage. Round boxes are inputs from the host, or outputs to it.</p>
    ${one(graph, `The graph of ${graph.name}`)}
    ${
      plain
        ? html`<details>
            <summary>Before optimization</summary>
            ${one(plain, `The graph of ${graph.name} before optimization`)}
          </details>`
        : ""
    }
  </section>`;
}
