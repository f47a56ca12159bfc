// The part of Node's WebAssembly that is used here, and that its types do not name.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
    static customSections(module: Module, name: string): ArrayBuffer[]
  }
  class Memory {
    constructor(limits: { initial: number })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Global {
    readonly value: unknown
  }
  type HostFunction = (...values: never[]) => unknown
  /** Everything that a runtime exports for its node returns a pointer and a length in one. */
  type ExportedFunction = (pointer: number, length: number) => bigint
  type Exports = Readonly<Record<string, ExportedFunction | Memory | Global>>
  class Instance {
    constructor(module: Module, imports: { env: Record<string, HostFunction | Memory> })
    readonly exports: Exports
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
