/** W3C's vocabularies, as IRIs begin. */
export const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
export const SECURITY = 'https://w3id.org/security#'
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
export const XSD = 'http://www.w3.org/2001/XMLSchema#'
/** The datatypes of texts with a direction: https://www.w3.org/TR/json-ld11/#the-i18n-namespace */
export const I18N = 'https://www.w3.org/ns/i18n#'
export const STATUS = 'https://www.w3.org/ns/credentials/status#'
