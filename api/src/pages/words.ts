import { IntlMessageFormat } from 'intl-messageformat'
import Negotiator from 'negotiator'
import { escapeHtml, Html, html } from '../platform/http/html.js'
import { en, type Texts } from './texts/en.js'
import { tr } from './texts/tr.js'

/** The languages of pages, the default first, with the region whose date format applies. */
export const TEXTS = { en: { texts: en, locale: 'en-GB' }, tr: { texts: tr, locale: 'tr-TR' } } as const

export type Language = keyof typeof TEXTS

const LANGUAGES = Object.keys(TEXTS).filter((tag): tag is Language => tag in TEXTS)

type Key = keyof Texts

/** The values that fill in a text; markup stays markup. */
type Values = Record<string, Html | string | number>

/** The words of a page in one language. */
export interface Words {
  language: Language
  /** Text for an element. */
  say(key: Key, values?: Values): Html
  /** Returns the same without markup: for titles and attributes, which a template escapes. */
  plain(key: Key, values?: Record<string, string | number>): string
  /** `31 January 2026` */
  dayOf(date: Date): string
  /** `31 January 2026, 12:00:00 UTC` */
  momentOf(date: Date): string
  day(date: Date): Html
  moment(date: Date): Html
  timeOfDay(date: Date): Html
  /** Writes a decimal number of any size, as `1234.5`, with all its digits. */
  amount(decimal: string): string
  capitals(text: string): string
}

/** Chooses the available language that a reader prefers (RFC 9110, 12.5.4). */
export const languageOf = (acceptLanguage: string | undefined): Language => {
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
  const wanted = new Negotiator({ headers }).language([...LANGUAGES])
  return LANGUAGES.find((language) => language === wanted) ?? 'en'
}

function wordsIn(language: Language): Words {
  const { texts, locale } = TEXTS[language]
  const entries = Object.entries(texts).map(
    ([key, text]) => [key, new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })] as const,
  )
  const messages = new Map<string, IntlMessageFormat>(entries)
  const filled = (key: Key, values: Values): (string | Html)[] => {
    const parts = messages.get(key)?.format<Html>(values) ?? []
    return Array.isArray(parts) ? parts : [parts]
  }
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options })
  const days = format({ day: 'numeric', month: 'long', year: 'numeric' })
  const clock = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const numbers = new Intl.NumberFormat(locale)
  const point = numbers.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const dayOf = (date: Date) => days.format(date)
  const momentOf = (date: Date) => `${dayOf(date)}, ${clock.format(date)} UTC`
  const time = (date: Date, shown: string, title?: string): Html =>
    html`<time datetime="${date.toISOString()}"${title !== undefined && html` title="${title}"`}>${shown}</time>`
  return {
    language,
    say: (key, values = {}) =>
      new Html(
        filled(key, values)
          .map((part) => (part instanceof Html ? part.text : escapeHtml(part)))
          .join(''),
      ),
    plain: (key, values = {}) => filled(key, values).join(''),
    dayOf,
    momentOf,
    day: (date) => time(date, dayOf(date), momentOf(date)),
    moment: (date) => time(date, momentOf(date)),
    timeOfDay: (date) => time(date, clock.format(date)),
    amount: (decimal) => {
      const [whole = '0', part] = decimal.split('.')
      return numbers.format(BigInt(whole)) + (part === undefined ? '' : point + part)
    },
    capitals: (text) => text.toLocaleUpperCase(locale),
  }
}

const WORDS: Record<Language, Words> = { en: wordsIn('en'), tr: wordsIn('tr') }

export const wordsFor = (acceptLanguage: string | undefined): Words => WORDS[languageOf(acceptLanguage)]
