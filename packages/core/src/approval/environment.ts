import type { Report } from './findings.js';
import { hasUnknown, show } from './marks.js';
import { contains, locate } from './paths.js';
import { temporaryTrees } from './places.js';
import type { JudgeContext } from './verdict.js';

type Check = (value: string, context: JudgeContext) => boolean;

const viewers =
  /^(?:|:|true|false|cat|less|more|most|bat|delta|vi|vim|nvim|nano|pico|emacs|emacsclient|micro|hx|helix|ed|code|code-insiders|subl|zed|echo|tee|less -\w+|bat -\w+|cat -|code --wait|code -w|subl -w|true --|bat --\S+|xdg-open|open|firefox|chromium|google-chrome|w3m|lynx|none)$/;
const notViewer: Check = (value) => !viewers.test(value);
const always: Check = () => true;
const filled: Check = (value) => value !== '';

/** Directories in front of the search path from which people run programs that they installed. */
function untrustedPath(value: string, context: JudgeContext): boolean {
  for (const entry of value.split(':')) {
    if (entry === '' || entry === '$PATH' || hasUnknown(entry)) {
      if (entry === '' || entry === '.') return entry === '.';
      if (/^[\uE000\uE001]$/.test(entry) || /\/(?:s?bin|shims)$/.test(entry)) continue;
      return true;
    }
    const path = locate(entry, context.cwd);
    if (!entry.startsWith('/') && !/^(?:\.\/)?(?:node_modules\/\.bin|\.?venv\/bin|bin|vendor\/bin|\.bin|scripts)$/.test(entry)) return true;
    if (temporaryTrees.some((tree) => contains(tree, path))) return true;
    if (!/(?:\/s?bin|\/games|\/shims|\/scripts|\/tools|\/cmd|\/node_modules\/\.bin|\/Commands|\/platform-tools)$/.test(path)) return true;
  }
  return false;
}

const outsideProject: Check = (value, context) =>
  value !== '' &&
  value
    .split(':')
    .some(
      (entry) => entry !== '' && !/^[\uE000\uE001]$/.test(entry) && !contains(context.project ?? context.cwd, locate(entry, context.cwd)),
    );

const loadsCode =
  /(?:^|\s)(?:--require|-r|--import|--loader|--experimental-loader|--inspect|--eval|-e|--conditions?=|--openssl-config)(?:[=\s]|$|-)/;
const javaCode =
  /-(?:javaagent|agentpath|agentlib|XX:(?:OnError|OnOutOfMemoryError|Flags)|Xbootclasspath|cp|classpath|Djava\.(?:security\.manager|library\.path|ext\.dirs))|@/;
const isLocal = (value: string): boolean => /^(?:https?:\/\/)?(?:localhost|127\.|0\.0\.0\.0|\[::1\]|host\.docker\.internal)/.test(value);

/** Variables that run code or redirect trust, with what makes a value dangerous. */
const table = new Map<string, Check>();
const add = (names: string, check: Check = always): void => {
  for (const name of names.split(/\s+/)) table.set(name, check);
};

