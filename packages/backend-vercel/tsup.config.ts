import { backendBuild } from '../../tsup.shared.js';

export default backendBuild({ external: ['@vercel/sandbox', 'ws'] });
