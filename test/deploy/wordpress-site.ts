import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../hosts/host.js'

const WORDPRESS = '/usr/share/wordpress'
const PLUGIN = fileURLToPath(new URL('../../deploy/wordpress/lms-graphql-hooks.php', import.meta.url))

/** Programs of WordPress that the machine lacks. */
export const MISSING = [
  ...['php', 'mariadbd', 'mariadb-install-db'].filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0),
  ...(existsSync(`${WORDPRESS}/wp-load.php`) ? [] : ['wordpress']),
]

/** The account of the administrator. */
const ADMIN = { login: 'admin', password: 'admin-demo' } as const

/** Post types as LearnDash registers them, and actions with which the tests make changes in a request of the web server. */
const POST_TYPES = `<?php
add_action( 'init', function () {
  foreach ( array( 'groups', 'sfwd-courses', 'sfwd-lessons', 'sfwd-topic', 'sfwd-quiz', 'sfwd-question' ) as $type ) {
    register_post_type( $type, array(
      'public' => true,
      'hierarchical' => 'groups' === $type,
      'show_in_rest' => true,
      'rest_namespace' => 'ldlms/v2',
      'rest_base' => $type,
      'supports' => array( 'title', 'editor', 'author', 'revisions', 'custom-fields' ),
      'taxonomies' => array( 'category' ),
    ) );
  }
  register_taxonomy( 'ld_course_category', 'sfwd-courses', array( 'public' => true, 'show_in_rest' => true ) );
  register_taxonomy( 'other', 'post' );
} );
add_filter( 'wp_is_application_passwords_available', '__return_true' );
`

/** Values of constants of PHP. */
type Constants = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface SiteOptions {
  /** Constants of `wp-config.php`, such as those of the plugin. */
  readonly constants?: Constants
  /** Further must-use plugins: code by file name. */
  readonly plugins?: Readonly<Record<string, string>>
}

