/** What more than one backend needs. */

export * from './call-process.js';
export * from './credentials.js';
export * from './lifetime.js';
export * from './load-sdk.js';
export * from './price.js';
export * from './pty-terminal.js';
export * from './recorded-calls.js';
export * from './retry.js';
