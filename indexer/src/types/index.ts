export * as v1 from './v1'
export * as v7 from './v7'
export * as v6 from './v6'
export * as events from './events'
