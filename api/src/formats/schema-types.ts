/** The type of schemas that are about the subject of a credential. */
export const OF_SUBJECT = 'JsonSchemaValidator2018'

/** The type of those about all of it (Verifiable Credentials JSON Schema Specification, section 2.1). */
export const OF_CREDENTIAL = 'JsonSchema'
