import { readSection } from '../../config/read-section.ts';
import { type PolicyConfig, policySchema } from './policy-schema.ts';

/** The `policy` section of a configuration; every problem names its key. `source` is the file it stands in. */
export function readPolicySection(section: unknown, source?: string): PolicyConfig {
  return readSection('policy', policySchema, section, source);
}
