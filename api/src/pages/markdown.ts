import markdownIt from 'markdown-it'
import { Html, html } from '../platform/html.js'
import { webLink } from './web-link.js'

/** Longer text is shown as it was written: what markup costs grows with its length, and anyone may ask for the page. */
const MOST_CHARACTERS = 100_000
/** The text's first heading stands below the page's own. */
const HEADINGS_BELOW = 2

// No HTML of its own; pictures would tell their host who reads.
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

/** A stranger's markdown as markup that can do nothing. */
export function markdown(text: string): Html {
  return text.length > MOST_CHARACTERS ? html`<p class="plain" dir="auto">${text}</p>` : new Html(parser.render(text))
}
