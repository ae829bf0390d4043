import { backendBuild } from '../../tsup.shared.js';

export default backendBuild({ entry: { index: 'src/index.ts', connection: 'src/connection/index.ts' } });
