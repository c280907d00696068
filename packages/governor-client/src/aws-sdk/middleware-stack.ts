/*
 * The parts of the SDK's types that the plugin needs. Declared here so that this package does not depend on the SDK. All of
 * 3.x has a stack with these two methods; tested is the version that this package names for development.
 */

export type Handler<Arguments, Result> = (args: Arguments) => Promise<Result>;

/** Wraps the rest of a command's way. `context` belongs to the command, or to all of its kind (`cacheMiddleware`). */
export type Middleware = <Arguments, Result>(
  next: Handler<Arguments, Result>,
  context: object,
) => Handler<Arguments, Result>;

export interface MiddlewareStack {
  add(middleware: Middleware, options: { step: 'initialize'; name: string; override: boolean }): void;
  addRelativeTo(
    middleware: Middleware,
    options: { relation: 'before'; toMiddleware: string; name: string; override: boolean },
  ): void;
}

/** What `client.middlewareStack.use` takes. */
export interface ClientPlugin {
  applyToStack: (stack: MiddlewareStack) => void;
}
