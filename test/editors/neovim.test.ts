/** The language server in Neovim, with the settings of docs/editor.md. */
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { needing, program, isSet } from "../needs.js";
import { settingsOf } from "./docs.js";
import { newProject, PROGRAM } from "./project.js";

const NEOVIM = program(["nvim"], { package: "neovim", isRequired: isSet("GGSL_NEED_NEOVIM") });

interface Seen {
  readonly fault?: string;
  readonly filetype: string;
  readonly diagnostic: readonly [line: number, column: number, message: string];
  readonly fix: string;
  readonly fixed: string;
  readonly formatted: string;
  readonly renamed: string;
  readonly lenses: readonly string[];
  readonly messages: readonly string[];
}

needing(NEOVIM).describe("Neovim", () => {
  test("shows a diagnostic, fixes it, formats, renames, and runs a test from its lens", () => {
    const project = newProject();
    try {
      // the block for all versions; the other one needs Neovim 0.11
      writeFileSync(join(project.folder, "init.lua"), settingsOf("Neovim 0.7 to 0.10", "lua"));
      const { stdout, stderr } = spawnSync(
        "nvim",
        ["--headless", "-n", "-u", "init.lua", "-S", resolve("test/editors/neovim.lua")],
        { encoding: "utf8", cwd: project.folder, env: project.env, timeout: 300_000 },
      );
      const seen = JSON.parse(stdout || JSON.stringify({ fault: stderr })) as Seen;
      expect(seen.fault).toBeUndefined();
      expect(seen.filetype).toBe("ggsl");
      const line = PROGRAM.split("\n").findIndex((text) => text.includes("topk"));
      expect(seen.diagnostic).toEqual([
        line,
        PROGRAM.split("\n")[line]!.indexOf("topk"),
        expect.stringContaining("unknown sampler `topk`") as unknown,
      ]);
      expect(seen.fix).toContain("top_k");
      const fixed = PROGRAM.replace("topk", "top_k").trimEnd();
      expect(seen.fixed).toBe(fixed);
      expect(seen.formatted).toContain("chain other = temp(1)");
      expect(seen.renamed).toContain("sampler close(");
      expect(seen.renamed).not.toContain("near(");
      const chain = ["explain", "run on the demo model", "show the graph"];
      expect(seen.lenses).toEqual([...chain, ...chain, "test"].sort());
      expect(seen.messages).toEqual([expect.stringContaining("1 passed, 0 failed") as unknown]);
    } finally {
      project.remove();
    }
  }, 360_000);
});
