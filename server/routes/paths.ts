/** Which paths there are, and the methods that each takes. */
import { Refusal } from "../refusal.js";
import { ROUTES } from "./openapi.js";

/** Paths with a name at their end. */
const BELOW = { "/v1/models/": "GET" } as const;

/** Finds the methods of a path, from the table of routes and the paths of files. */
export function methodsOf(files: { has(path: string): boolean }): (path: string) => readonly string[] {
  const known = new Map<string, string[]>();
  for (const route of Object.keys(ROUTES)) {
    const [method = "", path = ""] = route.split(" ");
    known.set(path, [...(known.get(path) ?? []), ...withHead(method)]);
  }
  return (path) => {
    const own = known.get(path);
    if (own) return own;
    const below = Object.entries(BELOW).find(([start]) => path.startsWith(start));
    if (below) return withHead(below[1]);
    return files.has(path) ? withHead("GET") : [];
  };
}

const withHead = (method: string): string[] => (method === "GET" ? ["GET", "HEAD"] : [method]);

export const unknownRoute = (path: string): Refusal =>
  new Refusal("unknown_route", `there is no ${path}: /openapi.json lists the paths`);
