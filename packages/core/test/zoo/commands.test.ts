import { animals } from './animals/index.js';
import { houses } from './houses.js';
import { rejectAll } from './reject.js';

rejectAll('commands', animals.filter(houses.commands));
