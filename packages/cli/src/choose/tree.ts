import type { Suits } from '@petasos/core';

/** One question of the decision tree. */
export interface Question {
  readonly text: string;
  readonly answers: readonly Answer[];
}

export interface Answer {
  /** What a script gives. */
  readonly word: string;
  readonly label: string;
  /** Why it leads there: the end of a sentence that starts with "because". */
  readonly because: string;
  readonly leadsTo: Question | Suits;
}

/** Which place, by what the work needs. It names needs and no backend: each backend says itself which it suits. */
export const decisionTree: Question = {
  text: 'Where does the work belong?',
  answers: [
    {
      word: 'here',
      label: 'On this machine',
      because: 'the work belongs on this machine',
      leadsTo: {
        text: 'Would it hurt if a command ruined this machine, or read what is on it?',
        answers: [
          {
            word: 'yes',
            label: 'Yes',
            because: 'it would hurt if a command ruined it',
            leadsTo: {
              text: 'Is it a shared machine or a cluster, where you have no root?',
              answers: [
                { word: 'no', label: 'No', because: 'the machine is yours to run containers on', leadsTo: 'isolated' },
                { word: 'yes', label: 'Yes', because: 'containers there must work without root', leadsTo: 'cluster' },
              ],
            },
          },
          { word: 'no', label: 'No, it may be lost', because: 'the machine may be lost', leadsTo: 'unguarded' },
        ],
      },
    },
    { word: 'there', label: 'On another machine of mine', because: 'the work belongs to another machine', leadsTo: 'elsewhere' },
    {
      word: 'cluster',
      label: 'On a cluster (SLURM, no root)',
      because: 'it is a cluster, and containers there must work without root',
      leadsTo: 'cluster',
    },
    {
      word: 'cloud',
      label: 'In the cloud, paid by use',
      because: 'the work goes to the cloud',
      leadsTo: {
        text: 'What is it like?',
        answers: [
          { word: 'bursts', label: 'Bursts, many at once, perhaps with GPUs', because: 'it comes in bursts', leadsTo: 'bursts' },
          {
            word: 'long',
            label: 'An environment that lives for weeks and rests in between',
            because: 'its environment must live for long',
            leadsTo: 'long-lived',
          },
          { word: 'javascript', label: 'JavaScript, close to production', because: 'it is JavaScript', leadsTo: 'javascript' },
        ],
      },
    },
  ],
};

/** Every way through the tree, as the words of a script. */
export function everyWay(question: Question = decisionTree): readonly (readonly string[])[] {
  return question.answers.flatMap(({ word, leadsTo }) =>
    typeof leadsTo === 'string' ? [[word]] : everyWay(leadsTo).map((words) => [word, ...words]),
  );
}
