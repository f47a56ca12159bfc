export type { Config } from './config.js'
export { initialise, rotateMasterKey } from './setup.js'
export { openSigner, type Signer } from './signer.js'
