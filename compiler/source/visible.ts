/** Control characters of untrusted text as escapes, so that a terminal does not obey them. */

/** Controls other than tab and line feed, line separators, and marks that change the direction of text. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** ESC becomes `\u{1b}`. */
export const visible = (text: string): string => text.replace(HIDDEN, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
