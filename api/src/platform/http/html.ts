/** Markup that may be put into a page as it is. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | false | undefined | readonly Value[]

// Controls are removed from a page, and NUL is no character of HTML.
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Text for elements and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(CONTROLS, '\ufffd').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A template whose values are escaped, unless they are markup already. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((before, next, index) => before + markup(values[index - 1]) + next))
}

function markup(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return value.map(markup).join('')
}
