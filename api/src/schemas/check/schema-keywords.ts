/** Keywords of JSON Schema whose values are schemas again: a list of them, one or a list, or one for each name. */
export const keywords = {
  lists: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  singles: [
    'not',
    'if',
    'then',
    'else',
    'items',
    'additionalItems',
    'contains',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
    'propertyNames',
  ],
  maps: ['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies', 'patternProperties'],
} as const
