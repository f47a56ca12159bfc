// The part that we use of a package whose types are sources that do not compile here.
declare module '@mattrglobal/bbs-signatures/lib/wasm_module.js' {
  interface Signed {
    publicKey: Uint8Array
    signature: Uint8Array
    messages: Uint8Array[]
  }
  interface KeyPair {
    publicKey: Uint8Array
    secretKey: Uint8Array
  }
  const bbs: {
    blsVerify(request: Signed): Promise<{ verified: boolean }>
    blsSign(request: { keyPair: KeyPair; messages: Uint8Array[] }): Promise<Uint8Array>
    generateBls12381G2KeyPair(seed: Uint8Array): Promise<KeyPair>
  }
  export default bbs
}
