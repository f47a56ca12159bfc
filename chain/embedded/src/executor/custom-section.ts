/** The magic number and the version that every module begins with (WebAssembly 1, 5.5.16). */
const PREAMBLE = Buffer.from('0061736d01000000', 'hex')
const CUSTOM = 0
/** The most bytes of a number of 32 bits in LEB128. */
const MOST_LEB_BYTES = 5
/** A runtime has some fifteen. */
const MOST_SECTIONS = 1_000

/**
 * Returns the content of the first custom section of this name; undefined where there is none. Each section is stepped
 * over by its size, whatever is in it.
 *
 * @throws Error where the bytes are no module, a section ends beyond them, or there are more than 1,000
 */
export function customSection(wasm: Uint8Array, name: string): Uint8Array | undefined {
  if (!PREAMBLE.equals(wasm.subarray(0, PREAMBLE.length))) throw new Error('it is no WebAssembly module')
  const wanted = Buffer.from(name)
  let at = PREAMBLE.length
  for (let read = 0; at < wasm.length; read += 1) {
    if (read === MOST_SECTIONS) throw new Error(`it has more than ${MOST_SECTIONS} sections`)
    const id = wasm[at]
    const section = counted(wasm, at + 1)
    if (id === CUSTOM) {
      const named = counted(section, 0)
      if (wanted.equals(named)) return section.subarray(named.byteOffset - section.byteOffset + named.length)
    }
    at = section.byteOffset - wasm.byteOffset + section.length
  }
  return undefined
}

/** Returns the bytes behind a length in LEB128 that begins here. */
function counted(bytes: Uint8Array, begin: number): Uint8Array {
  let length = 0
  for (let read = 0; read < MOST_LEB_BYTES; read += 1) {
    const byte = bytes[begin + read]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * read)
    if (byte >= 0x80) continue
    const start = begin + read + 1
    if (start + length > bytes.length) break
    return bytes.subarray(start, start + length)
  }
  throw new Error('a section of its WebAssembly ends beyond it')
}
