/** The page: the worker compiles and evaluates the input; the panels show the results. */
import { EngineError, Superseded } from "./client/engine.js";
import { engine } from "./client/present.js";
import { byId, debounced, h } from "./dom.js";
import { openEditor } from "./editor/editor.js";
import type {
  ChainFacts,
  ChainRequest,
  CheckReply,
  Kind,
  ProgramRef,
  Requests,
  StagesReply,
} from "./engine/messages.js";
import { models } from "./model/source.js";
import { notify } from "./notices.js";
import { showDiagnostics } from "./panels/diagnostics.js";
import { openExamples } from "./panels/examples.js";
import { openGraph } from "./panels/graph.js";
import { openLogits } from "./panels/logits.js";
import { openParameters } from "./panels/parameters.js";
import { openServerPanel } from "./panels/server.js";
import { openShare } from "./panels/share.js";
import { openStages } from "./panels/stages.js";
import { openStates } from "./panels/states.js";
import { openText } from "./panels/text.js";
import { EXAMPLES, type Example } from "./state/examples.js";
import type { Shared } from "./state/link.js";

const TYPING_PAUSE = 150;
const GUIDE_LIMIT = 60_000;

const compileSoon = debounced(() => void compile(), TYPING_PAUSE);
const evaluateSoon = debounced(() => void evaluate(), TYPING_PAUSE);
const nothing = (): void => undefined;

const help = {
  hover: (request: Requests["hover"]["request"]) => ask("hover", request, nothing),
  signature: (request: Requests["signature"]["request"]) => ask("signature", request, nothing),
};
const editor = openEditor(byId("editor"), EXAMPLES[0]!.text, help, compileSoon);
const parameters = openParameters(byId("parameters"), {
  onUniform: () => {
    text.changed();
    void evaluate();
  },
  onStatic: () => void compile(),
  onLost: (names, chain) =>
    notify(
      `The link sets ${names.map((n) => `\`${n}\``).join(", ")}, which the chain \`${chain}\` does not have, or not with that value.`,
    ),
});
const logits = openLogits(
  byId("logits"),
  () => text.place(),
  () => text.prompt(),
  evaluateSoon,
);
const stages = openStages(byId("stages"));
const states = openStates(byId("states"), () => void evaluate());
const graph = openGraph(byId("graph"));
const text = openText(byId("text"), byId("course"), {
  program: () => present && { request: programRef(), uniforms: parameters.values().uniforms },
  seed: () => parameters.values().seed,
  specOf: (request) => engine.ask("spec", request),
  onPlace: () => logits.isText() !== false && void evaluate(),
  onModel: () => logits.forgetModel(),
});
const written = (): void => {
  logits.forgetModel();
  text.write();
};
openServerPanel(byId("server"), written, byId("text-title"));
const chains = byId<HTMLSelectElement>("chains");

/** The chain to evaluate; undefined while the program has errors. */
let present: ChainFacts | undefined;

// ---------------------------------------------------------------- asking the worker

/** The reply, or undefined if a newer request replaced this one. `fail` shows errors. */
async function ask<K extends Kind>(
  kind: K,
  request: Requests[K]["request"],
  fail: (message: string) => void,
): Promise<Requests[K]["reply"] | undefined> {
  try {
    return await engine.ask(kind, request);
  } catch (error) {
    if (error instanceof Superseded) return undefined;
    const { message } = error as Error;
    fail(error instanceof EngineError ? message : `The page failed: ${message}. Please report this with the program.`);
    return undefined;
  }
}

const programRef = (): ProgramRef => {
  const { statics, seed } = parameters.values();
  return { kind: "program", text: editor.text(), statics, seed, ...(chains.value !== "" && { chain: chains.value }) };
};

/** After a change of the program: updates diagnostics, parameters, graph, and then the results. */
async function compile(): Promise<void> {
  const list = byId("diagnostics");
  const reply = await ask("check", programRef(), (message) => {
    list.replaceChildren(h("li", { className: "error", textContent: message }));
    markStale(true);
  });
  if (!reply) return;
  editor.show(reply.diagnostics, reply.symbols);
  showDiagnostics(list, reply, editor);
  showChains(reply);
  if (reply.chain) parameters.show(reply.chain);
  if (reply.chain) text.showGuides(reply.chain.guides);
  present = reply.absent === undefined ? reply.chain : undefined;
  markStale(!present);
  if (!present) return;
  text.changed();
  await evaluate();
  void ask("graph", programRef(), graph.fail).then((made) => made && graph.show(made));
}

/** After a change of a uniform, of the logits or of the place: evaluates without compiling. */
async function evaluate(): Promise<void> {
  const chain = present;
  if (!chain) return;
  const request = chainRequest();
  const reply = request && (await ask("stages", request, stages.fail));
  models?.begin?.();
  if (!request) return;
  if (reply) {
    if (reply.note !== undefined) notify(reply.note);
    showStages(reply);
  }
  await walkOf({ ...request, ...programRef(), uniforms: parameters.values().uniforms }, chain);
}

