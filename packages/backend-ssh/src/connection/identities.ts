import { type AskSecret, isPetasosError, type PetasosError } from '@petasos/core/backend';
import type { BaseAgent, IdentityCallback, ParsedKey, SignCallback, SigningRequestOptions } from 'ssh2';
import { type FileKey, missingKey, readKeyFile } from './private-key.js';
import type { SshTarget } from './target.js';

/** Everything that can prove who the user is, in the order in which it is offered. */
export interface Identities {
  /** Speaks for all of them; a passphrase is asked for only when a server would accept the key. */
  readonly agent: BaseAgent<ParsedKey>;
  readonly count: number;
  /** What could not be used, for the message when nothing else was accepted. */
  readonly problems: readonly PetasosError[];
}

interface Identity {
  readonly publicKey: ParsedKey;
  sign(data: Buffer, options: SigningRequestOptions): Promise<Buffer>;
}

export async function loadIdentities(target: SshTarget, askSecret: AskSecret | undefined): Promise<Identities> {
  const problems: PetasosError[] = [];
  const note = (error: unknown) => {
    if (!isPetasosError(error)) throw error;
    problems.push(error);
    return undefined;
  };
  const read = async (file: string) => {
    const key = await readKeyFile(file, askSecret);
    if (key === undefined && target.identitiesNamed) problems.push(missingKey(file));
    return key;
  };
  const files = await Promise.all(target.identityFiles.map((file) => read(file).catch(note)));
  const named = files.filter((key) => key !== undefined);
  const held = target.agent === undefined ? [] : await agentIdentities(target.agent);
  const isNamed = ({ publicKey }: Identity) => named.some((key) => key.publicKey.equals(publicKey));
  // An agent that holds a named key spares the passphrase; keys that nobody named come last, or first where none was named at all.
  const ofFiles = named.map((key) => held.find((one) => one.publicKey.equals(key.publicKey)) ?? ofFile(key, note));
  const others = target.identitiesOnly ? [] : held.filter((one) => !isNamed(one));
  const all = target.identitiesNamed ? [...ofFiles, ...others] : [...others, ...ofFiles];
  return { agent: await combine(all), count: all.length, problems };
}

function ofFile(key: FileKey, note: (error: unknown) => undefined): Identity {
  return {
    publicKey: key.publicKey,
    async sign(data, { hash }) {
      const opened = await key.unlock().catch((error: unknown) => {
        note(error);
        throw error;
      });
      const signature: unknown = opened.sign(data, hash);
      if (signature instanceof Error) throw signature;
      return signature as Buffer;
    },
  };
}

/** An agent that does not answer has no keys: ssh goes on without it as well. */
async function agentIdentities(socket: string): Promise<readonly Identity[]> {
  const { default: ssh2 } = await import('ssh2');
  const agent = new ssh2.OpenSSHAgent(socket);
  const keys = await new Promise<readonly ParsedKey[]>((resolve) => {
    agent.getIdentities((error, found) => resolve(error ? [] : (found ?? []).filter((key) => 'getPublicSSH' in key)));
  });
  return keys.map((publicKey) => ({
    publicKey,
    sign: (data, options) =>
      new Promise((resolve, reject) => {
        agent.sign(publicKey, data, options, (error, signature) =>
          signature ? resolve(signature) : reject(error ?? new Error('no signature')),
        );
      }),
  }));
}

async function combine(identities: readonly Identity[]): Promise<BaseAgent<ParsedKey>> {
  const { default: ssh2 } = await import('ssh2');
  class Combined extends ssh2.BaseAgent<ParsedKey> {
    getIdentities(callback: IdentityCallback<ParsedKey>): void {
      callback(
        null,
        identities.map(({ publicKey }) => publicKey),
      );
    }

    sign(publicKey: ParsedKey, data: Buffer, options: SigningRequestOptions | SignCallback, callback?: SignCallback): void {
      const done = typeof options === 'function' ? options : callback;
      const settings = typeof options === 'function' ? {} : options;
      const identity = identities.find((one) => one.publicKey.equals(publicKey));
      if (identity === undefined) done?.(new Error('an unknown key was to sign'));
      else
        identity.sign(data, settings).then(
          (signature) => done?.(null, signature),
          (error: Error) => done?.(error),
        );
    }
  }
  return new Combined();
}
