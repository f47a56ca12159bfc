import './profile.tables.js'
import type { Reader, Tx } from '../platform/database/database.js'

import { invalid } from '../platform/errors.js'
import { type MemberRules, textRules } from '../platform/http/input/member-rules.js'

import { type Logo, type LogoMediaType, LogoRefused, parseLogo } from './logo.js'

/** Returns the logo that a caller gave, or throws 400 with the reason. */
export function acceptLogo(text: string): Logo {
  try {
    return parseLogo(text)
  } catch (error) {
    if (error instanceof LogoRefused) throw invalid(error.message)
    throw error
  }
}

/** The rules of profiles that their schemas do not state. */
export const profileRules: MemberRules = (body) => textRules(body, { logo: acceptLogo })

/**
 * Stores an image under its hash and returns the logo's absolute address; empty for none. LOGO_REFERENCES lists the
 * columns with addresses: an image that none of them names is forgotten after a day.
 */
export async function storeLogo(tx: Tx, logo: Logo, { base, now }: { base: string; now: Date }): Promise<string> {
  if (logo.kind === 'none') return ''
  if (logo.kind === 'url') return logo.url
  const { sha256, mediaType, bytes } = logo
  await tx
    .insertInto('logos')
    .values({ sha256, media_type: mediaType, bytes, created: now })
    // The upload makes the image new again: a row that refers to it may not be committed yet when the sweep looks.
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created: now }))
    .execute()
  return `${base}/logos/${sha256}`
}

export interface StoredLogo {
  mediaType: LogoMediaType
  bytes: Buffer
}

export function findLogo(reader: Reader, sha256: string): Promise<StoredLogo | undefined> {
  return reader
    .selectFrom('logos')
    .select(['media_type as mediaType', 'bytes'])
    .where('sha256', '=', sha256)
    .executeTakeFirst()
}
