/** The thread that compiles: one source after the other. */
import { workerData } from "node:worker_threads";
import { answerRequests, nodePort, type NodePort } from "ggsl/core/requests.js";
import { compileJob, type Job, type Reply } from "./facts.js";

const { port } = workerData as { readonly port: NodePort };
answerRequests<Job, Reply>(nodePort(port), compileJob);
