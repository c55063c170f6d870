/** What differs between the committed interface and that of the sources. */

export const FOLDER = "docs/interface";
/** Lines of a file that are shown. */
const MOST_SHOWN = 40;

/** The differences for people, with what to do; undefined if there are none. */
export function differences(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string | undefined {
  const parts = [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [before, after] = [old.get(name), now.get(name)];
    if (before === after) return [];
    if (before === undefined) return [`${FOLDER}/${name}: a new entry point`];
    if (after === undefined) return [`${FOLDER}/${name}: there is no such entry point any more`];
    return [`${FOLDER}/${name}:\n${linesOf(before, after).join("\n")}`];
  });
  if (parts.length === 0) return undefined;
  const advice = `the public interface is not the one in ${FOLDER}: run \`npm run api\`, read the difference, commit the files, and say in CHANGELOG.md what a user notices`;
  return [...parts, advice].join("\n\n");
}

/** The lines that only one of the texts has. */
function linesOf(before: string, after: string): string[] {
  const only = (text: string, other: string, mark: string): string[] => {
    const known = new Set(other.split("\n"));
    return text
      .split("\n")
      .filter((line) => !known.has(line))
      .map((line) => `${mark} ${line}`);
  };
  const lines = [...only(before, after, "-"), ...only(after, before, "+")];
  const rest = lines.length - MOST_SHOWN;
  if (rest > 0) return [...lines.slice(0, MOST_SHOWN), `and ${rest} more lines`];
  return lines.length > 0 ? lines : ["the same lines in another order"];
}
