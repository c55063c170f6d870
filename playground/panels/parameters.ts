/** A slider for every parameter of the chain, and an input for its open seeds. */
import { expectedValue, isSeed, MAX_SEED, SEED_RANGE } from "@ggsl/compiler/graph/param.js";
import { h, short } from "../dom.js";
import type {
  ChainFacts,
  GrammarText,
  ParamValues,
  SetParam,
  StaticParam,
  StaticValues,
  TokenList,
} from "../engine/messages.js";
import { grammarText, isGrammar, readGrammar } from "../state/grammarText.js";
import { readTokenList } from "../state/tokenList.js";
import { PLACES, placeOf, scaleOf, valueAt } from "../state/scale.js";

interface Parameters {
  /** Shows the sliders of a chain. It keeps existing sliders, so that a slider does not disappear while it is dragged. */
  show(chain: ChainFacts): void;
  /** Sets values from a source such as a link. */
  set(values: ParameterValues): void;
  values(): ParameterValues;
}

interface ParameterValues {
  readonly uniforms: ParamValues;
  readonly statics: StaticValues;
  readonly seed: number;
}

type Value = number | TokenList | GrammarText;

interface ParameterEvents {
  /** A uniform changed. */
  readonly onUniform: () => void;
  /** A static parameter changed, so the chain must be compiled. */
  readonly onStatic: () => void;
  /** Values from `set` that the chain does not have. */
  readonly onLost: (names: readonly string[], chain: string) => void;
}

export function openParameters(host: HTMLElement, { onUniform, onStatic, onLost }: ParameterEvents): Parameters {
  let uniforms = new Map<string, Value>();
  let statics = new Map<string, number | TokenList>();
  let seed = 42;
  let shown = "";
  let latest: ChainFacts | undefined;
  /** Names of values from `set` that were not yet shown for any chain. */
  let given: readonly string[] = [];
  /** The chain's parameters as they were last shown. A value of a parameter that is declared otherwise belongs to another program. */
  let declared = new Map<string, string>();

  const rebuild = (chain: ChainFacts): void => {
    const rows = [
      ...chain.params.map((p) =>
        control({ ...p, hint: "" }, numberOf(uniforms.get(p.name)), (value) => {
          uniforms.set(p.name, value);
          onUniform();
        }),
      ),
      ...chain.statics.map((p) =>
        control({ ...p, hint: "static: recompiles" }, numberOf(statics.get(p.name)), (value) => {
          statics.set(p.name, value);
          onStatic();
        }),
      ),
      ...chain.sets.map((p) => {
        const values = p.isStatic ? statics : uniforms;
        return setRow(p, listOf(values.get(p.name)), (list) => {
          if (list) values.set(p.name, list);
          else values.delete(p.name);
          (p.isStatic ? onStatic : onUniform)();
        });
      }),
      ...chain.grammars.map((p) =>
        grammarRow(p, grammarOf(uniforms.get(p.name)), (grammar) => {
          if (grammar) uniforms.set(p.name, grammar);
          else uniforms.delete(p.name);
          onUniform();
        }),
      ),
      seedRow("seed of open draws", seed, (value) => {
        seed = value;
        onStatic();
      }),
    ];
    const none = h("p", {
      className: "hint",
      textContent: "The chain has no parameters: everything in it is a constant.",
    });
    host.replaceChildren(...(rows.length === 1 ? [none] : []), ...rows);
  };

  return {
    show(chain) {
      latest = chain;
      const key = JSON.stringify([chain.name, chain.params, chain.statics, chain.sets, chain.grammars]);
      if (key === shown) return;
      shown = key;
      const now = declarationsOf(chain);
      const isSame = (name: string): boolean => given.includes(name) || declared.get(name) === now.get(name);
      uniforms = new Map([...uniforms].filter(([name]) => isSame(name)));
      statics = new Map([...statics].filter(([name]) => isSame(name)));
      declared = now;
      const isStatic = ({ isStatic }: SetParam): boolean => isStatic;
      uniforms = kept(
        uniforms,
        chain.params,
        chain.sets.filter((p) => !isStatic(p)),
        chain.grammars,
      );
      statics = kept(statics, chain.statics, chain.sets.filter(isStatic));
      const lost = given.filter((name) => !uniforms.has(name) && !statics.has(name));
      given = [];
      if (lost.length > 0) onLost(lost, chain.name);
      rebuild(chain);
    },
    set(values) {
      uniforms = new Map(Object.entries(values.uniforms));
      statics = new Map(Object.entries(values.statics));
      ({ seed } = values);
      shown = "";
      given = [...uniforms.keys(), ...statics.keys()];
      if (latest) rebuild(latest);
    },
    values: () => ({ uniforms: Object.fromEntries(uniforms), statics: Object.fromEntries(statics), seed }),
  };
}

