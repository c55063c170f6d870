/** Converts a chain to settings of llama.cpp, or gives every reason why that is impossible. */
import { FIELD_NAMES, RANDOM_SEED, type FieldName } from "@ggsl/compiler/llama/fields.js";
import type { TokenSequence } from "@ggsl/compiler/graph/graph.js";
import type { ListedName } from "@ggsl/compiler/llama/order.js";
import { TAIL_SAMPLERS, type TailSampler } from "@ggsl/compiler/llama/samplers.js";
import { effective, GRAMMAR_DIFFERS } from "../from/formats/llama.js";
import type { Bias } from "../from/plan.js";
import { biasesOf, grammarOf, listed, singleTokens, type TokenBiases } from "./constantSamplers.js";
import type { FlatStage, SetValue, Value } from "./flatten.js";

export interface LlamaExport {
  /** The settings that the chain determines. All are written, because a model file or a server may have other defaults. */
  readonly values: ReadonlyMap<FieldName, number>;
  readonly order: readonly ListedName[];
  readonly breakers?: readonly string[];
  readonly biases: readonly Bias[];
  /** The tokens that end a text are banned. */
  readonly ignoreEos: boolean;
  readonly thinking?: Thinking;
  readonly grammar?: string;
  readonly seed?: number;
  readonly warnings: readonly string[];
}

/** At most so many tokens of thought between the tags. */
interface Thinking {
  readonly budget: number;
  readonly open: string;
  readonly close: string;
  /** What is written before the end tag. */
  readonly message?: string;
}

interface Draft {
  readonly values: Map<FieldName, number>;
  readonly order: ListedName[];
  readonly biases: Bias[];
  readonly warnings: string[];
  readonly reasons: string[];
  ignoreEos: boolean;
  thinking?: Thinking;
  breakers?: readonly string[];
  grammar?: string;
  seed?: number | "random";
  picks?: true;
}

/** The settings, or the reasons why llama.cpp has no equivalent. */
export function toLlama(stages: readonly FlatStage[]): LlamaExport | { readonly reasons: readonly string[] } {
  const draft: Draft = { values: new Map(), order: [], biases: [], ignoreEos: false, warnings: [], reasons: [] };
  for (const stage of stages) {
    const refuse = (why: string): void => void draft.reasons.push(`${stage.label}: ${why}`);
    const unknown = Object.keys(stage.args).find((name) => stage.args[name] === undefined);
    if (stage.sampler) addOwn(draft, stage, refuse);
    else if (stage.name === "ban_phrases") refuse("llama.cpp has no such sampler, and takes no text back");
    else if (unknown !== undefined) refuse(`\`${unknown}\` is neither a constant nor a parameter of the chain`);
    else addStandard(draft, stage, refuse);
  }
  if (!draft.picks) draft.reasons.push("the chain picks no token; in llama.cpp every chain does");
  const { reasons, seed, picks: _, ...rest } = draft;
  return reasons.length > 0 ? { reasons } : { ...rest, ...(typeof seed === "number" && { seed }) };
}

type Refuse = (why: string) => void;

const isFront = ({ order, picks, values }: Draft): boolean => order.length === 0 && !picks && values.size === 0;

/** Biases and a grammar, which llama.cpp applies before everything else. */
function addOwn(draft: Draft, { sampler }: FlatStage, refuse: Refuse): void {
  const biases = biasesOf(sampler!);
  const grammar = biases ? undefined : grammarOf(sampler!);
  if (!biases && grammar === undefined) return refuse("llama.cpp has no such sampler");
  if (biases) addBiases(draft, biases, refuse);
  else if (!isFront(draft)) refuse("llama.cpp applies a grammar before all samplers only");
  else addGrammar(draft, grammar!, refuse);
}

function addBiases(draft: Draft, { biases, bansEnd }: TokenBiases, refuse: Refuse): void {
  if (!isFront(draft)) return refuse("llama.cpp applies biases before all samplers only");
  for (const one of biases) draft.biases.push(one);
  draft.ignoreEos ||= bansEnd;
}

function addGrammar(draft: Draft, grammar: string, refuse: Refuse): void {
  if (draft.grammar !== undefined) return refuse("llama.cpp has one grammar only");
  draft.grammar = grammar;
  draft.warnings.push(GRAMMAR_DIFFERS);
}

// ---------------------------------------------------------------- standard samplers

/** The setting of each parameter of a sampler. */
const settingsOf = ({ params }: TailSampler): [param: string, field: FieldName][] =>
  Object.entries(params).flatMap(([param, { field }]) => (field === undefined ? [] : [[param, field]]));

function addStandard(draft: Draft, stage: FlatStage, refuse: Refuse): void {
  const { name, args } = stage;
  if (isOff(stage)) return;
  if (name === "constrain") {
    if (!isFront(draft)) return refuse("llama.cpp applies a grammar before all samplers only");
    if (typeof args["g"] === "string") return addGrammar(draft, args["g"], refuse);
    draft.warnings.push(
      `${stage.label}: its grammar comes from the calling program; give it as the grammar of a request`,
    );
    return;
  }
  if (name === "grammar") {
    if (!isFront(draft)) return refuse("llama.cpp applies a grammar before all samplers only");
    if (args["root"] !== "root") return refuse('llama.cpp begins a grammar with the rule "root"');
    return addGrammar(draft, args["text"] as string, refuse);
  }
  if (name === "logit_bias") {
    if (!isFront(draft)) return refuse("llama.cpp applies biases before all samplers only");
    draft.warnings.push(
      `${stage.label}: its biases come from the calling program; give them as logit biases of a request`,
    );
    return;
  }
  if (Object.hasOwn(IN_FRONT, name)) return IN_FRONT[name]!(draft, args, refuse);
  const equal = TAIL_SAMPLERS[name];
  if (!equal) return refuse("llama.cpp has no such sampler");
  if (equal.picks) addPick(draft, name, args, refuse);
  else draft.order.push(equal.listed!);
  if (name === "temp") setField(draft, "dynatemp_range", 0, refuse);
  if (name === "dry") addBreakers(draft, args["breakers"], refuse);
  for (const [param, field] of settingsOf(equal))
    setField(draft, field, effective(field, args[param] as number), refuse);
  if (args["seed"] !== undefined) setSeed(draft, args["seed"] as number | "random", refuse);
}

