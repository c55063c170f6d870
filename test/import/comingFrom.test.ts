/** docs/coming-from.md names options, fields and settings that there are: here, in llama.cpp, and in the importers. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Command } from "commander";
import { readFileSync } from "node:fs";
import { addCommand, COMMANDS } from "../../cli/commands.js";

const PAGE = readFileSync("docs/coming-from.md", "utf8");

/** The rows of the table of a section: what the other tool has, and what there is here. */
function rowsOf(title: string): { there: string; here: string }[] {
  const section = new RegExp(`^## ${title}\n([^]*?)(?=^## |$(?![^]))`, "m").exec(PAGE)![1]!;
  const rows = [...section.matchAll(/^\| (.*?) \| (.*) \|$/gm)].map(([, there, here]) => ({
    there: there!,
    here: here!,
  }));
  return rows.slice(2);
}

const optionsIn = (text: string): string[] => [...text.matchAll(/(?<=[` ])--[a-z][a-z-]*/g)].map(([option]) => option);

describe("options", () => {
  const ours = new Set<string>();
  beforeAll(async () => {
    const program = new Command("ggsl");
    for (const name of Object.keys(COMMANDS))
      for (const { long } of (await addCommand(program, name)).options) if (long != null) ours.add(long);
  });

  test.each(["llama.cpp", "Ollama", "vLLM", "transformers", "SillyTavern"])("of ggsl, for %s", (tool) => {
    const rows = rowsOf(tool);
    expect(rows.length).toBeGreaterThan(5);
    // a command line of llama.cpp, which `ggsl import` reads
    const named = rows.flatMap(({ here }) => optionsIn(here.replace(/ggsl import -- [^`]*/g, "")));
    expect(named.filter((option) => !ours.has(option))).toEqual([]);
  });

  test("of llama.cpp, which has them", () => {
    const known = readFileSync("build/llama.cpp/common/arg.cpp", "utf8");
    const named = rowsOf("llama.cpp").flatMap(({ there }) => optionsIn(there));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((option) => !known.includes(`"${option}"`))).toEqual([]);
  });

  test("of llama.cpp, that are said to be the same, are", () => {
    const same = rowsOf("llama.cpp").filter(({ here }) => here === "the same");
    expect(same.length).toBeGreaterThan(0);
    for (const { there } of same) expect(optionsIn(there).filter((option) => !ours.has(option))).toEqual([]);
  });
});

test("fields of requests that are said to be the same are those of the server", () => {
  const server = readFileSync("docs/server.md", "utf8");
  const [structured, fields] = ["guided_json", "bad_words"].map((first) =>
    rowsOf("vLLM").find(({ there }) => there.startsWith(`\`${first}\``))!,
  );
  const named = [structured!, fields!].flatMap(({ there }) => [...there.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !server.includes(`| \`${name}\` |`))).toEqual([]);
});
