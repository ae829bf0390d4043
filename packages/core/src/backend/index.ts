/** What more than one backend of a cloud needs. */

export * from './call-process.js';
export * from './credentials.js';
export * from './lifetime.js';
export * from './load-sdk.js';
export * from './price.js';
export * from './recorded-calls.js';
export * from './retry.js';
