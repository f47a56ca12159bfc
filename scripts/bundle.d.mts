export function isBundled(): boolean
