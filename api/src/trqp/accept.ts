const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** The ranges of an Accept header with their qualities (RFC 9110, 12.5.1); what is malformed is not accepted. */
function rangesOf(accept: string): Map<string, number> {
  const ranges = accept.split(',').map((part): [string, number] => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    return [range, QUALITY.test(quality) ? Number(quality) : 0]
  })
  return new Map(ranges)
}

export interface Wanted {
  /** The signed form is named, and wanted no less than JSON. */
  signed: boolean
  /** JSON would do. */
  json: boolean
}

/** JSON is the default: only a caller who names the signed form, and prefers JSON to it no more, gets it. */
export function wantedForms(accept: string | undefined): Wanted {
  const ranges = rangesOf(accept ?? '*/*')
  const signed = ranges.get('application/jwt') ?? 0
  const json = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0
  return { signed: signed > 0 && signed >= json, json: json > 0 }
}
