/** docs/server.md, docs/apis.md and docs/security.md against the code: what they name exists, what exists is named, and what they say has a test. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { Command } from "commander";
import { COMMANDS } from "../../cli/commands.js";
import { FIELDS } from "../../server/request/fields.js";
import { REFUSALS } from "../../server/refusal.js";
import { ROUTES } from "../../server/routes/openapi.js";
import { APIS, SECURITY, SERVER, type Claim } from "./claims.js";

const pageOf = (name: string): string => readFileSync(`docs/${name}.md`, "utf8");
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
const OF_NO_SERVER = ["test/server/faults.test.ts", "test/server/pages.test.ts"];
const suites = ["test/server", "test/rpc", "test/fleet"].flatMap((folder) =>
  readdirSync(folder)
    .map((name) => `${folder}/${name}`)
    .filter((file) => file.endsWith(".test.ts") && !OF_NO_SERVER.includes(file))
    .map((file) => readFileSync(file, "utf8")),
);

describe("docs/server.md", () => {
  const page = pageOf("server");

  test("lists each refusal with its status, and each has a test", () => {
    const [, section = ""] = page.split("## Refusals");
    const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \| /gm)].map(([, code, status]) => [code, Number(status)]);
    expect(rows).toEqual(Object.entries(REFUSALS).map(([code, { status }]) => [code, status]));
    // a device that fails, and a system without threads, are not brought about: test/server/faults.test.ts has their errors
    const unheard = Object.keys(REFUSALS).filter(
      (code) => !suites.some((text) => new RegExp(`\\b${code}\\b`).test(text)),
    );
    expect(unheard.toSorted()).toEqual(["model_failed", "out_of_resources"]);
  });

  test("lists each field and each path once", () => {
    const fields = [
      ...page.matchAll(/^\| `(\w+)` \| (?:chat|completions|logits|template|tokenize|detokenize)[^|]* \| /gm),
    ].map(([, name]) => name);
    expect(fields.toSorted()).toEqual(Object.keys(FIELDS).toSorted());
    const paths = [...page.matchAll(/^\| `((?:GET|POST) \S+)` \| /gm)].map(([, path]) => path);
    expect(paths).toEqual(Object.keys(ROUTES));
  });
});

test.each(["server", "apis", "security"])("the options of commands that docs/%s.md names exist", async (name) => {
  const known = new Set<string | undefined>();
  // one after the other: jest links each module once
  for (const [command, { load }] of Object.entries(COMMANDS))
    for (const { long } of (await load())(new Command(command)).options) known.add(long);
  const others = /npm install --global|systemctl enable --now|Node\.js's `--[a-z-]+`|curl[^]*?(?=\n```|\n\n)/g;
  const text = pageOf(name).replaceAll(others, "");
  const named = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option);
  expect([...new Set(named)].filter((option) => !known.has(option))).toEqual([]);
});

describe("what they say has a test", () => {
  const of = (name: string, claims: readonly Claim[]) => claims.map((claim) => [name, claim.words, claim] as const);
  test.each([...of("server", SERVER), ...of("apis", APIS), ...of("security", SECURITY)])(
    "%s.md: %s",
    (name, words, { file, title }) => {
      expect(oneLine(pageOf(name))).toContain(words);
      expect(title).not.toBe("");
      expect(readFileSync(`test/${file}.test.ts`, "utf8")).toContain(title);
    },
  );

  /** Paragraphs and points of the sections that say how a server behaves. */
  const said = (name: string, sections: readonly string[]): string[] =>
    pageOf(name)
      .split(/^## /m)
      .filter((section) => sections.includes(section.split("\n")[0]!))
      .flatMap((section) =>
        section
          .split("\n")
          .slice(1)
          .join("\n")
          .split(/\n\n|\n(?=- )/),
      )
      .filter((part) => /^(- |\*\*|[A-Z`])/.test(part.trim()) && !part.trim().endsWith(":"))
      .map(oneLine);

  test.each([
    [
      "server",
      SERVER,
      ["Texts and places", "Structured output and tools", "Running it", "Limits of a request", "Refusals"],
    ],
    ["apis", APIS, ["OpenAI's Responses", "Anthropic's Messages", "Ollama's API"]],
    ["security", SECURITY, ["Isolation"]],
  ] as const)("each paragraph of docs/%s.md that says what holds", (name, claims, sections) => {
    const without = said(name, sections).filter((part) => !claims.some(({ words }) => part.includes(words)));
    expect(without).toEqual([]);
  });
});
