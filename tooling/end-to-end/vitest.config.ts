import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.js';

// A release and installations from it take their time; none of it is measured.
export default mergeConfig(shared, { test: { globalSetup: ['test/support/release.ts'], testTimeout: 240_000, hookTimeout: 600_000 } });
