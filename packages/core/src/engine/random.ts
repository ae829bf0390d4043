import { randomBytes } from 'node:crypto';

/** Source of the names that must not be guessed; tests inject their own. */
export type Nonce = () => string;

/** 128 bits as 32 hexadecimal digits. */
export const randomNonce: Nonce = () => randomBytes(16).toString('hex');
