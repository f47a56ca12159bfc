// A package without types of its own, as far as it is used here.
declare module '@digitalbazaar/did-method-jwk' {
  type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

  export class DidJwkDriver {
    get(options: { did: string }): Promise<{ [key: string]: Json }>
  }
}
