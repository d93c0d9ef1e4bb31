// What each shipped tree-sitter grammar calls a definition: one small query per language, each pattern with the name as
// `@name` and the whole definition under its kind. Node names are the grammars' own (@vscode/tree-sitter-wasm 0.3).
// The `regex` grammar is left out: a regular expression defines nothing.

export interface LanguageRow {
  readonly id: string;
  /** The stem of the grammar's file. */
  readonly grammar: string;
  readonly extensions: readonly string[];
  readonly query: string;
}

const SCRIPT = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (_)) @constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: (_)) @constant)))
`;

const TYPED_SCRIPT = `${SCRIPT}
(function_signature name: (_) @name) @function
(abstract_class_declaration name: (_) @name) @class
(abstract_method_signature name: (_) @name) @method
(method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: (arrow_function)) @method
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
`;

const JAVASCRIPT = `${SCRIPT}
(field_definition property: (_) @name value: (arrow_function)) @method
`;

export const LANGUAGES: readonly LanguageRow[] = [
  { id: 'typescript', grammar: 'typescript', extensions: ['.ts', '.mts', '.cts'], query: TYPED_SCRIPT },
  { id: 'typescriptreact', grammar: 'tsx', extensions: ['.tsx'], query: TYPED_SCRIPT },
  { id: 'javascript', grammar: 'javascript', extensions: ['.js', '.mjs', '.cjs', '.jsx'], query: JAVASCRIPT },
  {
    id: 'python',
    grammar: 'python',
    extensions: ['.py', '.pyi'],
    query: `
(class_definition name: (_) @name) @class
(class_definition body: (block [(function_definition name: (_) @name) @method (decorated_definition definition: (function_definition name: (_) @name) @method)]))
(function_definition name: (_) @name) @function
(module (expression_statement (assignment left: (identifier) @name) @constant))`,
  },
  {
    id: 'go',
    grammar: 'go',
    extensions: ['.go'],
    query: `
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(method_elem name: (_) @name) @method
(source_file (const_declaration (const_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @variable))`,
  },
  {
    id: 'rust',
    grammar: 'rust',
    extensions: ['.rs'],
    query: `
(impl_item body: (declaration_list (function_item name: (_) @name) @method))
(trait_item body: (declaration_list [(function_item name: (_) @name) (function_signature_item name: (_) @name)] @method))
(function_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @interface
(type_item name: (_) @name) @type
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(mod_item name: (_) @name) @module
(macro_definition name: (_) @name) @macro`,
  },
  {
    id: 'java',
    grammar: 'java',
    extensions: ['.java'],
    query: `
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(field_declaration declarator: (variable_declarator name: (_) @name)) @field`,
  },
  {
    id: 'csharp',
    grammar: 'c-sharp',
    extensions: ['.cs'],
    query: `
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(namespace_declaration name: (_) @name) @module
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(property_declaration name: (_) @name) @property
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field`,
  },
  {
    id: 'cpp',
    grammar: 'cpp',
    extensions: ['.cpp', '.cc', '.cxx', '.c', '.h', '.hpp', '.hh', '.hxx', '.ino'],
    query: `
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (_ declarator: (function_declarator declarator: (identifier) @name))) @function
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @name))) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (identifier) @name)))) @method
(function_definition declarator: (_ declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @name)))) @method
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @type
(alias_declaration name: (_) @name) @type
(preproc_def name: (_) @name) @macro
(preproc_function_def name: (_) @name) @macro
(translation_unit (declaration (type_qualifier) declarator: (init_declarator declarator: (identifier) @name)) @constant)`,
  },
  {
    id: 'php',
    grammar: 'php',
    extensions: ['.php'],
    query: `
(function_definition name: (_) @name) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(const_element (name) @name) @constant
(property_element name: (variable_name (name) @name)) @property`,
  },
  {
    id: 'ruby',
    grammar: 'ruby',
    extensions: ['.rb', '.rake', '.gemspec'],
    query: `
(module name: (_) @name) @module
(class name: (_) @name) @class
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant`,
  },
  {
    id: 'shellscript',
    grammar: 'bash',
    extensions: ['.sh', '.bash', '.zsh', '.bats'],
    query: `
(function_definition name: (_) @name) @function
(program (variable_assignment name: (_) @name) @variable)
(program (declaration_command (variable_assignment name: (_) @name)) @constant)`,
  },
  {
    id: 'powershell',
    grammar: 'powershell',
    extensions: ['.ps1', '.psm1', '.psd1'],
    query: `
(function_statement (function_name) @name) @function
(class_statement . (simple_name) @name) @class
(class_method_definition (simple_name) @name) @method
(enum_statement . (simple_name) @name) @enum`,
  },
  {
    id: 'css',
    grammar: 'css',
    extensions: ['.css'],
    query: `
(rule_set (selectors) @name) @rule
(keyframes_statement (keyframes_name) @name) @rule`,
  },
  {
    id: 'ini',
    grammar: 'ini',
    extensions: ['.ini', '.cfg', '.editorconfig', '.properties'],
    query: `(section (section_name (text) @name)) @section`,
  },
];

const BY_EXTENSION: ReadonlyMap<string, LanguageRow> = new Map(
  LANGUAGES.flatMap((row) => row.extensions.map((extension) => [extension, row] as const)),
);

export function languageOf(file: string): LanguageRow | undefined {
  const dot = file.lastIndexOf('.');
  return dot === -1 ? undefined : BY_EXTENSION.get(file.slice(dot).toLowerCase());
}
