/** The thread that reads sources: a table for each. */
import { InputError } from "../../core/errors.js";
import { answerRequests, nodePort, type NodePort } from "../../core/requests.js";
import { tableOfSource } from "../rulesOf.js";
import type { GrammarSource } from "../types.js";
import type { Table } from "../words.js";

/** Requests are sources as JSON; it fails with the `InputError` of a source. */
export function serveGrammars(port: NodePort): void {
  answerRequests<string, Table>(nodePort(port), (source) => tableOfSource(JSON.parse(source) as GrammarSource), {
    transfer: ({ words }) => [words.buffer],
    // nothing of what it holds can be trusted after a fault
    isFatal: (error) => !(error instanceof InputError),
  });
}
