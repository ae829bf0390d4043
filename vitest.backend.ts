import { mergeConfig } from 'vitest/config';
import shared from './vitest.shared.js';

/** The test files of one backend share its place, and the suite asserts the contract's bounds in milliseconds: they run in turn. */
export default mergeConfig(shared, { test: { fileParallelism: false } });