/** Each parameter as the chain declares it, without its documentation. */
const declarationsOf = ({ name: chain, params, statics, sets, grammars }: ChainFacts): Map<string, string> =>
  new Map(
    [...params, ...statics, ...sets, ...grammars].map((p) => [
      p.name,
      JSON.stringify([chain, { ...p, doc: undefined }]),
    ]),
  );

/** The values that are still valid for the chain's parameters. */
const kept = <V extends Value>(
  values: ReadonlyMap<string, V>,
  params: readonly StaticParam[] | ChainFacts["params"],
  sets: readonly SetParam[],
  grammars: ChainFacts["grammars"] = [],
): Map<string, V> =>
  new Map(
    [...values].filter(([name, value]) => {
      if (isGrammar(value)) return grammars.some((p) => p.name === name);
      if (typeof value === "object") return sets.some((p) => p.name === name && value.length <= p.capacity);
      const param = params.find((p) => p.name === name);
      return param !== undefined && expectedValue(param, value) === undefined;
    }),
  );

const numberOf = (value: Value | undefined): number | undefined => (typeof value === "number" ? value : undefined);
const listOf = (value: Value | undefined): TokenList | undefined =>
  typeof value === "object" && !isGrammar(value) ? value : undefined;
const grammarOf = (value: Value | undefined): GrammarText | undefined => (isGrammar(value) ? value : undefined);

type AnyParam = Pick<StaticParam, "name" | "type" | "range"> & {
  readonly default?: number | "random";
  readonly hint: string;
};

function control(param: AnyParam, present: number | undefined, onChange: (value: number) => void): HTMLElement {
  const start = present ?? (typeof param.default === "number" ? param.default : undefined);
  if (param.type === "seed") return seedRow(param.name, start ?? 42, onChange);
  if (param.type === "bool") return switchRow(param, start === 1, onChange);
  return sliderRow(param, start, onChange);
}

function sliderRow(param: AnyParam, start: number | undefined, onChange: (value: number) => void): HTMLElement {
  // not the present value, so that the range stays when the program is opened again
  const scale = scaleOf({ ...param, default: param.default ?? 0 });
  const fault = h("span", { className: "fault", role: "alert" });
  const slider = h("input", { type: "range", min: "0", max: String(PLACES), step: "1" });
  slider.value = String(placeOf(scale, start ?? scale.min));
  const exact = h("input", { type: "number", step: "any", value: start === undefined ? "" : short(start) });
  exact.setAttribute("aria-label", `${param.name}, exact`);
  const describe = (value: number): void => slider.setAttribute("aria-valuetext", short(value));
  describe(start ?? scale.min);
  slider.setAttribute("aria-label", param.name);
  slider.oninput = () => {
    const value = valueAt(scale, Number(slider.value));
    exact.value = String(value);
    fault.textContent = "";
    describe(value);
    onChange(value);
  };
  exact.oninput = () => {
    const value = exact.value.trim() === "" ? NaN : Number(exact.value);
    const expected = expectedValue(param, value);
    fault.textContent = expected === undefined ? "" : `must be ${expected}`;
    if (expected !== undefined) return;
    slider.value = String(placeOf(scale, value));
    describe(value);
    onChange(value);
  };
  const ends = `${short(scale.min)} to ${short(scale.max)}${scale.isLogarithmic ? ", logarithmic" : ""}`;
  return h("div", { className: "parameter" }, labelled(param, slider, ends), exact, fault);
}