type Args = Readonly<Record<string, Value>>;

/** Stages that are settings of their own in llama.cpp, applied before all samplers. */
const IN_FRONT: Readonly<Record<string, (draft: Draft, args: Args, refuse: Refuse) => void>> = {
  bad_words: (draft, { words }, refuse) => addSequences(draft, words, -Infinity, refuse),
  sequence_bias: (draft, { sequences, delta }, refuse) => addSequences(draft, sequences, delta as number, refuse),
  thinking_budget: addThinking,
};

function addSequences(draft: Draft, sequences: Value, bias: number, refuse: Refuse): void {
  const tokens = singleTokens(sequences as readonly TokenSequence[]);
  if (!tokens) return refuse("llama.cpp's biases are for single tokens by their ids, not for texts and sequences");
  addBiases(draft, { biases: tokens.map((token) => ({ token, bias })), bansEnd: false }, refuse);
}

function addThinking(draft: Draft, { budget, open, close, end, message = "" }: Args, refuse: Refuse): void {
  if (!isFront(draft) || draft.thinking) return refuse("llama.cpp applies one budget of thought, before all samplers");
  const [opens, closes] = [open as readonly TokenSequence[], close as readonly TokenSequence[]];
  const [start, tag] = [opens[0], closes[0]];
  const ends = listed((end as SetValue).items);
  if (typeof start !== "string" || typeof tag !== "string" || ends?.length !== 1 || ends[0] !== tag)
    return refuse("llama.cpp takes the tags of a thought as texts, and forces the end tag");
  const text = message as string;
  if (text !== "" && !text.endsWith(tag))
    return refuse("llama.cpp writes the end tag after its message: the message must end with it");
  const before = text.slice(0, text.length - tag.length);
  draft.thinking = { budget: budget as number, open: start, close: tag, ...(text !== "" && { message: before }) };
}

/** Stages that are off in a way that llama.cpp's command line cannot express. */
const isOff = ({ name, args }: FlatStage): boolean =>
  (name === "penalties" && (args["last_n"] as number) <= 0) ||
  (name === "dry" && ((args["last_n"] as number) <= 0 || (args["base"] as number) < 1)) ||
  ((name === "min_tokens" || name === "forced_end") && args["length"] === 0) ||
  (name === "sequence_bias" && args["delta"] === 0);

function addPick(draft: Draft, name: string, args: Readonly<Record<string, Value>>, refuse: Refuse): void {
  draft.picks = true;
  if (name === "adaptive_p") draft.order.push("adaptive_p");
  if (name === "greedy") {
    draft.order.push("temperature");
    setField(draft, "dynatemp_range", 0, refuse);
    setField(draft, "temperature", 0, refuse);
  }
  if (!name.startsWith("mirostat")) return;
  const others = draft.order.filter((sampler) => sampler !== "temperature");
  if (others.length > 0 || draft.order.length > 1 || (draft.values.get("dynatemp_range") ?? 0) > 0)
    return refuse("with mirostat llama.cpp runs nothing else but one plain temperature");
  const m = TAIL_SAMPLERS["mirostat"]!.params["m"]!.default as number;
  if (name === "mirostat" && args["m"] !== m) return refuse(`llama.cpp's programs have an \`m\` of ${m} only`);
  if (draft.order.length === 0) setField(draft, "temperature", 1, refuse);
  setField(draft, "mirostat", name === "mirostat" ? 1 : 2, refuse);
  draft.order.length = 0;
}

function setField(draft: Draft, field: FieldName, value: number, refuse: Refuse): void {
  const before = draft.values.get(field);
  if (before !== undefined && before !== value)
    return refuse(`llama.cpp has one \`${field}\` for the whole chain, and an earlier stage has ${before}`);
  draft.values.set(field, value);
}

function setSeed(draft: Draft, seed: number | "random", refuse: Refuse): void {
  if (seed === RANDOM_SEED) return refuse(`the seed ${RANDOM_SEED} means a random one in llama.cpp`);
  if (draft.seed !== undefined && draft.seed !== seed)
    return refuse(`llama.cpp has one seed for the whole chain, and an earlier stage has ${draft.seed}`);
  draft.seed = seed;
}

function addBreakers(draft: Draft, value: Value, refuse: Refuse): void {
  const list = value as readonly TokenSequence[];
  if (list.some((b) => typeof b !== "string")) return refuse("llama.cpp takes breakers as texts, not as token ids");
  const breakers = list as readonly string[];
  if (draft.breakers && draft.breakers.join("\0") !== breakers.join("\0"))
    return refuse("llama.cpp has one list of breakers for the whole chain");
  draft.breakers = breakers;
}

/** The settings of the chain in the order of the table. `min_keep` is off unless a stage sets it. */
export const statedValues = (values: ReadonlyMap<FieldName, number>): [FieldName, number][] =>
  FIELD_NAMES.flatMap((name): [FieldName, number][] => {
    const value = values.get(name);
    return value === undefined || (name === "min_keep" && value === 0) ? [] : [[name, value]];
  });
