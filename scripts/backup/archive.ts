import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '@accredit/process/durable-files'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { codeOf, Refusal } from '../start/refusal.js'

/** The version of this layout. A later one that this program cannot read has a higher number. */
export const FORMAT = 1

/**
 * The schemas of a copy. That of the queue is not among them: its rows only wake the worker, which adds them again
 * from `service.jobs`.
 */
export const SCHEMAS = ['chain', 'signer', 'ledger', 'service'] as const

/** A schema of a copy. An installation has them all, or has its ledger on a network or its signer on another host. */
export type Room = (typeof SCHEMAS)[number]

const File = { path: Type.String(), bytes: Type.Number(), sha256: Type.String() }
const ArchivedFile = Type.Object(File)
export type ArchivedFile = Static<typeof ArchivedFile>

const ArchivedRoom = Type.Enum([...SCHEMAS])

const ArchivedTable = Type.Object({
  ...File,
  schema: ArchivedRoom,
  name: Type.String(),
  columns: Type.Array(Type.String()),
  rows: Type.Number(),
})
export type ArchivedTable = Static<typeof ArchivedTable>

const ArchivedSequence = Type.Object({ schema: Type.String(), name: Type.String(), last: Type.String() })
export type ArchivedSequence = Static<typeof ArchivedSequence>

/** The migrations that had run in each room of the copy that has any. */
const Migrations = Type.Object({
  service: Type.Optional(Type.Array(Type.String())),
  /** The last one: the signer's have one order. */
  signer: Type.Optional(Type.String()),
  ledger: Type.Optional(Type.Array(Type.String())),
})
export type Migrations = Static<typeof Migrations>

const Content = Type.Object({
  format: Type.Literal(FORMAT),
  made: Type.String(),
  /** The version of the software, and of the ledger's runtime that it brings. */
  version: Type.String(),
  runtime: Type.Number(),
  environment: Type.String(),
  /** The newest block in the copy, of an embedded ledger. */
  height: Type.Union([Type.Number(), Type.Null()]),
  /** The rooms that are in it; earlier copies do not say so, and have all. */
  rooms: Type.Optional(Type.Array(ArchivedRoom)),
  migrations: Migrations,
  tables: Type.Array(ArchivedTable),
  sequences: Type.Array(ArchivedSequence),
  /** The key files, by their names; their paths begin with `keys/`. */
  keys: Type.Array(ArchivedFile),
})

/** The contents of a copy: what a restore checks before it writes anything. */
export type Manifest = Static<typeof Content>

const MANIFEST = 'manifest.json'
const Envelope = Type.Object({ sha256: Type.String(), content: Type.Unknown() })

const digestOf = (content: unknown): string => createHash('sha256').update(JSON.stringify(content)).digest('hex')

/** Writes the manifest, which is the last file of a copy: one without it is not whole. */
export async function writeManifest(folder: string, content: Manifest): Promise<void> {
  await writeDurably(join(folder, MANIFEST), `${JSON.stringify({ sha256: digestOf(content), content }, null, 1)}\n`)
}

/** Reads the manifest, and refuses one that is damaged or of a later layout. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT')
      throw new Refusal(`${folder} is no copy, or not a whole one: it has no ${MANIFEST}, which is written last.`)
    throw new Refusal(`${path} cannot be read: ${codeOf(error)}.`)
  })
  const envelope = parsed(text)
  if (!Check(Envelope, envelope) || digestOf(envelope.content) !== envelope.sha256)
    throw new Refusal(`${path} is damaged: it is not what was written. Use another copy.`)
  const { content } = envelope
  if (Check(Content, content)) return content
  throw new Refusal(`${folder} was made by a newer version of Accredit, in a layout that this one does not know.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Compares every file of a copy with its manifest, and names the first that is not what was written. */
export async function verifyFiles(folder: string, keysFolder: string, manifest: Manifest): Promise<void> {
  for (const table of manifest.tables) await verifyFile(join(folder, table.path), table)
  for (const key of manifest.keys) await verifyFile(keyPath(keysFolder, key), key)
}

/** Returns the place of a key file: they may have been kept apart from the rest. */
export const keyPath = (keysFolder: string, { path }: Pick<ArchivedFile, 'path'>): string =>
  join(keysFolder, path.replace(/^keys\//, ''))

async function verifyFile(path: string, { bytes, sha256 }: ArchivedFile): Promise<void> {
  const { size } = await stat(path).catch((error: unknown) => {
    const missing = codeOf(error) === 'ENOENT'
    throw new Refusal(`${path} ${missing ? 'is missing' : `cannot be read: ${codeOf(error)}`}. Nothing was restored.`)
  })
  if (size !== bytes)
    throw new Refusal(
      `${path} is ${size < bytes ? 'truncated' : 'damaged'}: ${size} bytes of ${bytes}. Nothing was restored.`,
    )
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  if (hash.digest('hex') !== sha256)
    throw new Refusal(`${path} is damaged: its checksum is another. Nothing was restored.`)
}
