import { type OptionField, optionFields } from '../../contract/index.js';
import { equal } from '../expect.js';
import { scenarios } from '../scenario.js';

/** Paths of the options that say nothing of themselves, such as `ssh.port`. */
function undescribed(fields: readonly OptionField[], path: readonly string[] = []): string[] {
  return fields.flatMap(({ name, description = '', fields: own = [] }) => {
    const here = [...path, name];
    return [...(description.trim() === '' ? [here.join('.')] : []), ...undescribed(own, here)];
  });
}

export const options = scenarios('options', [
  {
    id: 'options.described',
    title: 'every option has a description, which is what `petasos setup` asks with',
    async run({ subject, note }) {
      const fields = optionFields(subject.backend.options);
      if (fields.length === 0) note('the schema tells of no options, so that nobody can be asked for them');
      equal(undescribed(fields), [], 'options without a description');
    },
  },
]);
