import { backendBuild } from '../../tsup.shared.js';

export default backendBuild({ external: ['@daytona/sdk'] });
