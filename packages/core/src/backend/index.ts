/** What more than one backend of a cloud needs. */
export * from './credentials.js';
export * from './lifetime.js';
export * from './load-sdk.js';
export * from './price.js';
export * from './retry.js';
