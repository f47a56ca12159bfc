import { createCipheriv, createDecipheriv } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Random } from '../../platform/process/random.js'

const PIECE_BYTES = 65_536

/**
 * A file that is written as fast as its source gives, and read meanwhile as fast as its reader takes, which may be slow.
 * It has no name, and its bytes are sealed under a key that is in memory alone: nothing of it outlives the process.
 * A side that fails or leaves ends the other.
 */
export async function openSpool(folder: string, random: Random): Promise<{ writable: Writable; readable: Readable }> {
  const file = await unnamedFile(folder)
  const key = random.bytes(32)
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const decipher = createDecipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const moved = new EventEmitter()
  const state = { written: 0, hasEnded: false, failure: undefined as Error | undefined }

  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writeAll(file, cipher.update(chunk), state.written).then((bytes) => {
        state.written += bytes
        moved.emit('moved')
        done()
      }, done)
    },
    final(done) {
      state.hasEnded = true
      moved.emit('moved')
      done()
    },
    destroy(error, done) {
      if (!state.hasEnded) state.failure = error ?? new Error('the source of a file ended early')
      moved.emit('moved')
      done(error)
    },
  })

  // The reader is told of a failure; the writer may be gone already.
  writable.on('error', () => undefined)

  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (let read = 0; ; ) {
        if (state.failure) throw state.failure
        if (read < state.written) {
          const buffer = Buffer.alloc(Math.min(PIECE_BYTES, state.written - read))
          const { bytesRead } = await file.read(buffer, 0, buffer.length, read)
          read += bytesRead
          yield decipher.update(buffer.subarray(0, bytesRead))
        } else if (state.hasEnded) return
        else await once(moved, 'moved')
      }
    } finally {
      writable.destroy()
      await closed(writable)
      await file.close()
    }
  }
  const readable = Readable.from(pieces(), { objectMode: false })
  return { writable, readable }
}

async function unnamedFile(parent: string): Promise<FileHandle> {
  const folder = await mkdtemp(join(parent, 'accredit-spool-'))
  try {
    return await open(join(folder, 'spool'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<number> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
  return bytes.length
}

const closed = async (writable: Writable): Promise<void> => {
  if (!writable.closed) await once(writable, 'close')
}
