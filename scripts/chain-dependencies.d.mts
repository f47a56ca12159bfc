type Settings = Readonly<Record<string, string>>
export function takeDependencies(chain: string, settings: Settings): Promise<void>
export function keepDependencies(chain: string, settings: Settings): Promise<void>
