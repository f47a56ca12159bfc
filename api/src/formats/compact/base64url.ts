/**
 * Decodes base64url without padding (RFC 7515, section 2); undefined for a text that is not the one form of its bytes.
 */
export function bytesOfBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

export const base64UrlOf = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')
