/** `npm run demo`: sets everything up, then lets the demo model write with examples/creative.ggsl. */
import { spawnSync } from "node:child_process";
import { exitWith, root, setUp } from "./setup.js";

exitWith(() => {
  setUp();
  // more options may follow: npm run demo -- --prompt "Call me Ishmael."
  const args = ["run", "examples/creative.ggsl", "--stats", ...process.argv.slice(2)];
  console.log(`\nnode runtime/dist/cli/main.js ${args.map(quote).join(" ")}`);
  const { status } = spawnSync(process.execPath, ["runtime/dist/cli/main.js", ...args], { cwd: root, stdio: "inherit" });
  return status ?? 1;
});

function quote(word) {
  return /^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word);
}
