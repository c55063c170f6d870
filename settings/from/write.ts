/** Writes a plan as a program: a header with source and notes, imports, samplers, the chain. */
import { ABOUT, runOptions, show, type Note, type NoteKind } from "./notes.js";
import type { Arg, GrammarUniform, List, Plan, Stage, PhraseTexts, TokenSet, Uniform } from "./plan.js";

/** The name of an imported chain. */
export const IMPORTED_CHAIN = "imported";
const MAX_WIDTH = 120;

/** The text of a program; `source` is the file's name, or another description of the source. */
export function writeProgram(plan: Plan, source: string): string {
  return `${header(plan, source)}\n\n${chainText(plan.stages)}`;
}

/** The program without its header; `name` is the chain's. */
export const chainText = (stages: readonly Stage[], name = IMPORTED_CHAIN): string =>
  `${[importLine(stages), ...declarations(stages), chain(stages, name)].join("\n\n")}\n`;

/** Stages as a pipeline, with the values of parameters; none of them may have a declaration. */
export const pipelineText = (stages: readonly Stage[]): string => stages.map(pipelineCall).join(" |> ");

const pipelineCall = ({ args, ...stage }: Stage): string =>
  callText({
    ...stage,
    args: Object.fromEntries(
      Object.entries(args).flatMap(([key, arg]) => {
        const value = isUniform(arg) ? arg.value : arg;
        return value === undefined || value === "random" ? [] : [[key, value]];
      }),
    ),
  });

// ---------------------------------------------------------------- header

const HEADINGS: readonly (readonly [NoteKind, string])[] = [
  ["lost", "Not carried over:"],
  ["unknown", "Not carried over, because these keys are not known:"],
  ["differs", "Not quite the same here:"],
  ["idle", "No effect in the other tool either:"],
  ["caller", "For the calling program:"],
];

function header({ tool, notes }: Plan, source: string): string {
  const blocks = HEADINGS.map(([kind, heading]) => [heading, notes.filter((n) => n.kind === kind)] as const)
    .filter(([, found]) => found.length > 0)
    .map(([heading, found]) => [heading, ...found.flatMap(listItem)]);
  for (const [kind, what] of ABOUT) {
    const found = runOptions(notes, kind);
    if (found)
      blocks.push(foldWords([...`${capital(what)}: ${found.keys.map(plain).join(", ")}:`.split(" "), ...found.words]));
  }
  const others = notes.filter((n) => n.kind === "other").map((n) => n.key);
  if (others.length > 0) blocks.push(fold(`Not about sampling: ${[...new Set(others)].map(plain).join(", ")}.`, ""));
  const first = fold(`The sampling settings of ${tool}, imported from ${plain(source)}.`, "");
  return [first, ...blocks].map((lines) => lines.map((line) => `// ${line}`).join("\n")).join("\n//\n");
}

const listItem = ({ key, place, text }: Note): string[] =>
  fold(`- ${plain(key)} (${plain(place)})${text === "" ? "" : `: ${text}`}`, "  ");

/** Source text without quotation marks, on one line. */
const plain = (text: string): string => show(text).slice(1, -1);

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** Wraps a comment; lines after the first are indented. */
const fold = (text: string, indent: string): string[] => foldWords(text.split(" "), indent);

