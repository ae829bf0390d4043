import { once } from 'node:events';
import { connect } from 'node:net';

/** The first words of whoever answers at `host:port`. */
export async function greeting(address: string): Promise<string> {
  const [host = '', port = ''] = address.split(':');
  const socket = connect({ host, port: Number(port) });
  try {
    const [data] = (await once(socket, 'data')) as [Buffer];
    return data.toString('latin1');
  } finally {
    socket.destroy();
  }
}
