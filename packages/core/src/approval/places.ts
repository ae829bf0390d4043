/** Names of places in a filesystem, as data. */

/** Directories whose loss cannot be undone: a system does not come back from it. */
export const systemRoots: ReadonlySet<string> = new Set([
  '/', '/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/proc', '/root', '/run', '/sbin', '/srv', '/sys', '/usr', '/var',
  '/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib64', '/usr/local', '/usr/share', '/var/lib', '/var/log', '/nix', '/nix/store', '/mnt', '/media', '/snap',
  '/System', '/Library', '/Applications', '/Users', '/private', '/private/etc', '/private/var', '/Volumes', '/cores',
  '/c', '/mnt/c', '/cygdrive/c',
]);

/** Trees that belong to the system: written to by its administrator. */
export const systemTrees: readonly string[] = [
  '/bin', '/boot', '/lib', '/lib32', '/lib64', '/opt', '/root', '/run', '/sbin', '/srv', '/usr', '/var', '/System', '/Library', '/Applications', '/nix', '/snap',
];

export const temporaryTrees: readonly string[] = ['/tmp', '/var/tmp', '/private/tmp', '/dev/shm', '/var/folders'];

export const accountFiles: ReadonlySet<string> = new Set([
  '/etc/passwd', '/etc/shadow', '/etc/group', '/etc/gshadow', '/etc/sudoers', '/etc/master.passwd', '/etc/doas.conf', '/etc/fstab',
  '/etc/passwd-', '/etc/shadow-', '/etc/ld.so.preload', '/etc/pam.conf', '/etc/crypttab', '/etc/security/opasswd',
]);

export const blockDevice =
  /^\/dev\/(?:(?:sd|hd|vd|xvd)[a-z]|nvme\d|mmcblk\d|disk\d|rdisk\d|dm-\d|md\d|md\/|loop\d|ram\d|zram\d|sr\d|nbd\d|zd\d|mapper\/|disk\/|vg[\w-]*\/|mem$|kmem$|port$|nvram$|mtd)/;
export const anyBlockDevice = /^\/dev\/(?:(?:sd|hd|vd|xvd)|nvme|mmcblk|disk|rdisk|dm-|md|mapper\/|\uE000|\uE002)/;
export const harmlessDevice = /^\/dev\/(?:null|zero|full|u?random|std(?:in|out|err)|tty\w*|fd\/[\w\uE000]+|pts\/\d+|console|shm(?:\/.*)?|ptmx|kvm|fuse|net\/tun)$/;
export const kernelFile = /^\/(?:proc\/(?:sysrq-trigger|sys(?:\/|$)|\d+\/mem|self\/mem|kcore|acpi|irq)|sys(?:\/|$))/;

/** Files below a home directory that run later or decide what runs, as paths relative to it. */
const startupFiles = [
  'bashrc', 'bash_profile', 'bash_login', 'bash_logout', 'bash_aliases', 'profile', 'zshrc', 'zshenv', 'zprofile', 'zlogin', 'zlogout', 'kshrc', 'mkshrc', 'cshrc', 'tcshrc',
  'login', 'logout', 'inputrc', 'xprofile', 'xinitrc', 'xsession', 'xsessionrc', 'pam_environment', 'gitconfig', 'vimrc', 'gvimrc', 'exrc', 'emacs', 'spacemacs', 'tmux.conf', 'screenrc',
  'wgetrc', 'curlrc', 'npmrc', 'yarnrc', 'yarnrc.yml', 'pypirc', 'netrc', 'gemrc', 'irbrc', 'pryrc', 'pythonrc', 'pythonrc.py', 'psqlrc', 'sqliterc', 'my.cnf', 'lldbinit', 'gdbinit', 'Rprofile',
  'octaverc', 'mailcap', 'forward', 'procmailrc', 'rhosts', 'shosts', 'selected_editor', 'condarc', 'envrc', 'pgpass', 'terraformrc', 'boto', 's3cfg', 'dockercfg', 'git-credentials', 'asdfrc',
];
const startupTrees = [
  'ssh', 'gnupg', 'aws', 'azure', 'kube', 'docker', 'vim', 'emacs.d', 'config/git', 'config/fish', 'config/autostart', 'config/systemd', 'config/environment.d', 'config/pip', 'config/nvim',
  'config/gh', 'config/gcloud', 'config/helix', 'config/mise', 'config/direnv', 'config/containers', 'config/zsh', 'config/tmux', 'config/uv', 'config/rclone', 'config/op', 'config/doctl', 'config/hub',
  'local/bin', 'local/share/applications', 'local/share/systemd', 'local/share/keyrings', 'config/plasma-workspace', 'config/nushell', 'config/powershell', 'config/xonsh', 'config/Code',
  'cargo/bin', 'cargo/config', 'cargo/config.toml', 'cargo/credentials', 'cargo/credentials.toml', 'm2/settings.xml', 'm2/settings-security.xml', 'gradle/init.gradle', 'gradle/init.d', 'gradle/gradle.properties',
  'pip/pip.conf', 'gem/credentials', 'nuget', 'ivy2', 'sbt', 'subversion', 'claude', 'claude.json', 'codex', 'gemini', 'cursor', 'continue', 'aider.conf.yml', 'config/opencode', 'vscode', 'vscode-server', 'oh-my-zsh', 'zsh', 'bash_completion', 'bashrc.d', 'profile.d',
  'mozilla', 'config/google-chrome', 'config/chromium', 'thunderbird', 'password-store', 'electrum', 'bitcoin', 'ethereum', 'terraform.d', 'vault-token', 'config/1Password', 'config/Bitwarden', 'config/heroku', 'fly', 'config/configstore',
];
export const startupFile = new RegExp(`^\\.(?:${startupFiles.map((name) => name.replace('.', '\\.')).join('|')})$`);
export const startupTree = new RegExp(`^\\.(?:${startupTrees.map((name) => name.replaceAll('.', '\\.').replaceAll('/', '\\/')).join('|')})(?:\\/|$)`);
export const startupElsewhere = /^(?:bin(?:\/|$)|Library\/(?:LaunchAgents|LaunchDaemons|Keychains|Preferences|StartupItems)(?:\/|$))/;

