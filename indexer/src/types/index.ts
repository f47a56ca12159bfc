export * as v1 from './v1'
export * as events from './events'
