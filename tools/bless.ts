/**
 * `npm run bless`: rewrites the expected files of golden tests with what the code gives now, and shows what changed.
 * Test files may be named: `npm run bless -- test/golden`.
 */
import { spawnSync } from "node:child_process";
import { exitWith, root, setUp } from "./setup.js";

exitWith(() => {
  setUp();
  const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
  const env = { ...process.env, GGSL_BLESS: "1" };
  const { status } = spawnSync(process.execPath, [...jest, ...process.argv.slice(2)], {
    cwd: root,
    stdio: "inherit",
    env,
  });
  const git = (...args) => spawnSync("git", args, { cwd: root, stdio: "inherit" });
  console.log("\nChanged and new files under test/ and examples/; look at them before you commit:");
  git("--no-pager", "diff", "--stat", "--", "test", "examples");
  git("ls-files", "--others", "--exclude-standard", "--", "test");
  return status ?? 1;
});
