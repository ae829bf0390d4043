import { type Animal, breakBackend } from '../animal.js';

export const optionAnimals: readonly Animal[] = [
  {
    name: 'has an option that does not say what it is',
    caughtBy: 'options.described',
    breakIt: breakBackend(({ options }) => {
      const input = () => ({
        properties: { workdir: { type: 'string', description: 'where commands start' }, level: { type: 'integer' } },
      });
      const standard = { ...options['~standard'], jsonSchema: { input } };
      return { options: { '~standard': standard } };
    }),
  },
  {
    name: 'has an option inside another that does not say what it is',
    caughtBy: 'options.described',
    breakIt: breakBackend(({ options }) => {
      const allow = { type: 'object', properties: { domains: { type: 'array' } } };
      const network = { anyOf: [{ enum: ['open', 'none'] }, allow], description: 'what commands may reach' };
      const standard = { ...options['~standard'], jsonSchema: { input: () => ({ properties: { network } }) } };
      return { options: { '~standard': standard } };
    }),
  },
];
