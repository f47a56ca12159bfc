export function forgetJoined(): void
export function isBundled(): boolean
