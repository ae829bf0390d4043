import path from 'node:path';
import type { EmulatedService, EmulatorContext, EmulatorLayer } from '../core/emulator.js';
import { Account } from './account.js';
import { commandRouter } from './command-router.js';
import { ConnectProxy } from './connect-proxy.js';
import { controlPlane } from './control-plane.js';
import { goodDay, type ModalKnobs } from './knobs.js';
import { descriptions, ended } from './messages.js';
import type { ModalSandbox } from './sandbox.js';
import { Tokens } from './tokens.js';
import { serveGrpc } from './wire/grpc-server.js';
import { Codec } from './wire/protobuf.js';
import { code, GrpcProblem } from './wire/status.js';

const tokenId = 'ak-emulated';
const tokenSecret = 'as-emulated';

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

/** Modal's gRPC services for sandboxes, control plane and command router on one port, with ids of both versions. */
const modal: EmulatorLayer<ModalKnobs> = {
  name: 'modal',
  knobs: goodDay,
  async start(context: EmulatorContext<ModalKnobs>): Promise<EmulatedService> {
    const codec = new Codec(descriptions);
    const account = new Account(context);
    const authTokens = new Tokens();
    const routerTokens = new Tokens();
    const connectTokens = new Tokens();
    const proxy = await ConnectProxy.start();
    let port = 0;
    const methods = new Map([
      ...controlPlane({
        context,
        account,
        codec,
        authTokens,
        routerTokens,
        // The SDK takes no other scheme for it, and dials loopback without encryption.
        routerUrl: () => `https://127.0.0.1:${port}`,
        connect(sandbox, to) {
          const token = connectTokens.give(sandbox.id, 3600);
          proxy.allow(token, to);
          return { url: proxy.url, token };
        },
      }),
      ...commandRouter(context, account),
    ]);
    const server = await serveGrpc({
      codec,
      requests: context.requests,
      faults: context.faults,
      methods,
      authorize(call, headers) {
        if (call.startsWith('/modal.task_command_router.')) {
          routerTokens.require(/^Bearer (.+)$/.exec(one(headers.authorization) ?? '')?.[1]);
          return;
        }
        if (one(headers['x-modal-token-id']) !== tokenId || one(headers['x-modal-token-secret']) !== tokenSecret)
          throw new GrpcProblem(code.unauthenticated, 'Token missing or invalid');
        if (!call.endsWith('/AuthTokenGet')) authTokens.require(one(headers['x-modal-auth-token']));
      },
    });
    port = server.port;
    const url = `http://127.0.0.1:${port}`;
    const config = path.join(await account.store.directory(), 'none', 'modal.toml');
    const acts: Readonly<Record<string, (sandbox: ModalSandbox) => unknown>> = {
      expire: (sandbox) => sandbox.finish({ status: ended.timeout }),
      idle: (sandbox) => sandbox.finish({ status: ended.idleTimeout }),
      terminate: (sandbox) => sandbox.finish({ status: ended.terminated }),
      vanish: (sandbox) => account.vanish(sandbox),
      'lose-snapshot': (sandbox) => {
        sandbox.snapshotFailure = 'the snapshot took too long';
      },
    };
    return {
      url,
      env: { MODAL_SERVER_URL: url, MODAL_TOKEN_ID: tokenId, MODAL_TOKEN_SECRET: tokenSecret, MODAL_CONFIG_PATH: config },
      state: () => ({
        boxes: account.running().map((sandbox) => ({
          id: sandbox.id,
          name: sandbox.name ?? '',
          state: 'running',
          labels: Object.fromEntries(sandbox.tags.map(({ tagName = '', tagValue = '' }) => [tagName, tagValue])),
          processes: sandbox.spec.box.running,
        })),
        snapshots: account.store.snapshots().map(({ id, name, origin }) => ({ id, name, origin })),
      }),
      async act(action, box) {
        if (action === 'cut') return server.cut();
        if (action === 'revoke-router-tokens') return routerTokens.revoke();
        if (action === 'reset-limit') return account.resetLimit();
        const act = acts[action];
        if (act === undefined) throw new Error(`Modal's emulator cannot ${action}`);
        await act(account.pick(box));
      },
      async close() {
        await server.close();
        await proxy.close();
        await account.close();
      },
    };
  },
};

export default modal;
