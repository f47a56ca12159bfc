const PAGE_BYTES = 65_536
/** The memory above the runtime's own data at its start; a runtime that needs more is refused when it is loaded. */
const FIRST_PAGES = 64
const MOST_BYTES = 512 * 1024 * 1024

/** The size class stands before each piece. */
const HEADER_BYTES = 8
const LEAST_BYTES = 8
/** The pieces have 8 bytes to 32 MiB. */
const CLASSES = 23

/** The memory of a running runtime, whose host owns the heap in it: pieces of powers of two, used again when freed. */
export class Heap {
  readonly memory = new WebAssembly.Memory({ initial: FIRST_PAGES })
  #bytes: Buffer = Buffer.from(this.memory.buffer)
  #base = 0
  #top = 0
  #free: number[][] = []

  /** Forgets every piece: a runtime counts on a memory of zeros. `base` is where its own data ends. */
  begin(base: number): void {
    this.bytes.fill(0, this.#base, this.#top)
    this.#base = Math.ceil(base / LEAST_BYTES) * LEAST_BYTES
    this.#top = this.#base
    this.#free = Array.from({ length: CLASSES }, () => [])
  }

  get bytes(): Buffer {
    // A buffer whose memory has grown is empty.
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.memory.buffer)
    return this.#bytes
  }

  allocate(size: number): number {
    const sizeClass = size <= LEAST_BYTES ? 0 : 32 - Math.clz32((size - 1) >>> 3)
    const freed = this.#free[sizeClass]
    if (freed === undefined) throw new RangeError(`the runtime asked for ${size} bytes at once`)
    const known = freed.pop()
    if (known !== undefined) return known
    const piece = this.#top + HEADER_BYTES
    this.#growTo(piece + (LEAST_BYTES << sizeClass))
    this.bytes.writeUInt32LE(sizeClass, piece - HEADER_BYTES)
    return piece
  }

  free(piece: number): void {
    const sizeClass = piece > this.#base ? this.bytes.readUInt32LE(piece - HEADER_BYTES) : CLASSES
    const freed = this.#free[sizeClass]
    if (freed === undefined) throw new RangeError('the runtime freed what was not its own')
    freed.push(piece)
  }

  #growTo(top: number): void {
    if (top > MOST_BYTES) throw new RangeError(`the runtime asked for more than ${MOST_BYTES} bytes`)
    const missing = top - this.bytes.length
    if (missing > 0) {
      this.memory.grow(Math.max(Math.ceil(missing / PAGE_BYTES), FIRST_PAGES))
    }
    this.#top = top
  }
}