function showStages(reply: StagesReply): void {
  stages.show(reply, logits.textsOf(reply.tokens));
  stages.place(placeText());
}

/** Where the distribution is from. */
function placeText(): string {
  const isText = logits.isText();
  const place = isText === true ? logits.shown() : undefined;
  if (isText === "waiting") {
    const until = models?.isReady() === false ? "Until the server has its key" : "Until the model is here";
    return `${until}: probabilities like those of words of a language (Zipf).`;
  }
  if (!place) return "";
  const { side, at, before } = place;
  const so = before.prompt + before.tokens.map((token) => token.text).join("");
  const whose = side === 0 ? "your program's text" : "the text to compare with";
  return `Token ${at + 1} of ${whose}, after “${so.length > 50 ? "…" : ""}${so.slice(-50)}”. ${models?.missing ?? "Choose another token above."}`;
}

/** Only what changes from step to step is worth following. */
async function walkOf(request: ChainRequest, chain: ChainFacts): Promise<void> {
  const isWorth = chain.picks && chain.states.length + chain.measures.length > 0;
  byId("states").parentElement!.hidden = !isWorth;
  if (!isWorth) return;
  const reply = await ask("walk", { ...request, steps: states.steps() }, states.fail);
  if (reply) states.show(reply);
}

function chainRequest(): ChainRequest | undefined {
  try {
    const { uniforms, seed } = parameters.values();
    const [place, vocabulary] = [logits.place(), logits.vocabulary()];
    const isOther = logits.isText() === true && logits.shown()?.side === 1;
    const ref: ProgramRef = isOther ? { kind: "pipeline", text: text.against(), statics: {}, seed } : programRef();
    return { ...ref, uniforms: isOther ? {} : uniforms, place, ...(vocabulary && { vocabulary }) };
  } catch (error) {
    // the panel shows the error; the old results belong to other logits
    stages.fail((error as Error).message);
    return undefined;
  }
}

function markStale(isStale: boolean): void {
  for (const id of ["stages", "states", "graph"]) byId(id).classList.toggle("stale", isStale);
  text.setOlder(isStale);
  if (isStale) byId("results").setAttribute("aria-description", "of the last program without errors");
  else byId("results").removeAttribute("aria-description");
}

function showChains({ chains: names, chain }: CheckReply): void {
  const wanted = chain?.name ?? chains.value;
  chains.replaceChildren(...names.map((name) => h("option", { value: name, textContent: name })));
  chains.value = names.includes(wanted) ? wanted : (names[0] ?? "");
  byId("chain-choice").hidden = names.length < 2;
}

// ---------------------------------------------------------------- choosing and sharing

function openShared({ program, chain, uniforms, statics, seed, source, vocabulary, against, banned }: Shared): void {
  text.set({
    ...(source.kind === "model" && { prompt: source.prompt }),
    ...(against !== undefined && { against }),
    banned: banned ?? "",
  });
  parameters.set({ uniforms, statics, seed });
  logits.set(source, vocabulary ?? "");
  chains.replaceChildren(...(chain === undefined ? [] : [h("option", { value: chain, textContent: chain })]));
  chains.value = chain ?? "";
  editor.setText(program);
}

const share = openShare(
  byId("share"),
  byId("link"),
  (): Shared => ({
    program: editor.text(),
    ...(chains.value !== "" && { chain: chains.value }),
    ...parameters.values(),
    source: logits.source(),
    ...(text.against() !== "" && { against: text.against() }),
    ...(text.banned() !== "" && { banned: text.banned() }),
    ...(logits.texts() !== "" && { vocabulary: logits.texts() }),
  }),
  openShared,
);

/** Pictures of examples are drawn from the present logits. */
async function preview({ text: program, guides }: Example): Promise<Requests["preview"]["reply"]> {
  const own = guides && models?.takesGuides ? models : undefined;
  const place = own
    ? (await own.at({ prompt: text.prompt(), tokens: [], guides: guides! }, AbortSignal.timeout(GUIDE_LIMIT))).place
    : { ...logits.place(), picked: [] };
  const vocabulary = logits.vocabulary();
  const ref = { kind: "program", text: program, statics: {}, seed: parameters.values().seed } as const;
  return engine.ask("preview", { ...ref, uniforms: {}, place, ...(vocabulary && { vocabulary }) });
}

openExamples(byId("examples"), preview, (example) => {
  parameters.set({ uniforms: {}, statics: {}, seed: parameters.values().seed });
  chains.replaceChildren();
  editor.setText(example.text);
});
chains.onchange = () => void compile();

// a phone shows what is folded by its title alone
if (matchMedia("(max-width: 600px)").matches)
  for (const panel of document.querySelectorAll<HTMLDetailsElement>("section > details")) panel.open = false;

void ask("language", null, notify).then((tables) => tables && editor.setTables(tables));
share.carry(byId<HTMLAnchorElement>("compare"));
if (!share.open(location.hash)) void compile();
window.addEventListener("hashchange", () => share.open(location.hash));