add(
  'LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH DYLD_FALLBACK_LIBRARY_PATH GCONV_PATH LD_CONFIG GLIBC_TUNABLES',
  filled,
);
add('PATH', untrustedPath);
add(
  'BASH_ENV ENV PROMPT_COMMAND PS0 SHELL SHELLOPTS BASHOPTS BASH_LOADABLES_PATH ZDOTDIR FPATH HOME INPUTRC BASH_ALIASES BASH_CMDS HISTFILE',
  filled,
);
add('PS1 PS4 PS2', (value) => /\$\(|`|[\uE000]/.test(value));
add(
  'PAGER MANPAGER EDITOR VISUAL FCEDIT SUDO_EDITOR BROWSER BAT_PAGER DELTA_PAGER SYSTEMD_PAGER SYSTEMD_EDITOR AWS_PAGER GH_PAGER GH_EDITOR GH_BROWSER PSQL_PAGER PSQL_EDITOR KUBE_EDITOR',
  notViewer,
);
add('GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GLAB_PAGER GLAMOUR_PAGER PYTHONDOCS MERGE_EDITOR HOMEBREW_EDITOR', notViewer);
add(
  'LESSOPEN LESSCLOSE VIMINIT EXINIT SUDO_ASKPASS SSH_ASKPASS GIT_ASKPASS GVIMINIT MYVIMRC LESSKEY LESSKEYIN',
  (value) => value !== '' && value !== 'true' && value !== '/bin/true' && value !== 'echo',
);
add('LESS MORE', (value) => /\+!|\+|-o|-O|-k/.test(value));
add('FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS', (value) => /execute|preview|bind|[|;&$`]/.test(value));
add(
  'GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_ALLOW_PROTOCOL GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_SSL_NO_VERIFY GIT_SSL_CAINFO GIT_CURL_VERBOSE_FILE',
  (value) =>
    filled(value, { place: '', isolated: false, cwd: '/', home: '/', user: '' }) &&
    !/^ssh -i \S+( -o (?:StrictHostKeyChecking=accept-new|IdentitiesOnly=yes|BatchMode=yes))*$|^ssh -o BatchMode=yes$|^ssh -v+$/.test(
      value,
    ),
);
add('GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM', (value) => value !== '/dev/null' && value !== '');
add('GIT_TRACE GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_TRACE_SETUP GIT_TRACE_CURL GIT_TRACE_PACKET', (value) =>
  value.startsWith('/'),
);
add('PYTHONPATH NODE_PATH PERL5LIB RUBYLIB LUA_PATH LUA_CPATH CLASSPATH GEM_PATH', outsideProject);
add(
  'PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONUSERBASE PERL5DB PHPRC PHP_INI_SCAN_DIR LUA_INIT R_PROFILE R_PROFILE_USER R_ENVIRON ERL_FLAGS ERL_AFLAGS ELIXIR_ERL_OPTIONS DOTNET_STARTUP_HOOKS CORECLR_PROFILER_PATH CORECLR_PROFILER GUILE_LOAD_PATH',
  filled,
);
add('PYTHONBREAKPOINT', (value) => !/^(?:0|pdb\.set_trace|ipdb\.set_trace|)$/.test(value));
add('PYTHONWARNINGS', (value) => /::\w+\.|antigravity/.test(value));
add('NODE_OPTIONS BUN_OPTIONS TSX_OPTIONS', (value) => loadsCode.test(value) || hasUnknown(value));
add('PERL5OPT RUBYOPT', (value) => !/^(?:-w|-W0|-W:no-\w+|--yjit|--jit|--enable=\w+|)$/.test(value));
add(
  'JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS JAVA_OPTS SBT_OPTS ANT_OPTS LEIN_JVM_OPTS',
  (value) => javaCode.test(value) || hasUnknown(value),
);
add('GEM_HOME BUNDLE_GEMFILE GEM_SPEC_CACHE', outsideProject);
add(
  'CC CXX LD AR CPP HOSTCC RUSTC',
  (value) =>
    !/^(?:|(?:[\w]+-)*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|ar|lld|mold|rustc|icc|emcc|em\+\+|tcc|zig cc|zig c\+\+|cpp|gold)(?:-\d+(?:\.\d+)*)?|(?:ccache|sccache|distcc) (?:gcc|g\+\+|clang|clang\+\+))$/.test(
      value,
    ),
);
add(
  'RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER CARGO_BUILD_RUSTC CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER',
  (value) => !/^(?:|sccache|ccache|clippy-driver)$/.test(value),
);
add(
  'MAKEFLAGS GNUMAKEFLAGS MFLAGS',
  (value) => !/^(?:|-?-?j\s*\d*|--jobs=\d+|-[skiwnB]+|--silent|--no-print-directory|--output-sync\S*|\s)+$/.test(value),
);
add('MAKEFILES CARGO_HOME RUSTUP_HOME GOENV GOROOT COMPILER_PATH GCC_EXEC_PREFIX PKG_CONFIG', filled);
add('RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CFLAGS CXXFLAGS LDFLAGS CGO_CFLAGS CGO_LDFLAGS', (value) =>
  /linker=|-wrapper|-B\s*\S|-specs|-fplugin|-fuse-ld=\/|codegen-backend|-Xclang|-load/.test(value),
);
add('GOFLAGS', (value) => /-(?:exec|toolexec|vettool|overlay|modfile)/.test(value));
add('GOPROXY', (value) => !/^(?:direct|off|https:\/\/proxy\.golang\.org(?:,direct)?|)$/.test(value));
add('GOTOOLCHAIN', (value) => !/^(?:local|auto|go[\d.]+(?:\+auto)?|)$/.test(value));
add('GONOSUMDB GONOSUMCHECK GOINSECURE', filled);
add(
  'PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CONFIG_FILE PIP_TRUSTED_HOST PIP_FIND_LINKS UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX UV_INDEX POETRY_REPOSITORIES BUNDLE_MIRROR__ALL',
  filled,
);
add('PKG_CONFIG_PATH TMPDIR CDPATH GLOBIGNORE', (value) => /^\/(?:etc|usr|bin|sbin|boot|Users|home)?$/.test(value));
add(
  'TAR_OPTIONS RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH ZIPOPT UNZIP RIPGREP_CONFIG_PATH CURL_HOME WGETRC SCREENRC ANSIBLE_CONFIG TF_CLI_CONFIG_FILE HELM_PLUGINS CLOUDSDK_PYTHON OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES GTK_MODULES QT_PLUGIN_PATH ACKRC GREP_OPTIONS XZ_OPT_FILE MAILCAPS GNUPGHOME',
  filled,
);
add('TF_CLI_ARGS TF_CLI_ARGS_apply TF_CLI_ARGS_destroy', (value) => /auto-approve|destroy/.test(value) || hasUnknown(value));
add(
  'DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_ENDPOINT_URL BOTO_CONFIG CLOUDSDK_CONFIG',
  filled,
);
add('HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy FTP_PROXY', (value) => value !== '' && !isLocal(value));
add('SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS', outsideProject);
add('NODE_TLS_REJECT_UNAUTHORIZED', (value) => value === '0' || hasUnknown(value));
add('PYTHONHTTPSVERIFY', (value) => value === '0');
add('HISTSIZE HISTFILESIZE', (value) => value === '0');
add('LD_BIND_NOW', () => false);
add(
  'npm_config_registry NPM_CONFIG_REGISTRY npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_node_options npm_config_prefix NPM_CONFIG_PREFIX npm_config_userconfig NPM_CONFIG_USERCONFIG npm_config_globalconfig npm_config_shell npm_config_editor npm_config_git npm_config_https_proxy npm_config_proxy YARN_REGISTRY YARN_NPM_REGISTRY_SERVER',
  filled,
);

