/** An untrusted value in a message: short and without its contents, since it can be nested without bound. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "string") return shortened(JSON.stringify(value.slice(0, MAX_SHOWN)));
  return shortened(String(value));
}

const MAX_SHOWN = 60;

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 3)}...` : text);
