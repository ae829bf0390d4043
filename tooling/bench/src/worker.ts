import { places } from './places.js';

const [place = '', id = '', effort] = process.argv.slice(2);
const { rows = [], curves = [] } = places[place] ?? {};
const task = [...rows, ...curves].find((candidate) => candidate.id === id);
if (task === undefined) throw new Error(`nothing called ${id} is measured on ${place}`);
const result = await task.run(effort === 'quick' ? 'quick' : 'full');
process.send?.(result, () => process.disconnect?.());
