import type { Served } from '../platform/http/operation.js'
import { createDid } from './create-did.js'
import { type BeforeDidEnds, deleteDid } from './delete-did.js'
import { getDid } from './get-did.js'
import { getDidMetadata } from './get-did-metadata.js'
import { listDids } from './list-dids.js'
import { registerResolver, resolveDidDescription } from './resolution/resolve-did.js'
import { rotateDid } from './rotate-did.js'
import { exportDid } from './wallet/export-did.js'
import { importDid, importDidDocument } from './wallet/import-did.js'

const nothing: BeforeDidEnds = { prepare: async () => undefined, check: async () => undefined }

/** @param before what other capabilities do before a DID ends */
export const didsWith = (before: BeforeDidEnds): Served => ({
  operations: [
    listDids,
    createDid,
    getDid,
    getDidMetadata,
    rotateDid,
    deleteDid(before),
    exportDid,
    importDid,
    importDidDocument,
  ],
  described: [resolveDidDescription],
  register: async (app, environment) => registerResolver(app, environment),
})

export const dids = didsWith(nothing)
