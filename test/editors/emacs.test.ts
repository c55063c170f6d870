/** The language server in Emacs with eglot, with the settings of docs/editor.md; part of `npm run check:editors`. */
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { needing, program, type Need } from "../needs.js";
import { settingsOf } from "./docs.js";
import { newProject, PROGRAM } from "./project.js";

const EMACS: Need = { ...program(["emacs", "--batch", "--eval", "(require 'eglot)"]), what: "emacs with eglot" };

needing(EMACS).describe("Emacs", () => {
  test("shows a diagnostic, fixes it, formats and renames", () => {
    const project = newProject();
    try {
      writeFileSync(join(project.folder, "settings.el"), settingsOf("Emacs", "elisp"));
      const { stdout, stderr } = spawnSync("emacs", ["--batch", "-l", resolve("test/editors/emacs.el")], {
        encoding: "utf8",
        cwd: project.folder,
        env: project.env,
        timeout: 300_000,
      });
      const seen = JSON.parse(stdout || JSON.stringify({ stderr })) as Record<string, string>;
      expect(seen["stderr"]).toBeUndefined();
      expect(seen["mode"]).toBe("ggsl-mode");
      expect(seen["diagnostic"]).toContain("unknown sampler `topk`");
      expect(seen["fix"]).toContain("top_k");
      expect(seen["fixed"]).toBe(PROGRAM.replace("topk", "top_k"));
      expect(seen["formatted"]).toContain("chain other = temp(1)");
      expect(seen["renamed"]).toContain("sampler close(");
      expect(seen["renamed"]).not.toContain("near(");
    } finally {
      project.remove();
    }
  }, 360_000);
});
