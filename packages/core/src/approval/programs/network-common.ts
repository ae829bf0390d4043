import type { Call } from '../call.js';
import type { Arg } from '../word.js';

export const localHost =
  /^(?:[a-z]+:\/\/)?(?:[^@/]*@)?(?:localhost|127(?:\.\d+){1,3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]+\.(?:localhost|test))(?:[:/?#]|$)/i;

const metadata = /169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|\[?fd00:ec2::254\]?|metadata\.azure\.com/i;

/** Punycode, mixed scripts and user parts hide where an address leads. */
const misleading = /:\/\/[^/]*(?:xn--|[^\x20-\x7e])|:\/\/[\w.-]+\.\w+@/i;

export function judgeAddress(call: Call, address: string): void {
  if (metadata.test(address))
    call.report('secret.cloud-metadata', 'credentials', 'It asks the cloud for the credentials of this machine.', { durable: false });
  if (misleading.test(address))
    call.report('net.misleading-address', 'network', 'The address is written so that it looks like another one.');
}

/** Data leaves the machine: asked about when it is secret, or a file that goes to another machine. */
export function uploads(call: Call, from: Arg | 'stdin', to: string): void {
  const local = localHost.test(to);
  if (from === 'stdin') {
    const sources = call.stdin?.sources;
    if (sources?.has('secret')) call.report('exfil.secret', 'credentials', 'It sends secrets over the network.', { durable: false });
    else if (!local && (sources?.has('file') || sources?.has('unknown')))
      call.report('exfil.upload', 'network', 'It sends data of this machine to another one.');
    return;
  }
  if (!call.reads(from) && !local) call.report('exfil.upload', 'network', `It sends ${from.text} to another machine.`);
}
