// One policy from several hands: the administrator's, the user's, the repository's, and what was answered with "always".
// Restrictions add up whoever wrote them; permissions count only from those who may give them.
import { omitUndefined } from '../../core/index.ts';
import { checkExamples } from './check-examples.ts';
import type { AutoRunControls, PolicyConfig, Protections, RuleConfig, Setting } from './policy-schema.ts';
import { SETTINGS } from './policy-schema.ts';
import { compileRule, type Rule, type RuleOrigin } from './rule.ts';

export interface PolicyLayers {
  readonly user: PolicyConfig;
  readonly admin?: PolicyConfig;
  /** Rules checked into the repository; they only restrict until the user trusts the workspace. */
  readonly workspace?: { readonly policy: PolicyConfig; readonly isTrusted: boolean };
}

export interface PolicyOptions {
  readonly homeFolder: string;
}

export class Policy {
  readonly setting: Setting;
  readonly protections: Protections;
  /** Settings are the administrator's: nobody else's permissions count, and "always" is not offered. */
  readonly isLocked: boolean;
  readonly homeFolder: string;
  readonly #rules: Rule[];

  constructor(layers: PolicyLayers, options: PolicyOptions) {
    const sections = [layers.user, layers.admin, layers.workspace?.policy].filter(
      (section) => section !== undefined,
    );
    const controls = sections.map(withControls);
    this.setting = strictestSetting(controls.map((section) => section.setting));
    this.protections = unite(controls.map((section) => section.protections));
    this.homeFolder = options.homeFolder;
    const isAdminLocked = layers.admin !== undefined && withControls(layers.admin).isAdminControlled;
    this.isLocked = isAdminLocked || withControls(layers.user).isAdminControlled;
    const load = (section: PolicyConfig | undefined, origin: RuleOrigin, mayAllow: boolean) =>
      (section?.rules ?? []).flatMap((rule, index) => this.#load(rule, origin, index, mayAllow));
    this.#rules = [
      ...load(layers.admin, 'admin', true),
      ...load(layers.user, 'user', !isAdminLocked),
      ...load(layers.workspace?.policy, 'workspace', layers.workspace?.isTrusted === true && !this.isLocked),
    ];
  }

  get rules(): readonly Rule[] {
    return this.#rules;
  }

  /** Keeps the rule that an "always" answer stands for; false when the settings are locked and it may not. */
  remember(config: RuleConfig): boolean {
    if (this.isLocked && config.decision === 'allow') return false;
    this.#rules.push(...this.#load(config, 'session', this.#rules.length, true));
    return true;
  }

  #load(config: RuleConfig, origin: RuleOrigin, index: number, mayAllow: boolean): Rule[] {
    const rule = compileRule(config, { origin, index, homeFolder: this.homeFolder });
    checkExamples(rule, config, this.homeFolder);
    return rule.decision === 'allow' && !mayAllow ? [] : [rule];
  }
}

function strictestSetting(settings: readonly Setting[]): Setting {
  return SETTINGS[Math.min(...settings.map((setting) => SETTINGS.indexOf(setting)))] ?? 'always-ask';
}

/** A protection is on when anybody wants it on. */
function unite(all: readonly Protections[]): Protections {
  const isOn = (name: keyof Protections) => all.some((protections) => protections[name]);
  return {
    playwright: isOn('playwright'),
    mcpTools: isOn('mcpTools'),
    delete: isOn('delete'),
    dotFiles: isOn('dotFiles'),
    outsideWorkspace: isOn('outsideWorkspace'),
    configFiles: isOn('configFiles'),
  };
}

/** The client's own switches, where given, are the newer word on the same things. */
function withControls(section: PolicyConfig): PolicyConfig {
  const controls = section.autoRunControls;
  if (!controls) return section;
  return {
    ...section,
    setting: controls.yoloMode === true ? 'run-everything' : section.setting,
    isAdminControlled: section.isAdminControlled || controls.isAdminControlled === true,
    protections: {
      ...section.protections,
      ...omitUndefined({ playwright: controls.playwrightProtection, mcpTools: controls.mcpToolsProtection }),
    },
  };
}

/** The policy in the words of Cursor's `autoRunControls`. */
export function toAutoRunControls(policy: Policy): Required<AutoRunControls> {
  return {
    yoloMode: policy.setting === 'run-everything',
    playwrightProtection: policy.protections.playwright,
    mcpToolsProtection: policy.protections.mcpTools,
    isAdminControlled: policy.isLocked,
  };
}
