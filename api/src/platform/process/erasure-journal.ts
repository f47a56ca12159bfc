import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder, writeDurably } from '@accredit/process/durable-files'
import { AFTER_CUT_OFF, journalLines } from '@accredit/process/journal-lines'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/schema'

const only = { additionalProperties: false }
const Uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
const PublicPart = Type.String({ pattern: '^[a-z]+_[a-z]+_[0-9a-f]{4,64}$' })
/** ISO 8601, with a year and an offset that Postgres takes. */
const Time = Type.String({ format: 'date-time', pattern: '^(?!0000).*(Z|[+-](0[0-9]|1[0-5]):[0-9]{2})$' })

const Transaction = Type.Object(
  {
    /** The history of a database that its number belongs to. */
    database: Type.String({ minLength: 1, maxLength: 100 }),
    /** Every number of so many digits is one of Postgres. */
    id: Type.String({ pattern: '^[0-9]{1,19}$' }),
  },
  only,
)
const common = {
  at: Time,
  /** The one that does it, where the database could tell. */
  transaction: Type.Optional(Transaction),
}
/** About another line. */
const ofLine = { id: Type.Union([Uuid, PublicPart]), ...common, transaction: Transaction }
/** Of the erasure or deletion. */
const named = { id: Uuid, ...common }
/**
 * A number alone is not enough to know a team or a person by: a copy of the database may be older than they are, and
 * gives their number to others.
 */
const known = { number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), created: Time }
const Known = Type.Object(known, only)

const Entry = Type.Union([
  Type.Object({ ...named, deletion: Known }, only),
  Type.Object(
    {
      ...named,
      person: Type.Object(
        {
          ...known,
          /** The keyed hash of the address (`recipientMark`): a copy may have an invitation of it, and not the person yet. */
          address: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
        },
        only,
      ),
    },
    only,
  ),
  Type.Object(
    {
      ...named,
      erasure: Type.Object({ ...known, marks: Type.Array(Type.String({ pattern: '^([0-9a-f]{2})+$' })) }, only),
    },
    only,
  ),
  /** A key that ends then, or never: the last line of a key counts. */
  Type.Object({ id: PublicPart, ...common, key: Type.Object({ ends: Type.Union([Time, Type.Null()]) }, only) }, only),
  /** A person who left a team, or was removed from it. */
  Type.Object(
    {
      ...named,
      member: Type.Object(
        {
          team: Known,
          person: Known,
          /** When the person had joined it, by the database: another part that the person has in it later is not this one. */
          joined: Type.Optional(Time),
        },
        only,
      ),
    },
    only,
  ),
  /** The line with this id of this transaction tells of nothing: the transaction was undone. */
  Type.Object({ ...ofLine, undone: Type.Literal(true) }, only),
  /** That line counts for good: its database was put back to before it, and gives the number to another transaction. */
  Type.Object({ ...ofLine, stands: Type.Literal(true) }, only),
])
/** A deletion, an erasure, or the end of a right, in numbers and keyed hashes; or what became of one. */
export type JournalEntry = Static<typeof Entry>
const entryCheck = Compile(Entry)

/** Makes the journal where there is none: an empty one tells a restore that nothing was erased. */
export async function beginJournal(file: string | undefined): Promise<void> {
  if (file === undefined) return
  const journal = await open(file, 'a', 0o600)
  await journal.close()
}

/**
 * Adds lines to the journal, which are on the disk when this resolves. Does nothing without a file. Several may add lines
 * at once: where one of them is cut off just before the line of another, a reader tells the two apart.
 */
export async function appendToJournal(file: string | undefined, entries: readonly JournalEntry[]): Promise<void> {
  if (file === undefined || entries.length === 0) return
  // One line that no reader takes would be the end of all.
  if (!entries.every((entry) => entryCheck.Check(entry))) throw new TypeError('a line is none of a journal of erasures')
  // A shortening that lost its hold may have put another file in the place by now: that one gets the lines, too.
  while (!(await addLines(file, entries)));
  // The name of a new file is on the disk when its folder is.
  await syncFolder(dirname(await realpath(file)))
}

/** @returns whether the file that has the lines is still the journal */
async function addLines(file: string, entries: readonly JournalEntry[]): Promise<boolean> {
  const journal = await open(file, 'a+', 0o600)
  try {
    const isCutOff = !(await endsALine(journal))
    const lines = Buffer.from(`${isCutOff ? AFTER_CUT_OFF : ''}${asLines(entries)}`)
    // One write is one piece between those of others. The rest of a short one would stand behind theirs.
    const { bytesWritten } = await journal.write(lines)
    if (bytesWritten < lines.length) throw new Error(`${file} took ${bytesWritten} of ${lines.length} bytes.`)
    await journal.sync()
    const now = await stat(file).catch(unlessGone)
    return now?.ino === (await journal.stat()).ino
  } finally {
    await journal.close()
  }
}

/**
 * Leaves those lines in the journal that are chosen, while nobody adds to it: a crash leaves the whole one or the shorter
 * one. A line that is added all the same, after the hold was lost, is taken over; only a crash at that moment loses it.
 *
 * @param holds throws where the journal is held no more, and so may have other lines by now: it stays then
 * @returns how many lines it lost
 */
export async function shortenTo(
  file: string,
  choose: (entries: JournalEntry[]) => readonly JournalEntry[],
  holds: () => Promise<unknown>,
): Promise<number> {
  // A link to the journal stays one.
  const path = await realpath(file).catch(unlessGone)
  if (path === undefined) return 0
  const old = await open(path, 'r')
  try {
    const entries = entriesOf(await old.readFile('utf8'), file)
    const kept = choose(entries)
    if (kept.length === entries.length) return 0
    const next = `${path}.${randomUUID()}.next`
    try {
      await writeDurably(next, asLines(kept))
      await holds()
      if ((await stat(path)).ino !== (await old.stat()).ino) throw new Error(`Another one has shortened ${file}.`)
      await rename(next, path)
    } finally {
      await rm(next, { force: true })
    }
    await syncFolder(dirname(path))
    // The hold may have been lost before the rename.
    await appendToJournal(path, entriesOf(await old.readFile('utf8'), file))
    return entries.length - kept.length
  } finally {
    await old.close()
  }
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

const asLines = (entries: readonly JournalEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

async function endsALine(journal: FileHandle): Promise<boolean> {
  const { size } = await journal.stat()
  if (size === 0) return true
  const { buffer } = await journal.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() === '\n'
}

/**
 * Reads the journal; one that is not there is empty. A line that was cut off is left out: nobody was told that it is
 * there.
 *
 * @throws when a whole line is none of a journal
 */
export async function readJournal(file: string | undefined): Promise<JournalEntry[]> {
  if (file === undefined) return []
  return entriesOf((await readFile(file, 'utf8').catch(unlessGone)) ?? '', file)
}

const entriesOf = (text: string, file: string): JournalEntry[] =>
  journalLines(text).map(({ number, value }) => {
    if (!entryCheck.Check(value)) throw new Error(`Line ${number} of ${file} is no line of a journal of erasures.`)
    return value
  })
