/** `npm run bench`, `npm run bench:compile`, `npm run bench:wasm`, `npm run record`: sets everything up, then runs a program of bench/. */
import { spawn } from "node:child_process";
import { exitWith, root, setUp } from "./setup.js";

const [program, ...args] = process.argv.slice(2);

exitWith(() => {
  setUp();
  // Ctrl-C reaches it, too; this process waits for its answer
  process.on("SIGINT", () => undefined);
  spawn(process.execPath, [`bench/dist/${program}.js`, ...args], { cwd: root, stdio: "inherit" }).on(
    "close",
    (status) => {
      process.exitCode = status ?? 1;
    },
  );
  return 0;
});
