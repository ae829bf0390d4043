import { backendBuild } from '../../tsup.shared.js';

export default backendBuild({ external: ['modal', 'smol-toml'] });
