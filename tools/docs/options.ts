/** docs/options.md: the options of models and generations, pieces and statistics, from their declarations in runtime/. */
import { join } from "node:path";
import { Project, type InterfaceDeclaration, type JSDoc, type PropertySignature } from "ts-morph";
import { fill, table } from "../lib/markdown.js";
import { root } from "../lib/process.js";

/** The interfaces of the page, and their files in runtime/. What one extends is not a part of its table, and in the list as well. */
const FILES = {
  ContextSettings: "backends/contextOptions.ts",
  LoadModelOptions: "models/options.ts",
  SequenceRequest: "generation/request.ts",
  EndOptions: "generation/ends.ts",
  PhraseOptions: "generation/phrases/options.ts",
  HealOptions: "generation/healing/healing.ts",
  TokenizeOptions: "sequence/prompt.ts",
  RunOptions: "generation/request.ts",
  BatchOptions: "models/batch.ts",
  ChatOptions: "chat/render.ts",
  AnswerLimits: "models/answers.ts",
  LookupOptions: "decode/speculation/options.ts",
  DraftOptions: "decode/speculation/options.ts",
  Feed: "sequence/features/feed.ts",
  Guide: "sequence/guides.ts",
  Piece: "generation/pieces.ts",
  Logprob: "generation/pieces.ts",
  Alternative: "generation/likeliest.ts",
  GenerationStats: "generation/pieces.ts",
  ContextStats: "backends/native/binding.ts",
  Split: "backends/devices/place.ts",
} as const;
type Name = keyof typeof FILES;

export function page(): string {
  const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
  const declarationOf = (name: Name): InterfaceDeclaration => {
    const found = project.addSourceFileAtPath(join(root, "runtime", FILES[name])).getInterfaceOrThrow(name);
    checkBases(found, Object.keys(FILES));
    return found;
  };
  const options = (name: Name, before = ""): readonly string[][] => rowsOf(declarationOf(name), before, true);
  const results = (name: Name, before = ""): readonly string[][] => rowsOf(declarationOf(name), before, false);
  return fill("options.md", {
    context: optionTable(options("ContextSettings")),
    load: optionTable(options("LoadModelOptions")),
    request: optionTable(
      (["SequenceRequest", "EndOptions", "PhraseOptions", "HealOptions", "TokenizeOptions"] as const)
        .flatMap((name) => options(name))
        .sort(required),
    ),
    run: optionTable(options("RunOptions")),
    batch: optionTable(options("BatchOptions")),
    chat: optionTable(options("ChatOptions")),
    answer: optionTable(options("AnswerLimits")),
    feed: optionTable([...options("Feed", "feed."), ...options("Guide", "guides.NAME.")]),
    speculate: optionTable([...options("LookupOptions", "speculate.ngram."), ...options("DraftOptions", "speculate.")]),
    piece: resultTable([
      ...results("Piece"),
      ...results("Logprob", "logprobs[i]."),
      ...results("Alternative", "alternatives[i]."),
    ]),
    stats: resultTable([...results("GenerationStats"), ...results("Split", "split.")]),
    contextStats: resultTable(results("ContextStats")),
  });
}

const optionTable = (rows: readonly (readonly string[])[]): string =>
  table(["option", "type", "default", "unit", "meaning"], rows);
const resultTable = (rows: readonly (readonly string[])[]): string => table(["field", "type", "unit", "meaning"], rows);

const REQUIRED = "required";
/** What must be given comes first. */
const required = ([, , a]: readonly string[], [, , b]: readonly string[]): number =>
  Number(b === REQUIRED) - Number(a === REQUIRED);

/** @throws Error where an interface extends one whose properties are in no table */
export function checkBases(declaration: InterfaceDeclaration, listed: readonly string[]): void {
  const missing = declaration
    .getExtends()
    .map((base) => base.getExpression().getText())
    .filter((base) => !listed.includes(base));
  if (missing.length > 0)
    throw new Error(`docs/options.md: \`${declaration.getName()}\` extends ${missing.join(", ")}, which it leaves out`);
}

/**
 * A row for each property of an interface: of options with the default.
 * @throws Error for a property without a comment, and for an option that may be omitted without `@default`
 */
export function rowsOf(declaration: InterfaceDeclaration, before: string, areOptions: boolean): string[][] {
  const name = declaration.getName();
  return declaration
    .getProperties()
    .filter((property) => !property.getName().startsWith("["))
    .map((property) => {
      const where = `${name}.${property.getName()}`;
      const doc = property.getJsDocs().at(-1);
      const meaning = doc && textOf(doc.getDescription());
      if (!doc || !meaning) throw new Error(`docs/options.md: \`${where}\` has no comment that says what it means`);
      const preset = property.hasQuestionToken() ? tagOf(doc, "default") : REQUIRED;
      if (areOptions && preset === undefined)
        throw new Error(`docs/options.md: \`${where}\` can be omitted, and its comment has no @default`);
      const mark = !areOptions && property.hasQuestionToken() ? "?" : "";
      return [
        `\`${before}${property.getName()}${mark}\``,
        `\`${typeOf(property)}\``,
        ...(areOptions ? [preset!] : []),
        tagOf(doc, "unit") ?? "",
        meaning,
      ];
    });
}

const textOf = (text: string): string =>
  text
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim();

const tagOf = (doc: JSDoc, name: string): string | undefined => {
  const tag = doc.getTags().find((one) => one.getTagName() === name);
  return tag && textOf(tag.getCommentText() ?? "");
};

/** As it is written, in short. */
const typeOf = (property: PropertySignature): string =>
  property
    .getTypeNodeOrThrow()
    .getText()
    .replace(/\s+/g, " ")
    .replace(/ \| undefined$/, "")
    .replace(/^\((.*)\)$/, "$1")
    .replace(/\breadonly /g, "")
    .replace(/Readonly<(Record<.*>)>/, "$1");
