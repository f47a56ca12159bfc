import './profile.tables.js'
import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'
import type { Environment } from '../platform/http/context.js'
import type { Sweep } from '../platform/process/sweep.js'
import { FetchRefused } from '../platform/security/guarded-fetch.js'
import { type Image, imageOf, maxLogoBytes } from './logo.js'
import { storeLogo } from './logo.store.js'

const LIMITS = { maxBytes: maxLogoBytes, timeoutMs: 5_000, accept: 'image/png, image/jpeg, image/bmp' }
/** The number of logos fetched in one sweep: the end of the process waits for no more. */
const AT_ONCE = 16

/**
 * Fetches logos from the hosts that have them, another Accredit among them, but none from ourselves: new ones soon,
 * failed ones once a day, copies once a month. Teams have their turns one after the other, however many logos one of
 * them names.
 */
export const copyLogos: Sweep = async (environment) => {
  const { db, clock, config } = environment
  const now = clock.now()
  const due = await db.read('system', async (reader) => {
    const { rows } = await sql<{ url: string }>`
      select url from (
        select c.url, row_number() over (partition by c.team_id order by c.tried nulls first, c.url) as turn from service.logo_copies c
        where not starts_with(c.url, ${`${config.apiUrl}/logos/`})
          and (c.tried is null or (c.tried < ${now}::timestamptz - interval '1 day' and c.logo is null)
            or c.tried < ${now}::timestamptz - interval '30 days')) due
      order by turn, url limit ${AT_ONCE}`.execute(reader)
    return rows.map(({ url }) => url)
  })
  await Promise.all(due.map((url) => copyLogo(environment, url, now)))
}

async function copyLogo(environment: Environment, url: string, now: Date): Promise<void> {
  const image = await fetched(environment, url)
  await environment.db.transaction('system', async (tx) => {
    if (image !== undefined) await storeLogo(tx, image, { base: '', now })
    // An older copy stays when its renewal fails.
    await sql`update service.logo_copies set tried = ${now}::timestamptz, logo = coalesce(${image?.sha256 ?? null}, logo)
      where url = ${url}`.execute(tx)
  })
}

/** Returns the picture at an address; undefined: there is none that may be shown. */
async function fetched({ guardedFetch, log }: Environment, url: string): Promise<Image | undefined> {
  try {
    return imageOf(await guardedFetch(url, LIMITS))
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error
    log.debug({ err: error, url }, 'a logo could not be fetched')
    return undefined
  }
}

/** Returns our own addresses of logos that stand here or were copied; the others are left out. */
export async function ownLogos(reader: Reader, urls: readonly string[], apiUrl: string): Promise<Map<string, string>> {
  const wanted = [...new Set(urls.filter((url) => url !== ''))]
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<{ url: string; logo: string }>`
    select url, logo from service.logo_copies where url = any(${wanted}::text[]) and logo is not null`.execute(reader)
  const kept = wanted.flatMap((url) => {
    const [, logo] = url.startsWith(`${apiUrl}/`) ? (OWN.exec(url.slice(apiUrl.length)) ?? []) : []
    return logo === undefined ? [] : [{ url, logo }]
  })
  return new Map([...rows, ...kept].map(({ url, logo }) => [url, `${apiUrl}/logos/${logo}`]))
}

const OWN = /^\/logos\/([0-9a-f]{64})$/
