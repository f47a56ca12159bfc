import { asArray, type Json } from '../json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from './contexts/known-contexts.js'

/** The generations of W3C's data model of credentials. */
export type DataModel = '1.1' | '2.0'

/** The context that stands first in every document of a data model. */
export const FIRST_CONTEXT: Readonly<Record<DataModel, string>> = { '1.1': CREDENTIALS_V1, '2.0': CREDENTIALS_V2 }

/** The data model of a document by its `@context`, or of a request by its contexts: 1.1 where none says 2.0. */
export const dataModelOf = (context: Json | undefined): DataModel =>
  asArray(context)[0] === CREDENTIALS_V2 ? '2.0' : '1.1'
