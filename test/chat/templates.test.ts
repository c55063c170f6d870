/** All templates of llama.cpp's repository beside llama.cpp's own rendering; docs/chats.md lists each difference with its reason. */
import { expect, test } from "@jest/globals";
import { readFileSync, writeFileSync } from "node:fs";
import { Digits } from "../../runtime/chat/digits.js";
import { loadJinja } from "../../runtime/chat/jinja.js";
import { Budget } from "../../runtime/chat/limits.js";
import { prepared } from "../../runtime/chat/messages.js";
import { openConversation, renderConversation } from "../../runtime/chat/render.js";
import { openTemplate } from "../../runtime/chat/template.js";
import { byEngine, byPrograms, CASES, modelWith, sourceOf, TEMPLATES, type Case } from "./templates.js";

const PAGE = "docs/chats.md";
const [BEGIN, END] = ["<!-- differences -->", "<!-- end of differences -->"];

/** llama.cpp's programs always give it. */
const variables = { enable_thinking: true };

const ours = async (source: string, { messages, tools }: Case): Promise<string> => {
  try {
    return (await renderConversation(modelWith(source), openConversation(messages, { tools, variables }))).text;
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
};

const isError = (text: string): boolean => text.startsWith("error: ");
const areEqual = (a: string, b: string): boolean => a === b || (isError(a) && isError(b));

/** Why a template is rendered otherwise. */
const NO_LIST =
  "without tools the template goes through `none`, an error in llama.cpp's engine; its programs leave the variable out, and here `none` has no elements";
const OUTDATED =
  "llama.cpp's programs rewrite the results of tools for this template, which they call outdated; here it is rendered as it is";
const SWITCHES =
  "the conversation has two messages of the same side in a row, which the template refuses; both report its message";
const METHOD =
  "the template reads the member `items` of a schema with an array: that is also a method of objects, at which llama.cpp fails, as Python does; here the member is read";
const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "CohereForAI-c4ai-command-r-plus-tool_use.jinja": { engine: `${NO_LIST}; with tools, ${METHOD}`, programs: METHOD },
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja": { engine: NO_LIST },
  "NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja": { engine: NO_LIST },
  "google-gemma-4-31B-it-interleaved.jinja": { programs: OUTDATED },
  "google-gemma-2-2b-it.jinja": { both: SWITCHES },
};

interface Difference {
  readonly template: string;
  readonly what: "engine" | "programs" | "both";
  readonly cases: readonly string[];
}

async function differencesOf(template: string): Promise<Difference[]> {
  const source = sourceOf(template);
  const forms = openTemplate(await loadJinja(), source).forms(new Budget());
  const found = await Promise.all(
    CASES.map(async (one) => {
      const text = await ours(source, one);
      const messages = prepared(one.messages, forms, new Digits([]));
      const given = { ...variables, messages, tools: one.tools ?? null, add_generation_prompt: true };
      const dates = dateVariables();
      const engine = byEngine(source, { ...given, ...dates, bos_token: "<s>", eos_token: "</s>" });
      // it analyzes the template with many conversations each time
      const programs = one.hasPrograms ? byPrograms(source, one.messages, one.tools) : text;
      return {
        name: one.name,
        engine: !areEqual(text, engine),
        programs: !areEqual(text, programs),
        both: isError(text),
      };
    }),
  );
  return (["engine", "programs", "both"] as const).flatMap((what) => {
    const cases = found.filter((one) => one[what]).map(({ name }) => name);
    return cases.length > 0 ? [{ template, what, cases }] : [];
  });
}

/** Written by a formatter of dates that is not the one under test. */
function dateVariables(): { datetime: string; date_string: string } {
  const [month, day, year] = new Date()
    .toLocaleDateString("en-US", { month: "short", day: "2-digit", year: "numeric" })
    .replace(",", "")
    .split(" ") as [string, string, string];
  return { datetime: `${month} ${day} ${year}`, date_string: `${day} ${month} ${year}` };
}

const WHAT = { engine: "llama.cpp's engine", programs: "llama.cpp's programs", both: "refused by all" };

const tableOf = (differences: readonly Difference[]): string =>
  [
    "| template | conversation | compared with | reason |",
    "| --- | --- | --- | --- |",
    ...differences.map(({ template, what, cases }) => {
      const reason = REASONS[template]?.[what];
      return `| ${template.replace(".jinja", "")} | ${cases.join(", ")} | ${WHAT[what]} | ${reason ?? "UNEXPLAINED"} |`;
    }),
  ].join("\n");

test("every template gives llama.cpp's text, or docs say why not", async () => {
  expect(TEMPLATES.length).toBeGreaterThanOrEqual(70);
  const differences = (await Promise.all(TEMPLATES.map(differencesOf))).flat();
  const table = tableOf(differences);
  expect(table).not.toContain("UNEXPLAINED");
  const explained = Object.entries(REASONS).flatMap(([name, by]) => Object.keys(by).map((what) => `${name} ${what}`));
  expect(differences.map(({ template, what }) => `${template} ${what}`).sort()).toEqual(explained.sort());
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN) as [string, string];
  const [shown, after] = rest.split(END) as [string, string];
  if (process.env["GGSL_BLESS"] === "1") writeFileSync(PAGE, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`);
  else expect(shown.replace(/ +\|/g, " |").replace(/-+/g, "---").trim()).toBe(table.replace(/-+/g, "---"));
});
