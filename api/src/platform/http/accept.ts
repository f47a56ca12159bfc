/** The media type for browsers. */
export const HTML = 'text/html'

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** The ranges of an Accept header with their qualities (RFC 9110, 12.5.1); malformed ones are not accepted. */
function rangesOf(accept: string): Map<string, number> {
  const ranges = accept.split(',').map((part): [string, number] => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    return [range, QUALITY.test(quality) ? Number(quality) : 0]
  })
  return new Map(ranges)
}

/** Tells whether the client is a browser, rather than a program. */
export const wantsPage = (accept: string | undefined): boolean => wantedForm(accept, [HTML]).named === HTML

export interface Wanted<Form extends string> {
  /** The most wanted of the other forms: one that is named, and wanted no less than JSON. */
  named: Form | undefined
  /** JSON would do. */
  json: boolean
}

/** JSON is the default: only a caller who names another form, and does not prefer JSON to it, gets that form. */
export function wantedForm<Form extends string>(accept: string | undefined, forms: readonly Form[]): Wanted<Form> {
  const ranges = rangesOf(accept ?? '*/*')
  const json = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0
  const quality = (form: Form): number => ranges.get(form) ?? 0
  const [named] = forms
    .filter((form) => quality(form) > 0 && quality(form) >= json)
    .sort((a, b) => quality(b) - quality(a))
  return { named, json: json > 0 }
}
