export { NativeDrain } from './native-drain.ts';
export { NATIVE_LIMITS, type NativeLimits, type NativeRoutesOptions } from './native-options.ts';
export { createNativeRoutes } from './native-routes.ts';
export { createUnknownServiceHandler } from './unknown-calls.ts';
