/** The thread that compiles: one source after the other. */
import { parentPort } from "node:worker_threads";
import { guarded } from "../guarded.js";
import { compileJob, type Job } from "./facts.js";

const port = parentPort!;
port.on(
  "message",
  guarded("message", (job: Job) => port.postMessage(compileJob(job))),
);
port.postMessage("ready");
