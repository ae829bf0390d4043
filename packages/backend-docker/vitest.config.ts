import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.js';

// The suite asserts the contract's bounds in milliseconds: three of it at once would measure each other.
export default mergeConfig(shared, { test: { fileParallelism: false } });
