/**
 * Pages that are one file, without scripts. All text from a program is escaped, and the page's content security policy forbids
 * scripts and requests.
 */
import { html, type Markup } from "ggsl/core/markup.js";

/** @param style a style sheet, which contains no text from outside */
export function writeDocument(title: string, style: string, body: Markup): string {
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>${title}</title>
        <style>
          ${{ markup: style }}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return markup;
}
