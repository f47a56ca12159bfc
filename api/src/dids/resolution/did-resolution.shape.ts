import { type TSchema, Type } from 'typebox'
import { DidDocumentMetadata, documentMembers } from '../did.shape.js'

const Document = Type.Object(documentMembers)
/** A key or a service. */
const Part = Type.Object(
  {
    '@context': documentMembers['@context'],
    id: Type.String({ description: 'Its DID URL' }),
    type: Type.String({ description: 'The kind of problem' }),
  },
  { additionalProperties: true, description: 'A key or a service of the document, with the contexts of that' },
)

const contentType = Type.Optional(
  Type.String({ description: 'The media type of the content by itself; absent with an error' }),
)
const CoreMetadata = Type.Object({
  contentType,
  error: Type.Optional(Type.String({ description: 'Why there is none', examples: ['notFound'] })),
  errorMessage: Type.Optional(Type.String({ description: 'The same for people' })),
})
const NewerMetadata = Type.Object({
  contentType,
  error: Type.Optional(
    Type.Object(
      {
        type: Type.String({ description: 'The kind of error', examples: ['https://www.w3.org/ns/did#NOT_FOUND'] }),
        title: Type.String({ description: 'The same in words' }),
        detail: Type.String({ description: 'The reason this time' }),
      },
      { description: 'Why there is none' },
    ),
  ),
})
const context = { '@context': Type.String({ description: 'The context of DID resolution' }) }

const described = (schema: TSchema, description: string): TSchema => ({ ...schema, description })
const ofVersion = described(DidDocumentMetadata, 'Of the version that is shown')

const resultWith = (document: TSchema, metadata: TSchema) => ({
  didDocument: described(document, 'The document; null where there is none'),
  didResolutionMetadata: described(metadata, 'The course of the resolution'),
  didDocumentMetadata: ofVersion,
})
const dereferencedWith = (content: TSchema, metadata: TSchema) => ({
  dereferencingMetadata: described(metadata, 'The course of the resolution'),
  contentStream: described(content, 'The part that the DID URL points to; null where there is none'),
  contentMetadata: ofVersion,
})

/** The four forms of a whole result, with or without a document, by their media types. */
const results = (document: TSchema, content: TSchema) => {
  const core = Type.Object({ ...context, ...resultWith(document, CoreMetadata) })
  const coreOfUrl = Type.Object({ ...context, ...dereferencedWith(content, CoreMetadata) })
  return {
    'application/ld+json;profile="https://w3id.org/did-resolution"': core,
    'application/did-resolution': Type.Object(resultWith(document, NewerMetadata)),
    'application/json': Type.Union([core, coreOfUrl]),
    'application/ld+json;profile="https://w3id.org/did-url-dereferencing"': coreOfUrl,
    'application/did-url-dereferencing': Type.Object(dereferencedWith(content, NewerMetadata)),
  }
}

const found = results(Document, Type.Union([Part, Document]))
const none = results(Type.Null(), Type.Null())

export const resolutionResult = found['application/json']

/** The answers of the resolver, by status and media type. Other errors have the form that they have everywhere. */
export const resolutionAnswers: Readonly<Record<number, Readonly<Record<string, TSchema>>>> = {
  200: {
    ...found,
    'application/did+ld+json': Type.Union([Document, Part]),
    'application/did+json': Type.Union([Document, Part]),
    'application/did': Type.Union([Document, Part]),
  },
  ...Object.fromEntries([400, 404, 406, 410, 501].map((status) => [status, none])),
}