/** Without a text, the set has its default. */
function setRow(param: SetParam, list: TokenList | undefined, onChange: (list?: TokenList) => void): HTMLElement {
  const fault = h("span", { className: "fault", role: "alert" });
  const field = h("input", { type: "text", spellcheck: false, placeholder: param.default ?? "none" });
  field.value = list?.map((item) => JSON.stringify(item)).join(", ") ?? "";
  field.oninput = () => {
    const given = field.value.trim() === "" ? undefined : readTokenList(field.value);
    const isGood = given !== null && (given?.length ?? 0) <= param.capacity;
    fault.textContent = isGood ? "" : `must be at most ${param.capacity} token ids and texts, as in 1, "</s>"`;
    if (isGood) onChange(given);
  };
  const hint = param.isStatic ? "static: recompiles" : "";
  const ends = `a set of at most ${param.capacity} token ids and texts, as in 1, "</s>"`;
  return h("div", { className: "parameter set" }, labelled({ name: param.name, hint }, field, ends), fault);
}

/** Without a text, the grammar is the program's default. */
function grammarRow(
  { name, default: standard }: ChainFacts["grammars"][number],
  given: GrammarText | undefined,
  onChange: (grammar?: GrammarText) => void,
): HTMLElement {
  const fault = h("span", { className: "fault", role: "alert" });
  const placeholder = standard ?? '{ "type": "object" }';
  const field = h("textarea", { spellcheck: false, rows: 3, placeholder });
  field.value = given ? grammarText(given) : "";
  field.oninput = () => {
    const grammar = readGrammar(field.value);
    fault.textContent = grammar === null ? "must be JSON, or a grammar in GBNF" : "";
    if (grammar !== null) onChange(grammar);
  };
  const ends = "a JSON schema, or a grammar in GBNF";
  return h("div", { className: "parameter grammar" }, labelled({ name, hint: "" }, field, ends), fault);
}

function switchRow(param: AnyParam, isOn: boolean, onChange: (value: number) => void): HTMLElement {
  const box = h("input", { type: "checkbox", checked: isOn });
  box.onchange = () => onChange(box.checked ? 1 : 0);
  return h("div", { className: "parameter" }, labelled(param, box, ""));
}

function seedRow(name: string, start: number, onChange: (value: number) => void): HTMLElement {
  const fault = h("span", { className: "fault", role: "alert" });
  const field = h("input", { type: "number", min: "0", max: String(MAX_SEED), step: "1", value: String(start) });
  const take = (): void => {
    const value = Number(field.value);
    const isGood = field.value.trim() !== "" && isSeed(value);
    fault.textContent = isGood ? "" : `must be ${SEED_RANGE}`;
    if (isGood) onChange(value);
  };
  field.oninput = take;
  const next = h("button", {
    type: "button",
    textContent: "next",
    title: "The next seed",
    onclick: () => {
      field.value = String((Number(field.value) + 1) % (MAX_SEED + 1));
      take();
    },
  });
  return h(
    "div",
    { className: "parameter seed" },
    h("label", {}, h("span", { className: "name", textContent: name }), field),
    next,
    fault,
  );
}

const labelled = ({ name, hint }: Pick<AnyParam, "name" | "hint">, field: HTMLElement, ends: string): HTMLElement =>
  h(
    "label",
    {},
    h("span", { className: "name", textContent: name }),
    field,
    h("span", { className: "ends", textContent: [ends, hint].filter(Boolean).join("; ") }),
  );
