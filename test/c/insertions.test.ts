/** The lines that `npm run check:llama-server` puts into llama-server: each place is found, and nothing else changes. */
import { expect, test } from "@jest/globals";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyWithInsertions, INSERTED } from "../../tools/lib/insertions.js";
import { ToolError } from "../../tools/lib/process.js";
import { inFolder } from "./programs.js";

const SERVER = "build/llama.cpp/tools/server";
const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n");

test("the sources are llama.cpp's and the lines", () => {
  inFolder((folder) => {
    copyWithInsertions(SERVER, folder);
    const names = readdirSync(SERVER).filter((name) => /\.(cpp|h)$/.test(name));
    expect(readdirSync(folder).sort()).toEqual(names.sort());
    const added = names.flatMap((name) => {
      const before = linesOf(join(SERVER, name));
      // in order, so that what is left over was put in
      return linesOf(join(folder, name)).filter((line) => (line === before[0] ? (before.shift(), false) : true));
    });
    expect(added).toHaveLength(INSERTED);
    expect(added.join("\n")).toMatch(/#include "ggsl-request\.h"[^]*use_chain\(/);
  });
});

test("a source without such a place is an error that names it", () => {
  inFolder((folder) => {
    const changed = join(folder, "changed");
    cpSync(SERVER, changed, { recursive: true });
    const path = join(changed, "server-context.cpp");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("common_sampler_init", "common_sampler_make"));
    expect(() => copyWithInsertions(changed, join(folder, "copy"))).toThrow(ToolError);
    expect(() => copyWithInsertions(changed, join(folder, "copy"))).toThrow(/one line of server-context\.cpp.*found 0/);
  });
});
