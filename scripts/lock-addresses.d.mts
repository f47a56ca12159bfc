export function withAddresses(text: string): string
