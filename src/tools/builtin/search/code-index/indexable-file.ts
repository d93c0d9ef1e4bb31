import { languageOf } from '../../code/languages.ts';

/** Text worth finding by meaning that has no grammar here. */
const TEXT_EXTENSIONS = new Set(
  '.md .mdx .rst .txt .adoc .json .jsonc .yaml .yml .toml .xml .html .htm .vue .svelte .astro .scss .sass .less .sql .proto .graphql .gql .kt .kts .swift .scala .groovy .gradle .lua .pl .pm .r .jl .dart .ex .exs .erl .hs .ml .mli .clj .cljs .fs .fsx .vb .m .mm .zig .nim .tf .hcl .cmake .mk .dockerfile .bicep .sol .asm .s .el .vim .fish .nix .ipynb'.split(
    ' ',
  ),
);
const NAMES = new Set([
  'dockerfile',
  'makefile',
  'rakefile',
  'gemfile',
  'jenkinsfile',
  'procfile',
  'vagrantfile',
  'readme',
  'license',
]);
/** Written by machines for machines. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|composer\.lock|cargo\.lock)$|\.min\.(?:js|css)$|\.map$/i;

export function isIndexable(file: string): boolean {
  const posix = file.replaceAll('\\', '/');
  if (GENERATED.test(posix)) return false;
  const name = posix.slice(posix.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return (
    NAMES.has(name) || languageOf(name) !== undefined || (dot !== -1 && TEXT_EXTENSIONS.has(name.slice(dot)))
  );
}
