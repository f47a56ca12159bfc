import './data.tables.js'
import { existsSync } from 'node:fs'
import { type Loop, startLoop } from '@accredit/process/loop'
import pg from 'pg'
import { FORGETTING_CHANNEL } from '../accounts/teams/close-team.store.js'
import type { Environment } from '../platform/http/context.js'
import { beginJournal } from '../platform/process/erasure-journal.js'
import { journalStands } from '../platform/process/work-metrics.js'
import { isServerGone } from '../platform/server-gone.js'
import { applyJournal, PartsFailed } from './apply-journal.js'
import { deletePiece } from './deletion/delete-team.js'
import { erasePiece } from './erasure/erase-person.js'
import { shortenJournal } from './shorten-journal.js'

/** The pause in which what a deletion waits for may have come about. */
const LOOK_MS = 5000
/** The pause between two looks at the journal. */
const DAY_MS = 86_400_000
/** The pause after a look that failed, and will again until somebody mends what it met. */
const RETRY_MS = 60_000
/**
 * The time in which a database that is there may refuse something, after which others go on all the same: longer than any
 * transaction of ours may stand still with what it holds.
 */
const PATIENCE_MS = 120_000
/** The SQLSTATE of what takes a server too long, or is a fault of its system: it is there. */
const OF_A_LIVING_SERVER = /^(57014|58)/
/** Those that take turns. */
const MOST_AT_ONCE = 20

/**
 * Carries out deletions and erasures, a piece of each in turn. What a killed worker left is gone on with. It is ready when
 * it has looked at the journal once, whatever came of it: a damaged one holds nothing up. A database that is gone is
 * asked again before that, and one that refuses something is asked again for two minutes.
 */
export function startForgetting(environment: Environment): { channel: string; loop: Loop; ready: Promise<void> } {
  const { db, log, config, clock } = environment
  let looked = (): void => undefined
  const ready = new Promise<void>((resolve) => {
    looked = resolve
  })
  let nextLook = Number.NEGATIVE_INFINITY
  let refusedSince: number | undefined

  async function step(): Promise<boolean> {
    const now = clock.now().getTime()
    if (now >= nextLook) nextLook = now + (await look())
    const [deletions, erasures] = await Promise.all([
      db.read('system', (reader) =>
        reader
          .selectFrom('deletions')
          .select(['id', 'team_id'])
          .where('ended', 'is', null)
          .orderBy('started')
          .limit(MOST_AT_ONCE)
          .execute(),
      ),
      // The first one of each team: what others send waits for none of a team with many.
      db.read('system', (reader) =>
        reader
          .selectFrom((each) =>
            each
              .selectFrom('erasures')
              .distinctOn('team_id')
              .select(['id', 'team_id', 'marks', 'started'])
              .where('ended', 'is', null)
              .orderBy('team_id')
              .orderBy('started')
              .as('first'),
          )
          .select(['id', 'team_id', 'marks'])
          .orderBy('started')
          .limit(MOST_AT_ONCE)
          .execute(),
      ),
    ])
    let hasMore = false
    for (const deletion of deletions)
      hasMore = (await tried(deletion, () => deletePiece(environment, deletion))) || hasMore
    for (const { marks, ...erasure } of erasures)
      hasMore = (await tried(erasure, () => erasePiece(environment, { ...erasure, marks: marks ?? [] }))) || hasMore
    return hasMore
  }

  /** Tells whether another look may soon succeed that nobody mended anything for. */
  function mayPass(error: unknown): boolean {
    if (isGone(error)) return true
    const now = clock.now().getTime()
    refusedSince ??= now
    return errorsOf(error).some(isRefusal) && now - refusedSince < PATIENCE_MS
  }

  /** A journal that cannot be applied holds up nothing that stands in the database. @returns the pause until the next look */
  async function look(): Promise<number> {
    try {
      await catchUp()
      journalStands.set(0)
      refusedSince = undefined
      looked()
      return DAY_MS
    } catch (error) {
      journalStands.set(1)
      const isPassing = mayPass(error)
      const pause = isPassing ? LOOK_MS : RETRY_MS
      log.error(
        { err: error },
        `the erasure journal could not be applied: what it alone knows of is not erased; it is tried again in ${pause / 1000} seconds`,
      )
      if (!isPassing) looked()
      return pause
    }
  }

  async function catchUp(): Promise<void> {
    const { erasureJournalFile: file } = config
    const isThere = file !== undefined && existsSync(file)
    if (isThere) log.info({ file }, 'looking at the erasure journal')
    const applied = await applyJournal(environment)
    if (Object.values(applied).some((count) => count > 0))
      log.warn(applied, 'the database is older than its erasure journal: what it forgot is done again')
    else if (isThere) log.info('the database knows all that its erasure journal tells')
    else if (file !== undefined)
      log.warn({ file }, 'there is no erasure journal: one is begun, and tells nothing of before')
    await beginJournal(file)
    await shortenJournal(environment).catch((error: unknown) =>
      log.error({ err: error }, 'the erasure journal could not be shortened: it is tried again in a day'),
    )
  }

  /** One that fails stops no other. */
  async function tried({ id }: { id: string }, piece: () => Promise<string>): Promise<boolean> {
    try {
      return (await piece()) !== 'waits'
    } catch (error) {
      log.error({ err: error, id }, 'a piece of a deletion or an erasure failed, and is tried again')
      return false
    }
  }

  const onError = (error: unknown): void => log.error({ err: error }, 'deletions could not be carried out')
  const loop = startLoop(step, { onError, everyMs: LOOK_MS })
  loop.wake()
  return { channel: FORGETTING_CHANNEL, loop, ready }
}

/** The error of a look, or those of its parts. */
const errorsOf = (error: unknown): unknown[] => (error instanceof PartsFailed ? error.errors : [error])

const isRefusal = (error: unknown): boolean =>
  [error, Object(error).cause].some((one) => one instanceof pg.DatabaseError)

const isGone = (error: unknown): boolean =>
  errorsOf(error).every((one) => isServerGone(one) && !OF_A_LIVING_SERVER.test(String(Object(one).code)))
