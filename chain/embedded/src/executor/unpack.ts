import vm from 'node:vm'
import { Decompress } from 'fzstd'

const MAGIC = 0xfd2fb528
const LONGEST_HEADER = 18
const RUN_LENGTH_BLOCK = 1
/** A runtime takes some 50 ms. */
const MOST_MS = 20_000

/**
 * Unpacks one Zstandard frame (RFC 8878, 3.1.1), whoever made it. What it claims is read before memory is taken, and
 * what comes out is counted, since a frame need not claim anything. Its time is limited, too: a frame of 30 bytes can
 * keep the library busy for minutes with copies that it never gives out.
 *
 * @throws RangeError where it has more bytes than these or takes more time; Error where it is no such frame
 */
export function unpackedFrame(
  frame: Uint8Array,
  mostBytes: number,
  { mostMs = MOST_MS }: { mostMs?: number } = {},
): Uint8Array<ArrayBuffer> {
  const { end, window, claimed } = headerOf(frame)
  if (window > mostBytes || (claimed ?? 0) > mostBytes) throw tooLarge(mostBytes)
  if (endOfBlocks(frame, end) !== frame.length) throw new Error('it is not one Zstandard frame')
  const pieces: Uint8Array[] = []
  let size = 0
  const decoder = new Decompress((piece) => {
    size += piece.length
    if (size > (claimed ?? mostBytes)) throw tooLarge(claimed ?? mostBytes)
    pieces.push(piece)
  })
  withinTime(mostMs, () => decoder.push(frame, true))
  if (claimed !== undefined && claimed !== size) throw new Error(`it unpacks to ${size} bytes and claims ${claimed}`)
  return Uint8Array.from(Buffer.concat(pieces))
}

const tooLarge = (mostBytes: number) => new RangeError(`it unpacks to more than ${mostBytes} bytes`)

/** Reads what a frame claims of itself: where its blocks begin, how much a decoder remembers, and its size, if any. */
function headerOf(frame: Uint8Array): { end: number; window: number; claimed: number | undefined } {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
  if (bytes.length < LONGEST_HEADER || bytes.readUInt32LE(0) !== MAGIC) throw new Error('it is no Zstandard frame')
  const descriptor = bytes.readUInt8(4)
  if ((descriptor & 0b1011) !== 0) throw new Error('its Zstandard frame needs a dictionary, or another version')
  const isSingleSegment = (descriptor & 0b10_0000) !== 0
  const sizeAt = isSingleSegment ? 5 : 6
  const [sizeBytes, claimed] = claimedSize(bytes, sizeAt, { kind: descriptor >> 6, isSingleSegment })
  return { end: sizeAt + sizeBytes, window: isSingleSegment ? (claimed ?? 0) : windowOf(bytes.readUInt8(5)), claimed }
}

function claimedSize(
  bytes: Buffer,
  at: number,
  { kind, isSingleSegment }: { kind: number; isSingleSegment: boolean },
): [sizeBytes: number, claimed: number | undefined] {
  if (kind === 1) return [2, bytes.readUInt16LE(at) + 256]
  if (kind === 2) return [4, bytes.readUInt32LE(at)]
  if (kind === 3) return [8, Number(bytes.readBigUInt64LE(at))]
  return isSingleSegment ? [1, bytes.readUInt8(at)] : [0, undefined]
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

/** Returns where the frame ends that a text begins with, checksum included; past its end where something is missing. */
function endOfBlocks(frame: Uint8Array, begin: number): number {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
  const checksumBytes = (bytes.readUInt8(4) & 0b100) === 0 ? 0 : 4
  let at = begin
  while (at + 3 <= bytes.length) {
    const header = bytes.readUIntLE(at, 3)
    at += 3 + (((header >> 1) & 3) === RUN_LENGTH_BLOCK ? 1 : header >> 3)
    if ((header & 1) === 1) return at + checksumBytes
  }
  return Number.POSITIVE_INFINITY
}

const context = vm.createContext(Object.create(null))
const script = new vm.Script('work()')

/** Runs synchronous work, which the engine stops when its time is over. */
function withinTime(mostMs: number, work: () => void): void {
  context.work = work
  try {
    script.runInContext(context, { timeout: mostMs })
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new RangeError(`it does not unpack within ${mostMs} ms`)
    throw error
  } finally {
    context.work = undefined
  }
}
