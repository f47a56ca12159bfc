/** Returns the first custom section of a name as the engine finds it, which compiles the module. */
export function compiledSection(wasm: Uint8Array, name: string): Uint8Array | undefined {
  const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(wasm), name)
  return section && new Uint8Array(section)
}
