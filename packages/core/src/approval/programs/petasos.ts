import type { Program } from '../program.js';

/** Petasos itself: what decides about commands must not be changed by one of them. */
export const petasos: readonly Program[] = [
  {
    names: ['petasos'],
    options: { values: '-s --sandbox --name --cwd -e --env --timeout --idle-timeout --since' },
    rules: [
      {
        id: 'self.approvals',
        verdict: 'deny',
        reach: 'filesystem',
        when: 'approvals revoke|reset|import ...',
        unless: '--dry-run',
        reason: 'It changes what Petasos allows, which only a person may do, in a terminal of their own.',
      },
      {
        id: 'self.configuration',
        verdict: 'deny',
        reach: 'filesystem',
        when: 'config set|unset|edit|import ...',
        reason: 'It changes the configuration of Petasos, which only a person may do, in a terminal of their own.',
      },
      {
        id: 'self.configuration',
        verdict: 'deny',
        reach: 'filesystem',
        when: 'trust|plugin|setup ...',
        reason: 'It changes what Petasos trusts and loads, which only a person may do, in a terminal of their own.',
      },
      { id: 'self.destroy', reach: 'filesystem', when: 'rm|prune ...', reason: 'It destroys sandboxes with everything in them.' },
    ],
    match: [
      'petasos approvals reset',
      'petasos --sandbox docker approvals revoke 0123456789ab',
      'npx petasos approvals import settings.json',
      'petasos config set approvals.mode off',
      'petasos trust',
      'petasos plugin add x',
      'petasos rm default',
    ],
    not_match: [
      'petasos run -- npm test',
      'petasos approvals ls',
      'petasos config get sandbox',
      'petasos audit --denied',
      'petasos where',
      'petasos check "rm -rf /"',
    ],
  },
];
