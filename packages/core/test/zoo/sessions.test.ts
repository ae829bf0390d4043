import { animals } from './animals/index.js';
import { houses } from './houses.js';
import { rejectAll } from './reject.js';

rejectAll('sessions, jobs and files', animals.filter(houses.sessions));
