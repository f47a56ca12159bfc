export type { Config } from './config.js'
export { initialise, restoreMasterKey, rotateMasterKey } from './setup.js'
export { openSigner, type Signer } from './signer.js'
