export { createDemoUpstream, type DemoOptions, demoUpstream } from './upstream.ts';
