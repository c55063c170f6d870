/** A thread that keeps a process with `host.mjs`, so that the thread of a test can wait for a command without its event loop. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const HOST = fileURLToPath(new URL("host.mjs", import.meta.url));
const { main, env } = workerData;

let child;
/** Answers the command that runs. */
let answer;

function start() {
  const stdio = ["ignore", "pipe", "pipe", "ipc"];
  const started = spawn(process.execPath, [HOST, main], { env, stdio, serialization: "advanced" });
  // what native code prints by itself belongs to no command
  started.stdout.pipe(process.stderr);
  started.stderr.pipe(process.stderr);
  started.on("message", (result) => answer(result));
  started.on("exit", (status) => {
    if (child !== started) return;
    child = undefined;
    answer?.({ status, stdout: "", stderr: "the process of the command has ended\n" });
  });
  return started;
}

parentPort.on("message", ({ args, cwd, input, flag, port, timeout }) => {
  // a command that hangs is ended, and has no status
  const timer = setTimeout(() => {
    child?.kill("SIGKILL");
    child = undefined;
    answer({ status: null, stdout: "", stderr: "" });
  }, timeout);
  answer = (result) => {
    clearTimeout(timer);
    answer = undefined;
    port.postMessage(result);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
  child ??= start();
  child.send({ args, cwd, input });
});
