import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AFTER_CUT_OFF, journalLines } from '@accredit/process/journal-lines'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'

const Transaction = Type.Object({
  /** The history of a database that its number belongs to. */
  database: Type.String(),
  id: Type.String(),
})
const common = {
  /** Of the erasure or deletion; of a key its public part. */
  id: Type.String(),
  /** ISO 8601. */
  at: Type.String(),
  /** The one that does it, where the database could tell. */
  transaction: Type.Optional(Transaction),
}
/**
 * A number alone is not enough to know a team or a person by: a copy of the database may be older than they are, and
 * gives their number to others.
 */
const known = { number: Type.Integer(), created: Type.String() }

const Entry = Type.Union([
  Type.Object({ ...common, deletion: Type.Object(known) }),
  Type.Object({ ...common, person: Type.Object(known) }),
  Type.Object({ ...common, erasure: Type.Object({ ...known, marks: Type.Array(Type.String()) }) }),
  /** A key that ends then, or never: the last line of a key counts. */
  Type.Object({ ...common, key: Type.Object({ ends: Type.Union([Type.String(), Type.Null()]) }) }),
  /** A person who left a team, or was removed from it. */
  Type.Object({
    ...common,
    member: Type.Object({
      team: Type.Object(known),
      person: Type.Object(known),
      /** When the person had joined it, by the database: another part that the person has in it later is not this one. */
      joined: Type.Optional(Type.String()),
    }),
  }),
  /** The line with this id of this transaction tells of nothing: the transaction was undone. */
  Type.Object({ ...common, transaction: Transaction, undone: Type.Literal(true) }),
])
/** A deletion, an erasure, or the end of a right, in numbers and keyed hashes; or that one was undone. */
export type JournalEntry = Static<typeof Entry>

/** Makes the journal where there is none: an empty one tells a restore that nothing was erased. */
export async function beginJournal(file: string | undefined): Promise<void> {
  if (file === undefined) return
  const journal = await open(file, 'a', 0o600)
  await journal.close()
}

/**
 * Adds lines to the journal, which are on the disk when this resolves. Does nothing without a file.
 */
export async function appendToJournal(file: string | undefined, entries: readonly JournalEntry[]): Promise<void> {
  if (file === undefined || entries.length === 0) return
  const journal = await open(file, 'a+', 0o600)
  try {
    const isCutOff = !(await endsALine(journal))
    await journal.appendFile(`${isCutOff ? AFTER_CUT_OFF : ''}${asLines(entries)}`)
    await journal.sync()
  } finally {
    await journal.close()
  }
  await syncFolderOf(file)
}

/**
 * Puts another journal in the place of the whole one, which nobody adds to meanwhile: a crash leaves the one or the other.
 *
 * @param holds throws where the journal is held no more, and so may have other lines by now: it stays then
 */
export async function replaceJournal(
  file: string,
  entries: readonly JournalEntry[],
  holds: () => Promise<unknown>,
): Promise<void> {
  const next = `${file}.next`
  const journal = await open(next, 'w', 0o600)
  try {
    await journal.writeFile(asLines(entries))
    await journal.sync()
  } finally {
    await journal.close()
  }
  await holds()
  await rename(next, file)
  await syncFolderOf(file)
}

const asLines = (entries: readonly JournalEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

/** The name of a new file is on the disk when its folder is. */
async function syncFolderOf(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r')
  await folder.sync().finally(() => folder.close())
}

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
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return journalLines(text).map(({ number, value }) => {
    if (!Check(Entry, value)) throw new Error(`line ${number} of ${file} is no line of an erasure journal`)
    return value
  })
}
