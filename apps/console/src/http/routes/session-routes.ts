import { type GroupSeat, PROTOCOL_VERSION } from '@weir/protocol';
import type { ConsoleContext } from '../../actions/context.ts';
import { logIn } from '../../actions/log-in.ts';
import { logOut } from '../../actions/log-out.ts';
import { personOf, type Handlers } from '../call.ts';

/** Liveness, product facts, login and logout. */
export function sessionRoutes(
  context: ConsoleContext,
  product: { version: string; startedAtSteadyMs: number; seat?: () => GroupSeat },
): Pick<Handlers, 'health' | 'info' | 'login' | 'session' | 'logout'> {
  return {
    health: () => ({
      status: 'ok',
      uptimeMs: Math.max(0, context.clock.steadyMs() - product.startedAtSteadyMs),
      ...(product.seat === undefined ? {} : { group: product.seat() }),
    }),
    info: () => ({
      product: 'Weir',
      version: product.version,
      protocolVersion: PROTOCOL_VERSION,
      windowSeconds: context.limits.windowSeconds,
    }),
    async login({ body, address, cookie }) {
      const { view, token, maxAgeSeconds } = await logIn(context, body, address);
      cookie.set(token, maxAgeSeconds);
      return view;
    },
    session(call) {
      const { username, role } = personOf(call);
      return { username, role };
    },
    async logout(call) {
      const { token, username } = personOf(call);
      await logOut(context, token, username);
      call.cookie.clear();
      return {};
    },
  };
}
