/**
 * Numbers in the arguments of calls, which reach the prompt as they were written: 1234567890123456789 and 1.0 have no such value in
 * JavaScript. While the template runs, an integer that nothing else has stands for each of them.
 */

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
/** Integers of this length are exact. */
const FIRST = 7_310_000_000_000_001;

export class Digits {
  private readonly written = new Map<string, string>();
  private next = FIRST;

  /** @param others the texts in which no stand-in may occur */
  constructor(private readonly others: readonly string[]) {}

  /** A JSON text with stand-ins for the numbers that would not come back as they are. */
  hide(json: string): string {
    return json.replace(TOKENS, (token) => {
      if (token.startsWith('"') || JSON.stringify(Number(token)) === token) return token;
      const known = [...this.written].find(([, one]) => one === token)?.[0];
      if (known !== undefined) return known;
      const standIn = this.free(json);
      this.written.set(standIn, token);
      return standIn;
    });
  }

  /** The prompt of what a template wrote. */
  show(text: string): string {
    if (this.written.size === 0) return text;
    return text.replace(new RegExp([...this.written.keys()].join("|"), "g"), (standIn) => this.written.get(standIn)!);
  }

  private free(json: string): string {
    for (;;) {
      const standIn = String(this.next++);
      if (![json, ...this.others].some((text) => text.includes(standIn))) return standIn;
    }
  }
}
