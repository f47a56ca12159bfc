// A package without types of its own, as far as it is used here.
declare module '@digitalbazaar/did-method-jwk' {
  import type { JsonObject } from '../../formats/json.js'

  export class DidJwkDriver {
    get(options: { did: string }): Promise<JsonObject>
  }
}