const patterns: readonly (readonly [RegExp, Check])[] = [
  [/^BASH_FUNC_.*/, always],
  [/^CARGO_TARGET_\w+_(?:RUNNER|LINKER|RUSTFLAGS)$/, filled],
  [/^GIT_CONFIG_(?:KEY|VALUE)_\d+$/, always],
  [/^(?:ANTHROPIC|OPENAI|GEMINI|AZURE_OPENAI)_(?:BASE_URL|API_BASE|ENDPOINT)$/, (value) => value !== '' && !isLocal(value)],
];

/** Whether a variable makes something run or moves trust. `lasting`: it stays for later commands of the same shell. */
export function checkAssignment(name: string, value: string, context: JudgeContext, lasting: boolean): Report | undefined {
  const own = (context.protectedPaths ?? []).length > 0 && /^PETASOS_/.test(name);
  if (own)
    return {
      rule: 'self.protected',
      verdict: 'deny',
      reach: 'host',
      reason: `${name} selects what Petasos obeys; only a person may set it.`,
    };
  const check = table.get(name) ?? patterns.find(([pattern]) => pattern.test(name))?.[1];
  if (!check?.(value, context)) return undefined;
  return {
    rule: 'env.executes',
    reach: 'anything',
    reason: `${name}=${show(value).slice(0, 80)} changes which code other programs run or whom they trust${lasting ? ', for everything that follows' : ''}.`,
    durable: false,
  };
}