/** A WordPress of Debian with the plugin, in a folder of its own, behind PHP's web server and a MariaDB without network. */
export class WordPressSite {
  private readonly children: ChildProcess[] = []
  /** `Authorization` of the administrator, with an application password. */
  authorization = ''

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start({ constants = {}, plugins = {} }: SiteOptions = {}): Promise<WordPressSite> {
    const site = new WordPressSite(mkdtempSync(join(tmpdir(), 'lms-wordpress-')), await freePort())
    try {
      await site.startDatabase()
      site.copy({ 'post-types.php': POST_TYPES, 'lms-graphql-hooks.php': readFileSync(PLUGIN, 'utf8'), ...plugins })
      site.configure(constants)
      await site.install()
      await site.startServer()
    } catch (error) {
      await site.stop()
      throw error
    }
    return site
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Replaces the constants of `wp-config.php`. */
  configure(constants: Constants): void {
    const all: Constants = {
      DB_NAME: 'wordpress',
      DB_USER: 'wordpress',
      DB_PASSWORD: '',
      DB_HOST: `localhost:${join(this.folder, 'sql')}`,
      WP_HOME: this.url,
      WP_SITEURL: this.url,
      WP_ENVIRONMENT_TYPE: 'local',
      // Tests call WP-Cron themselves.
      DISABLE_WP_CRON: true,
      WP_HTTP_BLOCK_EXTERNAL: true,
      AUTOMATIC_UPDATER_DISABLED: true,
      AUTH_KEY: 'a',
      SECURE_AUTH_KEY: 'b',
      LOGGED_IN_KEY: 'c',
      NONCE_KEY: 'd',
      WP_DEBUG: true,
      WP_DEBUG_DISPLAY: false,
      WP_DEBUG_LOG: this.log,
      ...constants,
    }
    const lines = Object.entries(all).map(([name, value]) => `define( '${name}', ${php(value)} );`)
    const text = ['<?php', ...lines, `$table_prefix = 'wp_';`, `require_once __DIR__ . '/wp-settings.php';`, '']
    writeFileSync(join(this.root, 'wp-config.php'), text.join('\n'))
  }

  /** What PHP complained of. */
  complaints(): string {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8') : ''
  }

  /** Runs PHP in WordPress, as its command line tools do; in a network, in the site with this path. Returns what it prints. */
  async php(code: string, path = '/'): Promise<string> {
    const request = `$_SERVER['HTTP_HOST'] = '${new URL(this.url).host}'; $_SERVER['REQUEST_URI'] = '${path}';`
    return this.run(`${request} require '${this.root}/wp-load.php'; wp_set_current_user( 1 ); ${code}`)
  }

  /** The constants of a network. */
  get network(): Constants {
    return {
      MULTISITE: true,
      SUBDOMAIN_INSTALL: false,
      DOMAIN_CURRENT_SITE: new URL(this.url).host,
      PATH_CURRENT_SITE: '/',
      SITE_ID_CURRENT_SITE: 1,
      BLOG_ID_CURRENT_SITE: 1,
    }
  }

  /** Creates the tables of a network, whose main site this one is. Call `configure` with `network` afterwards. */
  async makeNetwork(): Promise<void> {
    await this.php(`require ABSPATH . 'wp-admin/includes/upgrade.php';
      foreach ( $wpdb->tables( 'ms_global' ) as $table => $name ) { $wpdb->$table = $name; }
      install_network();
      $made = populate_network( 1, '${new URL(this.url).host}', 'admin@example.org', 'Schools', '/', false );
      if ( is_wp_error( $made ) && 'no_wildcard_dns' !== $made->get_error_code() ) { echo $made->get_error_message(); exit( 1 ); }`)
  }

  /** Adds a site to the network. Returns its id. */
  async addSite(path: string): Promise<number> {
    const { host } = new URL(this.url)
    // WordPress removes the colon of a port.
    const added =
      await this.php(`$id = wp_insert_site( array( 'domain' => '${host}', 'path' => '${path}', 'network_id' => 1, 'user_id' => 1 ) );
      $wpdb->update( $wpdb->blogs, array( 'domain' => '${host}' ), array( 'blog_id' => $id ) );
      foreach ( array( 'home', 'siteurl' ) as $name ) { update_blog_option( $id, $name, '${this.url}${path}' ); }
      echo $id;`)
    return Number.parseInt(added, 10)
  }

  /** Sends a request to WordPress. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, { redirect: 'manual', ...init })
  }

  /** Sends a request to a route of the REST interface as the administrator. */
  rest(method: string, route: string, body?: object): Promise<Response> {
    return this.request(`/index.php?rest_route=${encodeURIComponent(route)}`, {
      method,
      headers: { authorization: this.authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  /** Logs in through the form. Returns the cookies. */
  async login(): Promise<string> {
    const answer = await this.request('/wp-login.php', {
      method: 'POST',
      headers: { cookie: 'wordpress_test_cookie=WP%20Cookie%20check' },
      body: new URLSearchParams({ log: ADMIN.login, pwd: ADMIN.password, testcookie: '1' }),
    })
    if (answer.status !== 302) throw new Error(`The login form answers ${answer.status}: ${await answer.text()}`)
    return answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ')
  }

  /** Runs WP-Cron as the web server does. */
  async cron(): Promise<void> {
    await (await this.request('/wp-cron.php?doing_wp_cron')).text()
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        // The workers of the web server are in its process group.
        process.kill(-(child.pid as number), 'SIGKILL')
        await ended
      }),
    )
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  private get root(): string {
    return join(this.folder, 'wordpress')
  }

  private get log(): string {
    return join(this.folder, 'php.log')
  }

  private async startDatabase(): Promise<void> {
    const data = `--datadir=${join(this.folder, 'data')}`
    const account = process.getuid?.() === 0 ? ['--user=root'] : []
    const { status, stderr, stdout } = spawnSync('mariadb-install-db', ['--no-defaults', data, ...account, '--skip-test-db'], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`mariadb-install-db fails: ${stdout}${stderr}`)
    const socket = join(this.folder, 'sql')
    const options = [`--socket=${socket}`, `--pid-file=${join(this.folder, 'pid')}`, '--skip-networking', '--skip-grant-tables']
    this.spawn('mariadbd', ['--no-defaults', data, ...account, ...options, '--innodb-flush-log-at-trx-commit=0'])
    const create = `$db = @mysqli_connect( 'localhost', 'root', '', '', 0, '${socket}' ); $db->query( 'CREATE DATABASE wordpress' );`
    await this.until('MariaDB', () => existsSync(socket))
    await this.run(create)
  }

  private copy(plugins: Readonly<Record<string, string>>): void {
    cpSync(WORDPRESS, this.root, { recursive: true, filter: (path) => !path.startsWith(`${WORDPRESS}/wp-content/`) })
    const folder = join(this.root, 'wp-content', 'mu-plugins')
    mkdirSync(folder, { recursive: true })
    for (const [name, code] of Object.entries(plugins)) writeFileSync(join(folder, name), code)
  }

  private async install(): Promise<void> {
    const install = `define( 'WP_INSTALLING', true ); require '${this.root}/wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php';
      function wp_new_blog_notification() {}
      wp_install( 'LMS', '${ADMIN.login}', 'admin@example.org', true, '', '${ADMIN.password}' );`
    await this.run(install)
    const password = await this.php(`echo WP_Application_Passwords::create_new_application_password( 1, array( 'name' => 'tests' ) )[0];`)
    this.authorization = `Basic ${Buffer.from(`${ADMIN.login}:${password}`).toString('base64')}`
  }

  private async startServer(): Promise<void> {
    // Changes of `wp-config.php` apply at once.
    const argv = ['-d', 'opcache.revalidate_freq=0', '-S', `127.0.0.1:${this.port}`, '-t', this.root]
    this.spawn('php', argv, { PHP_CLI_SERVER_WORKERS: '4' })
    const isReady = () =>
      this.request('/index.php?rest_route=/').then(
        ({ ok }) => ok,
        () => false,
      )
    await this.until('PHP', isReady)
  }

  private spawn(program: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}): void {
    this.children.push(spawn(program, argv, { stdio: 'ignore', detached: true, env: { ...process.env, ...env } }))
  }

  private async run(code: string): Promise<string> {
    const child = spawn('php', ['-d', 'display_errors=stderr', '-r', code], { stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    let complaints = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaints += text
    })
    const [status] = await once(child, 'close')
    if (status !== 0) throw new Error(`PHP ends with ${status}: ${printed}${complaints}`)
    return printed
  }

  private async until(name: string, isReady: () => boolean | Promise<boolean>): Promise<void> {
    for (let waited = 0; !(await isReady()); waited += 50) {
      if (waited > 20_000) throw new Error(`${name} does not start.`)
      await sleep(50)
    }
  }
}

/** A value as PHP writes it. */
function php(value: Constants[string]): string {
  if (typeof value === 'object') return `array( ${value.map(php).join(', ')} )`
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value)
}
