/** The versions of the spec format: what each added, and which one a graph is written as. */

/** The newest version that is read and written. */
export const SPEC_VERSION = 3;

/** Graphs that need nothing newer are written as this version, so that readers of it still take them. */
const WRITTEN = 2;

/** A version that is read. A spec of version 1 has none of the members that version 2 added. */
export const READ_VERSIONS: readonly unknown[] = [1, WRITTEN, SPEC_VERSION];

/** The versions that specs are written as. */
export type SpecVersion = 2 | 3;

/** The members of a spec that only some versions have: the first one that does. Readers take those of version 2 in older specs, too. */
export const MEMBERS_SINCE: Readonly<Record<string, SpecVersion>> = {
  phrases: 3,
  rules: 3,
  stops: 3,
  windows: 3,
  writes: 3,
};

/** The oldest version that can state what a graph has. */
export const versionOf = (graph: object): SpecVersion =>
  Object.entries(MEMBERS_SINCE).some(([member, since]) => since > WRITTEN && isGiven(graph, member))
    ? SPEC_VERSION
    : WRITTEN;

/** The members of a spec that its version does not have yet. */
export const versionFaults = (spec: { readonly ggsl: number }): string[] =>
  Object.entries(MEMBERS_SINCE).flatMap(([member, since]) =>
    since > spec.ggsl && isGiven(spec, member)
      ? [`spec.${member}: a spec of version ${spec.ggsl} has no such member; version ${since} has`]
      : [],
  );

const isGiven = (graph: object, member: string): boolean =>
  Object.hasOwn(graph, member) && graph[member as keyof typeof graph] !== undefined;
