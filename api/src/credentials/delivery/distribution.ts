import { languageOf } from '../../pages/words.js'
import type { Context } from '../../platform/http/context.js'
import type { Language } from './texts.js'

export const DISTRIBUTION_HEADER = 'Accredit-Distribution'

export interface Distributing {
  distribute?: boolean
  recipientEmail?: string
  recipientDID?: string
}

/** The recipient of a credential, and the language of the mail. */
export interface Recipient {
  to: string
  language: Language
}

/** One address, without a name; a mail server knows the rest. */
const ADDRESS = /^[^\s@<>()[\],;:\\"]{1,64}@[^\s@<>()[\],;:\\"]{1,255}$/

/**
 * Returns to whom a credential is sent by mail. Where that was asked for and cannot be done, the answer says so: it
 * fails no credential.
 */
export function recipientOf(
  { config, reply, acceptLanguage }: Pick<Context, 'config' | 'reply' | 'acceptLanguage'>,
  { distribute, recipientEmail, recipientDID }: Distributing,
  isSigned: boolean,
): Recipient | undefined {
  if (!distribute) return undefined
  const to = recipientEmail?.trim()
  const reason = whyNot(to, recipientDID, { isSigned, hasServer: config.mail.smtpUrl !== undefined })
  if (reason === undefined && to !== undefined) return { to, language: languageOf(acceptLanguage) }
  reply.header(DISTRIBUTION_HEADER, `none (${reason})`)
  return undefined
}

function whyNot(
  to: string | undefined,
  did: string | undefined,
  { isSigned, hasServer }: { isSigned: boolean; hasServer: boolean },
): string | undefined {
  if (!isSigned) return 'an unsigned credential is not delivered'
  if (!to) return did ? 'credentials are not sent to DIDs yet: name recipientEmail' : 'recipientEmail is missing'
  if (!ADDRESS.test(to)) return 'recipientEmail is not the address of one mailbox'
  return hasServer ? undefined : 'no mail server is configured'
}