/** Below any directory: what another program will run without being asked. Matched against a path that starts with a slash. */
export const runsLater =
  /\/(?:\.git\/(?:hooks(?:\/|$)|config(?:\.worktree)?$|info\/attributes$|modules\/.*\/(?:hooks|config))|\.gitmodules$|\.husky\/|\.npmrc$|\.yarnrc(?:\.yml)?$|\.pypirc$|pip\.conf$|\.envrc$|\.?mise\.toml$|\.vscode\/(?:settings|tasks|launch|mcp)\.json$|\.idea\/|\.pre-commit-config\.yaml$|\.github\/workflows\/|\.gitlab-ci\.yml$|\.circleci\/|Jenkinsfile$|\.cargo\/config(?:\.toml)?$|sitecustomize\.py$|usercustomize\.py$|[^/]+\.pth$|\.mcp\.json$|\.claude\/settings[^/]*\.json$|\.cursor\/(?:mcp|rules)|\.codex\/|\.gemini\/settings\.json$|\.mailcap$|authorized_keys2?$|\.bash_profile$|\.bashrc$|\.zshrc$|\.profile$|\.zshenv$|cron\.(?:d|daily|hourly|weekly|monthly)\/|crontabs?\/)/;

/** Files that hold secrets. Matched against a path that starts with a slash. */
export const secretFile =
  /\/(?:\.env(?:\.(?!example|sample|template|dist|defaults?|schema|test\b)[\w.-]+)?|\.envrc|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[_.-](?!pub)[\w-]+)?|[\w.-]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc\.key|agekey)|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.dockercfg|\.vault-token|\.terraform\.d\/credentials\.tfrc\.json|\.terraformrc|terraform\.tfvars|\.aws\/(?:credentials|config|sso\/.*|cli\/cache\/.*)|\.azure\/(?:accessTokens\.json|msal_token_cache\.\w+|azureProfile\.json)|\.config\/gcloud\/(?:.*credentials.*|access_tokens\.db|legacy_credentials\/.*)|application_default_credentials\.json|service[-_]?account[\w-]*\.json|\.kube\/config|kubeconfig|\.docker\/config\.json|\.config\/gh\/hosts\.ya?ml|\.config\/hub|\.cargo\/credentials(?:\.toml)?|\.gem\/credentials|\.m2\/settings(?:-security)?\.xml|\.gnupg\/(?:private-keys.*|secring\.gpg)|\.password-store\/.*|credentials(?:\.json|\.ya?ml)?|secrets?\.(?:json|ya?ml|toml|env)|\.s3cfg|\.boto|\.rclone\.conf|rclone\/rclone\.conf|wallet\.dat|keyrings?\/.*|Keychains\/.*|Login Data|Cookies|logins\.json|key[34]\.db|\.bash_history|\.zsh_history|\.psql_history|\.mysql_history|shadow-?|gshadow-?|master\.passwd|sudoers|krb5\.keytab|\.claude\/\.credentials\.json|\.codex\/auth\.json|ssh_host_\w+_key)$/;

/** A directory whose files are secrets. */
export const secretTree = /\/(?:\.ssh|\.aws|\.gnupg|\.password-store|\.kube|\.azure|\.config\/gcloud)$/;

/** Public halves and lists of hosts, which lie among secrets. */
export const notSecret = /(?:\.pub|known_hosts(?:\.old)?|\/\.ssh\/config|public[\w.-]*\.pem|cacert\.pem|ca-certificates\.crt|cert\.pem|fullchain\.pem|chain\.pem|ca\.pem|roots\.pem)$/;

/** Directories that a build makes again. */
export const regenerable = /^(?:node_modules|dist|build|out|target|coverage|\.next|\.nuxt|\.turbo|\.cache|\.parcel-cache|\.vite|\.svelte-kit|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.venv|venv|htmlcov|\.nyc_output|\.gradle|bin|obj|tmp)$/;
