import { backendBuild } from '../../tsup.shared.js';

export default backendBuild({ external: ['@lydell/node-pty'] });
