import type { SendMailOptions } from 'nodemailer'
import { harmless } from '../../accounts/mail/mails.js'
import type { Mail } from './mail.store.js'
import { textsIn } from './texts.js'

/** The address is an object: no text of a person is read as a list of addresses. A mail that comes twice has one id. */
export function messageOf({ to, language, issuer, credential }: Mail, from: string, job: string): SendMailOptions {
  const texts = textsIn(language)
  const name = harmless(issuer)
  return {
    from,
    to: { name: '', address: to },
    subject: texts.subject(name),
    text: texts.text(name),
    messageId: `<credential-${job}@${/@([^>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'}>`,
    headers: { 'Content-Language': language, 'Auto-Submitted': 'auto-generated' },
    attachments: [attachmentOf(credential)],
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

const attachmentOf = (credential: unknown) =>
  typeof credential === 'string'
    ? {
        filename: credential.includes('~') ? 'credential.sd-jwt' : 'credential.jwt',
        contentType: credential.includes('~') ? 'application/dc+sd-jwt' : 'application/vc+jwt',
        content: credential,
      }
    : {
        filename: 'credential.json',
        contentType: 'application/vc+ld+json',
        content: JSON.stringify(credential, undefined, 2),
      }
