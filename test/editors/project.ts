/** A folder with a program, and the `ggsl` command on the path. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

/** `topk` is wrong, and stands for `top_k`. */
export const PROGRAM = `sampler near(share: f32 in [0, 1] = 0.1) {
  keep prob >= share * max(prob)
}
import { top_k, temp } from "std"
chain story(t: f32 = 0.8) = topk(40) |> near(0.1) |> temp(t)

test "far tokens are dropped" {
  probs  [0.5, 0.3, 0.15, 0.04, 0.01]
  run    near(0.2)
  expect kept [0, 1, 2]
}
`;

interface Project {
  readonly folder: string;
  /** The environment in which `ggsl` is on the path. */
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}

export function newProject(): Project {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "ggsl-editor-")));
  const [bin, folder] = [join(home, "bin"), join(home, "project")];
  mkdirSync(bin);
  mkdirSync(folder);
  symlinkSync(resolve("runtime/dist/cli/main.js"), join(bin, "ggsl"));
  writeFileSync(join(folder, "main.ggsl"), PROGRAM);
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: home, PATH: `${bin}${delimiter}${process.env["PATH"]}` };
  return { folder, env, remove: () => rmSync(home, { recursive: true, force: true }) };
}
