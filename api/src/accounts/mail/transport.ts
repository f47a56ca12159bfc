import type { Transporter } from 'nodemailer'
import type { Config } from '../../config.js'

/** The time that an SMTP server has for each step. */
const SMTP_MS = 10_000

/** The library is loaded by processes that send mails alone. */
export async function transportOf(
  { mail: { smtpUrl } }: Pick<Config, 'mail'>,
  maxConnections = 1,
): Promise<Transporter | undefined> {
  if (smtpUrl === undefined) return undefined
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections,
    connectionTimeout: SMTP_MS,
    greetingTimeout: SMTP_MS,
    socketTimeout: SMTP_MS,
  })
}
