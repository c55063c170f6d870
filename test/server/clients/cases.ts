/**
 * What runs with each client of the server: test/server/clients/NAME.test.ts runs the cases of cases.json, and docs/server.md shows them.
 */
import { afterAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";

interface Client {
  /** The packages that it is. */
  readonly packages: readonly string[];
  readonly api: string;
  /** What is run. */
  readonly cases: readonly string[];
  /** What its users must know. */
  readonly differs: string;
}

const CLIENTS = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Client>
>;

type Case = (title: string, run: () => Promise<void>) => void;

/** The tests of a client: each of its cases, and no others. */
export function casesOf(client: string): Case {
  const { cases } = CLIENTS[client]!;
  const defined: string[] = [];
  afterAll(() => expect(defined).toEqual(cases));
  return (title, run) => {
    defined.push(title);
    test(title, run);
  };
}
