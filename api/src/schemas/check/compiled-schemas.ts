/** The bytes of schemas as text: a compiled one takes some sixty times as much memory. */
const most = { schemas: 500, bytes: 1_048_576 } as const

/** The schemas compiled last, by the digest of their text; the one unused for longest goes first. */
export class CompiledSchemas<Compiled> {
  private readonly kept = new Map<string, { compiled: Compiled; bytes: number }>()
  private bytes = 0

  constructor(private readonly bounds: { schemas: number; bytes: number } = most) {}

  get(digest: string): Compiled | undefined {
    const found = this.kept.get(digest)
    if (found === undefined) return undefined
    this.kept.delete(digest)
    this.kept.set(digest, found)
    return found.compiled
  }

  keep(digest: string, compiled: Compiled, bytes: number): void {
    this.forget(digest)
    this.kept.set(digest, { compiled, bytes })
    this.bytes += bytes
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.bounds.schemas && this.bytes <= this.bounds.bytes) return
      this.forget(oldest)
    }
  }

  private forget(digest: string): void {
    this.bytes -= this.kept.get(digest)?.bytes ?? 0
    this.kept.delete(digest)
  }
}
