import type { Animal } from '../animal.js';

/** Every animal, by concern. */
export const animals: readonly Animal[] = [];
