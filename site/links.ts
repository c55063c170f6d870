/** Links in the Markdown of a page. Code, in blocks and between backticks, has none. */

/** A block of code, a code span, or the target of a link or picture, with its anchor. */
const PARTS = /^(`{3,})[^]*?^\1$|(`+)(?!`)[^]*?[^`]\2(?!`)|(\]\()([^)\s#]*)(#[^)\s]*)?(?=\))/gm;

/** Replaces the paths of all links to files. A link to the page itself, or to another site, stays. */
export function mapLinks(text: string, map: (path: string) => string): string {
  return text.replace(PARTS, (all: string, ...groups: (string | undefined)[]) => {
    const [, , open, path, anchor = ""] = groups;
    const isFile = path !== undefined && path !== "" && !/^[a-z]+:/.test(path);
    return isFile ? `${open}${map(path)}${anchor}` : all;
  });
}
