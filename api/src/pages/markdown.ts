import { createHash } from 'node:crypto'
import markdownIt from 'markdown-it'
import { Html, html } from '../platform/http/html.js'
import { webLink } from './web-link.js'

/** The limit of the text: the cost of markup grows faster than its text, and anyone may ask for the page. */
const MOST_CHARACTERS = 20_000
/**
 * A table's missing cells are filled in, so that a few lines can become megabytes: such a text is shown as it was
 * written.
 */
const MOST_MARKUP = 400_000
/**
 * The marks of a text that is read as markup, since the cost of some grows with the square of their number: columns of
 * a table, its cells with those that are filled in, and beginnings of links.
 */
const MOST = { columns: 100, cells: 10_000, brackets: 1_000 } as const
/** The memory of all kept texts, each with its overhead. */
const KEPT_CHARACTERS = 16_000_000
const KEEPING = 1_000
/** The text's first heading stands below the page's own. */
const HEADINGS_BELOW = 2

// HTML of the text's own is left out; pictures are too, since they would tell their host who reads.
const parser = markdownIt({ html: false, linkify: false, typographer: false }).disable('image')
parser.validateLink = (url) => webLink(url) !== undefined || /^mailto:[^\s]+$/i.test(url)
parser.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('rel', 'nofollow noopener noreferrer')
  return self.renderToken(tokens, index, options)
}
parser.core.ruler.push('headings_below', ({ tokens }) => {
  for (const token of tokens)
    if (/^h\d$/.test(token.tag)) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + HEADINGS_BELOW)}`
})
parser.core.ruler.push('directions', ({ tokens }) => {
  for (const token of tokens) if (token.nesting === 1 && token.block) token.attrSet('dir', 'auto')
})

export interface Shown {
  markup: Html
  /** True when only the beginning of the text is shown. */
  isCut: boolean
}

/** The kept markup by the digest of the text, the longest unused first. */
const kept = new Map<string, Shown>()
let keptCharacters = 0

/** Turns a stranger's markdown into markup that can do nothing. Converts the same text once. */
export function markdown(text: string): Shown {
  const digest = createHash('sha256').update(text).digest('base64')
  const known = kept.get(digest)
  if (known) {
    kept.delete(digest)
    kept.set(digest, known)
    return known
  }
  const shown = { markup: markupOf(beginningOf(text)), isCut: text.length > MOST_CHARACTERS }
  keep(digest, shown)
  return shown
}

function markupOf(text: string): Html {
  const markup = isTooDear(text) ? undefined : parser.render(text)
  if (markup !== undefined && markup.length <= MOST_MARKUP) return new Html(markup)
  return html`<p class="plain" dir="auto">${text}</p>`
}

function isTooDear(text: string): boolean {
  const lines = text.split('\n')
  const columns = lines.reduce((most, line) => Math.max(most, line.split('|').length), 0)
  return columns > MOST.columns || columns * lines.length > MOST.cells || text.split('[').length > MOST.brackets
}

function keep(digest: string, shown: Shown): void {
  kept.set(digest, shown)
  keptCharacters += shown.markup.text.length + KEEPING
  for (const [oldest, { markup }] of kept) {
    if (keptCharacters <= KEPT_CHARACTERS) return
    kept.delete(oldest)
    keptCharacters -= markup.text.length + KEEPING
  }
}

/** Cuts the text after whole lines, unless the first one is too long by itself, and never inside a character. */
function beginningOf(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  const beginning = text.slice(0, MOST_CHARACTERS)
  const lines = beginning.lastIndexOf('\n')
  return lines > 0 ? beginning.slice(0, lines) : beginning.replace(/[\ud800-\udbff]$/, '')
}