function foldWords(words: readonly string[], indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    if (line !== "" && line.length + 1 + word.length > MAX_WIDTH - 3) {
      lines.push(line);
      line = indent + word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

// ---------------------------------------------------------------- declarations

function importLine(stages: readonly Stage[]): string {
  const names = [...new Set(stages.filter((s) => !s.isHost && s.declaration === undefined).map((s) => s.name))];
  const line = `import { ${names.join(", ")} } from "std"`;
  return line.length <= MAX_WIDTH ? line : `import {\n  ${names.join(",\n  ")}\n} from "std"`;
}

const declarations = (stages: readonly Stage[]): string[] => [
  ...new Set(stages.flatMap(({ declaration }) => declaration ?? [])),
];

function chain(stages: readonly Stage[], name: string): string {
  const params = [...new Map(stages.flatMap(uniformsOf).map((u) => [u.uniform, paramText(u)])).values()];
  const head = `chain ${name}${listOf(params, "chain ".length + name.length + " =".length)} =`;
  const calls = stages.map(callText);
  const whole = `${head} ${calls.join(" |> ")}`;
  if (!head.includes("\n") && whole.length <= MAX_WIDTH) return whole;
  const line = `  ${calls.join(" |> ")}`;
  return `${head}\n${line.length <= MAX_WIDTH ? line : `  ${calls.join(" |>\n  ")}`}`;
}

/** Parameters in parentheses, on one line if they fit, else one per line. */
function listOf(params: readonly string[], used: number): string {
  if (params.length === 0) return "";
  const line = `(${params.join(", ")})`;
  return used + line.length <= MAX_WIDTH ? line : `(\n  ${params.join(",\n  ")}\n)`;
}

const isUniform = (arg: Arg): arg is Uniform | GrammarUniform => typeof arg === "object" && "uniform" in arg;
const isSet = (arg: Arg): arg is TokenSet => typeof arg === "object" && "tokens" in arg;

const isPhrases = (arg: Arg): arg is PhraseTexts => typeof arg === "object" && "phrases" in arg;

/** A text as a pattern that ignores case. */
const patternText = (text: string): string => {
  const escaped = text.replace(/[$()*+./?[\\\]^{|}]/g, "\\$&");
  return `/(?i)${escaped.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}/`;
};

const uniformsOf = ({ args }: Stage): (Uniform | GrammarUniform)[] => Object.values(args).filter(isUniform);

function paramText(param: Uniform | GrammarUniform): string {
  const { uniform, type, value } = param;
  if (type === "grammar") return `${uniform}: grammar${value === undefined ? "" : ` = ${quote(value)}`}`;
  const { isStatic, range } = param;
  return `${isStatic ? "static " : ""}${uniform}: ${type}${range === undefined ? "" : ` ${range}`} = ${typeof value === "string" ? value : numberText(value)}`;
}

/** `top_k(k)`: a single argument needs no name if it is the sampler's first. */
function callText({ name, isHost, args }: Stage): string {
  const given = Object.entries(args);
  const isAlone = given.length === 1 && given[0]![0] !== "seed";
  const texts = given.map(([key, arg]) => (isAlone ? argText(arg) : `${key}: ${argText(arg)}`));
  return `${isHost ? "host " : ""}${name}(${texts.join(", ")})`;
}

function argText(arg: Arg): string {
  if (isPhrases(arg)) return `phrases(${arg.phrases.map(patternText).join(", ")})`;
  if (typeof arg === "number") return numberText(arg);
  if (typeof arg === "string") return quote(arg);
  if (isUniform(arg)) return arg.uniform;
  return isSet(arg) ? setText(arg) : bracketed("[", itemsOf(arg), "]", "    ");
}

/** A set in GGSL syntax; a long one is on several lines, which `indent` begins. */
export const setText = ({ tokens }: TokenSet, indent = "    "): string =>
  tokens === "end" ? "tokens.end" : bracketed("tokens(", itemsOf(tokens), ")", indent);

const itemsOf = (list: List): string[] =>
  list.map((item) => (typeof item === "object" ? `[${item.join(", ")}]` : argText(item)));

/** Longer lists are written on lines of their own. */
const MAX_LIST_WIDTH = 90;

function bracketed(open: string, items: readonly string[], close: string, indent: string): string {
  const line = `${open}${items.join(", ")}${close}`;
  if (line.length <= MAX_LIST_WIDTH) return line;
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && indent.length + last.length + item.length + 2 < MAX_WIDTH)
      lines[lines.length - 1] = `${last} ${item},`;
    else lines.push(`${item},`);
  }
  return `${open}\n${lines.map((l) => indent + l).join("\n")}\n${indent.slice(2)}${close}`;
}

/** A number in GGSL syntax; 0 has no sign. */
export const numberText = (value: number): string => String(value === 0 ? 0 : value);

const ESCAPES: Readonly<Record<string, string>> = { "\n": "n", "\t": "t", "\r": "r", '"': '"', "\\": "\\" };

/** A text in GGSL syntax. */
const quote = (text: string): string => `"${text.replace(/[\n\t\r"\\]/g, (c) => `\\${ESCAPES[c]!}`)}"`;
