// Crosspoint in front of a simulated agent.v1 backend.
import { startBenchGateway } from './start-bench-gateway.ts';

await startBenchGateway({
  cursor: { kind: 'cursor-agent', baseUrl: process.argv[2] ?? '', accessToken: 'bench', models: ['m'] },
});
