import { hkdfSync, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

/** The service key of this deployment; the file is made when missing, whole or not at all, also by two processes at once. */
export function loadServiceKey(file: string): Buffer {
  if (!statSync(file, { throwIfNoEntry: false })) {
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, randomBytes(32), { mode: 0o600 })
    try {
      linkSync(draft, file)
    } catch (error) {
      if (!statSync(file, { throwIfNoEntry: false })) throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }
  const key = readFileSync(file)
  if (key.length < 32) throw new Error(`${file} is no service key: 32 bytes expected, ${key.length} found`)
  return key
}

export const keyDerivation =
  (serviceKey: Uint8Array) =>
  (label: string): Buffer =>
    Buffer.from(hkdfSync('sha256', serviceKey, 'accredit', label, 32))
