import { data } from '../flow.js';
import type { Rule } from '../program.js';

export const rule = (id: string, reason: string, more: Partial<Rule>): Rule => ({
  id: `platform.${id}`,
  reach: 'remote-service',
  reason,
  ...more,
});

export const secretValue = data(undefined, 'secret');

/** Verbs that throw something away, for programs that speak to a service. */
export const destroys =
  'delete|destroy|remove|rm|purge|unregister|terminate|drop|wipe|reset|revoke|disable|deactivate|unpublish|uninstall|clear|flush|delete-*|destroy-*|remove-*|purge-*|*-delete|*:delete|*:destroy|*:remove|*:reset|*:purge|*:wipe|*:drop|*:unset|*:kill|*:stop|nuke|erase|del|suspend|stop|cancel|archive|rollback|unset|kill|detach|deregister|flushall|shutdown|truncate|transfer';
