import type { SendMailOptions } from 'nodemailer'
import { harmless } from '../../accounts/mail/mails.js'
import type { Mail } from './mail.store.js'
import { textsIn } from './texts.js'

/**
 * The address is an object: no text of a person is read as a list of addresses.
 *
 * A mail that was sent when its process was killed, and not yet noted, is sent again. Both have one `Message-ID`, by
 * which a mailbox sees that they are one; it names the job, also in a bounce. A bounce has no copy of the credential,
 * where servers follow RFC 3461.
 * @param mark its name (`markOf`)
 */
export function messageOf({ to, language, issuer, credential }: Mail, from: string, mark: string): SendMailOptions {
  const texts = textsIn(language)
  const name = harmless(issuer)
  return {
    from,
    to: { name: '', address: to },
    subject: texts.subject(name),
    text: texts.text(name),
    messageId: `<credential-${mark}@${/@([^>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'}>`,
    dsn: { id: mark, return: 'headers', notify: ['failure'] },
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
