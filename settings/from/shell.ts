/** Words for a shell, on one line. */

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** A word with exactly this text; control characters are written as bash and zsh read them. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replace(/[\\']/g, "\\$&").replace(new RegExp(CONTROL, "g"), (c) => {
    const known = { "\n": "n", "\r": "r", "\t": "t" }[c];
    return `\\${known ?? `u${c.charCodeAt(0).toString(16).padStart(4, "0")}`}`;
  });
  return `$'${escaped}'`;
}
