import { en } from './texts/en.js'
import { tr } from './texts/tr.js'

/** The words of a mail, in one language. */
export interface MailTexts {
  subject(issuer: string): string
  text(issuer: string): string
}

const TEXTS = { en, tr } as const satisfies Record<string, MailTexts>

export type Language = keyof typeof TEXTS

/** The languages of mails, the default first. */
export const LANGUAGES = ['en', 'tr'] as const satisfies readonly Language[]

export const textsIn = (language: Language): MailTexts => TEXTS[language]
