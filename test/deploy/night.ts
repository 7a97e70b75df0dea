import { execFile as run } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Agent, request } from 'undici'
import { stringify } from 'yaml'
import { freePort } from '../hosts/host.js'
import { Command } from '../support/command.js'
import { signed } from '../support/hooks.js'
import { sleep, until } from '../support/hosted.js'
import { RedisServer } from '../support/redis-server.js'
import { TroubledProxy } from '../support/troubled-proxy.js'
import { authorizationOf } from '../support/world.js'
import { Front, GATEWAYS } from './haproxy.js'
import { Prometheus } from './prometheus.js'

// Five incidents of one night at two gateways, with all that runs beside them.

const execFile = promisify(run)

const UNIT = fileURLToPath(new URL('../../deploy/systemd/lms-graphql@.service', import.meta.url))

/** Stands between what two commands print. */
const END = '--- end of the command ---'

/** The addresses of clients and of the site: that of the page, and that of the loopback interface. */
const ADDRESSES = {
  visitor: ['198.51.100.10', '127.0.1.10'],
  shop: ['198.51.100.20', '127.0.1.20'],
  teacher: ['198.51.100.30', '127.0.1.30'],
  site: ['192.0.2.10', '127.0.1.40'],
  crawler: ['203.0.113.66', '127.0.1.66'],
  thief: ['203.0.113.7', '127.0.1.7'],
  stranger: ['203.0.113.99', '127.0.1.99'],
} as const
type Client = keyof typeof ADDRESSES

const FIRST_SECRET = 'first-secret-0123456789-0123456789'
/** That of the page. */
const SECOND_SECRET = 'second-secret-0123456789-0123456789'
export const SHOP_KEY = 'shop-key-0123456789'

const TITLE = 'query Title($id: ID!) { course(id: $id) { title } }'
const RENAME = 'mutation Rename($id: ID!) { updateCourse(input: { id: $id, title: "Closed" }) { __typename ... on LmsError { code } } }'
const REMOVE = 'mutation Remove($id: ID!) { deleteGroup(input: { id: $id }) { __typename ... on LmsError { code } } }'
const FIND = 'query Find($for: String) { courses(first: 1, where: { search: $for }) { nodes { title } } }'
const GUESS = 'query Guess { courses(first: 1) { nodes { title } } }'
/** Of 25 KB. */
const CRAWL = `query Crawl { course(id: 1) { ${Array.from({ length: 1_900 }, (_, at) => `a${at}: title`).join(' ')} } }`

/** A course that is renamed on the site, and one that a teacher renames while Redis is away. */
export const RENAMED = 10_001
const UNSAVED = 10_005
export const RENAMED_TO = 'Renamed on the site'

interface Answer {
  readonly status: number
  readonly body: any
}

/** What clients got during the incidents. */
export interface Seen {
  readonly limited: Answer
  readonly besideCrawler: Answer
  readonly oldTitle: string
  readonly unsaved: Answer
  readonly titleOfUnsaved: string
  readonly banned: Answer
}

interface Sent {
  readonly variables?: object
  readonly headers?: Readonly<Record<string, string>>
  /** HAProxy by default. */
  readonly url?: string
}

/** All programs, and what happens to them. */
export class Night {
  /** The address of the client of the last call, if the site was told. */
  forwarded: string | undefined
  private readonly folder = mkdtempSync(join(tmpdir(), 'lms-graphql-night-'))
  private readonly closing: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true })]
  private readonly gateways = new Map<string, Command>()
  private readonly agents = new Map<Client, Agent>()
  private readonly repeated: Promise<void>[] = []
  private isOver = false
  private ports = { gateway: 0, servers: 0, metrics: 0, metricsOfServers: 0 }
  private site!: TroubledProxy
  private redis!: RedisServer
  private front!: Front
  private prometheus!: Prometheus
  private secretOfSite = FIRST_SECRET
  /** Whether the site refuses all connections from the next wrong password on. */
  private isStrict = false

  /** Starts all programs. `rules` is the text of a rule file. */
  static async start(rules: string): Promise<Night> {
    const night = new Night()
    try {
      await night.begin(rules)
    } catch (error) {
      await night.close()
      throw error
    }
    return night
  }

  private async begin(rules: string): Promise<void> {
    const { closing } = this
    const lms = new Command(['lms', '--port', '0'])
    closing.push(() => lms.stop('SIGKILL'))
    this.site = await TroubledProxy.start(await lms.address())
    closing.push(() => this.site.close())
    this.site.strikes =
      () =>
      async (response, { headers }, truth) => {
        this.forwarded = headers['x-forwarded-for'] as string | undefined
        const answer = await truth()
        response.writeHead(answer.status, answer.headers).end(answer.body)
        if (answer.status === 401 && this.isStrict) await this.site.stop()
      }
    this.redis = await RedisServer.start()
    closing.push(() => this.redis.close())
    const [gateway, servers, metrics, metricsOfServers] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
    this.ports = { gateway, servers, metrics, metricsOfServers }
    mkdirSync(this.path('haproxy'))
    for (const [name, text] of Object.entries({
      'gateway.log': '',
      'haproxy/blocked.lst': '',
      'hook-secret': `${FIRST_SECRET}\n`,
      'api-keys': `shop:${SHOP_KEY}\n`,
      password: 'admin-demo\n',
    }))
      writeFileSync(this.path(name), text)
    await this.run('4001', {
      site: { url: this.site.url, forwardClientAddress: false },
      http: { port: gateway, trustedProxies: ['127.0.0.1'] },
      cache: { maxAge: 600 },
      redis: { url: this.redis.url },
      hooks: { secretFile: this.path('hook-secret') },
      observe: { metrics, logLevel: 'info' },
    })
    await this.run('4002', {
      site: { url: this.site.url, user: 'admin', passwordFile: this.path('password') },
      access: { apiKeysFile: this.path('api-keys') },
      http: { port: servers },
      observe: { metrics: metricsOfServers },
    })
    const blocked = this.path('haproxy/blocked.lst')
    this.front = await Front.start(GATEWAYS, { LMS_GATEWAY_1: `127.0.0.1:${gateway}`, LMS_FRONT_BLOCKED: blocked })
    closing.push(() => this.front.close())
    const job = 'lms-graphql'
    this.prometheus = await Prometheus.start(rules, [
      { port: metrics, job, instance: '127.0.0.1:14001' },
      { port: metricsOfServers, job, instance: '127.0.0.1:14002' },
    ])
    closing.push(() => this.prometheus.stop())
    // Readers who read something that no cache has, and a shop.
    this.repeat(200, (count) => this.send('visitor', FIND, { variables: { for: `${count}` } }))
    this.repeat(500, () => this.withKey('shop', SHOP_KEY, TITLE, 10_003))
  }

  /** Starts a gateway, whose log is written to the file of the page. */
  private async run(name: string, settings: object): Promise<void> {
    writeFileSync(this.path(`${name}.yaml`), stringify(settings))
    const command = new Command(['--config', this.path(`${name}.yaml`)], { NODE_ENV: 'production' })
    this.gateways.set(name, command)
    this.closing.push(() => command.stop('SIGKILL'))
    // Whole lines, because commands read them at any time.
    createInterface({ input: command.child.stdout }).on('line', (line) => appendFileSync(this.path('gateway.log'), `${line}\n`))
    await command.address()
  }

  /** Does something again and again, until all is over. */
  private repeat(pause: number, act: (count: number) => Promise<unknown>): void {
    const go = async (): Promise<void> => {
      for (let count = 0; !this.isOver; count++) {
        await act(count)
        await sleep(pause)
      }
    }
    this.repeated.push(go())
  }

  /** All incidents, one after another. */
  async pass(): Promise<Seen> {
    const limited = await this.untilAlert('LmsGraphqlClientsLimited', (count) => this.send('crawler', `${CRAWL} # ${count}`))
    const besideCrawler = await this.read(10_002)

    await this.withKey('thief', SHOP_KEY, RENAME, 10_003)
    await this.withKey('thief', SHOP_KEY, REMOVE, 1009)

    await this.redis.kill()
    const unsaved = await this.untilAlert('LmsGraphqlRedisFails', () => this.rename(UNSAVED))
    const titleOfUnsaved = await this.titleOf(UNSAVED)
    await this.redis.begin()
    await until(async () => (await this.rename(UNSAVED)).body.data.updateCourse.__typename === 'UpdateCourseSuccess')

    await this.report()
    await this.read(RENAMED)
    this.secretOfSite = SECOND_SECRET
    await this.renameOnSite(RENAMED)
    this.repeat(300, () => this.report())
    await this.untilAlert('LmsGraphqlWebhookRefused', () => this.read(RENAMED))
    const oldTitle = await this.titleOf(RENAMED)

    const guess = (count: number): Promise<Answer> => {
      const login = Buffer.from(`teacher${Math.floor(count / 15)}:guess-${count}`).toString('base64')
      return this.send('stranger', GUESS, { headers: { authorization: `Basic ${login}` } })
    }
    await this.untilAlert('LmsGraphqlCredentialsRejected', guess)
    this.isStrict = true
    await guess(1_500)
    const banned = await this.untilAlert('LmsGraphqlSiteDown', (count) => this.read(10_100 + count), this.gateways.size)
    this.isStrict = false
    await this.site.resume()
    await until(() => this.log.includes('site answers again'))
    // Prometheus reads the metrics once a second.
    await sleep(2_000)
    return { limited, besideCrawler, oldTitle, unsaved, titleOfUnsaved, banned }
  }

  /** Does something until an alert fires for some gateways; returns the last answer. */
  private async untilAlert(alertname: string, act: (count: number) => Promise<unknown>, gateways = 1): Promise<any> {
    for (let count = 0; count < 500; count++) {
      const answer = await act(count)
      if (count % 5 === 4 && (await this.prometheus.firing()).filter((alert) => alert.alertname === alertname).length === gateways)
        return answer
      await sleep(100)
    }
    throw new Error(`${alertname} does not fire.`)
  }

  /** The connections of a client. */
  private from(client: Client): Agent {
    const agent = this.agents.get(client) ?? new Agent({ localAddress: ADDRESSES[client][1] })
    this.agents.set(client, agent)
    return agent
  }

  /** Sends an operation. */
  async send(client: Client, query: string, { variables, headers, url = this.front.url }: Sent = {}): Promise<Answer> {
    const { statusCode, body } = await request(`${url}/graphql`, {
      dispatcher: this.from(client),
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    })
    return { status: statusCode, body: await body.json() }
  }

  /** Sends an operation to the gateway for servers. */
  withKey(client: Client, key: string, query: string, id: number): Promise<Answer> {
    return this.send(client, query, { variables: { id }, headers: { 'x-api-key': key }, url: `http://127.0.0.1:${this.ports.servers}` })
  }

  /** Reads the title of a course with an API key. */
  readWithKey(key: string): Promise<Answer> {
    return this.withKey('shop', key, TITLE, 10_003)
  }

  read(id: number, client: Client = 'visitor'): Promise<Answer> {
    return this.send(client, TITLE, { variables: { id } })
  }

  async titleOf(id: number): Promise<string> {
    return (await this.read(id)).body.data.course.title
  }

  private rename(id: number): Promise<Answer> {
    return this.send('teacher', RENAME, { variables: { id }, headers: { authorization: authorizationOf('admin') } })
  }

  /** Somebody renames a course in the administration of the site. */
  private async renameOnSite(id: number): Promise<void> {
    const { statusCode, body } = await request(`${this.site.url}/lms/v1/sfwd-courses/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: authorizationOf('admin') },
      body: JSON.stringify({ title: RENAMED_TO }),
    })
    await body.dump()
    if (statusCode !== 200) throw new Error(`The site answers ${statusCode}.`)
  }

  /** The site reports that a course has another title. */
  private async report(): Promise<void> {
    const body = JSON.stringify({ type: 'course', id: RENAMED, kind: 'updated', delivery: `${Math.random()}` })
    const sent = { dispatcher: this.from('site'), method: 'POST', headers: signed(body, { secret: this.secretOfSite }), body } as const
    const answer = await request(`http://127.0.0.1:${this.ports.gateway}/hooks/site`, sent)
    await answer.body.dump()
  }

  /** Words of the page, and what they are here. Durations are shorter. */
  private get words(): readonly (readonly [page: string, here: string])[] {
    const unit = readFileSync(UNIT, 'utf8')
    const reload = /^ExecReload=(.*\$MAINPID)$/m.exec(unit)?.[1] ?? ''
    return [
      ['/etc/haproxy/', `${this.path('haproxy')}/`],
      ['/etc/lms-graphql/', `${this.folder}/`],
      ['/run/haproxy/lms-front.sock', this.front.socket],
      ['127.0.0.1:9090', new URL(this.prometheus.url).host],
      ['redis-cli -p 6379', `redis-cli -p ${this.redis.port}`],
      ['sleep 60', 'sleep 2'],
      // What systemd runs.
      ...[...this.gateways].map(
        ([name, { child }]) => [`systemctl reload lms-graphql@${name}`, reload.replace('$MAINPID', `${child.pid}`)] as const,
      ),
      ...Object.values(ADDRESSES),
    ]
  }

  /** Runs commands of the page one after another in one shell. Returns what each of them prints, in the words of the page. */
  async follow(commands: readonly string[]): Promise<string[]> {
    writeFileSync(this.path('haproxy.log'), this.front.log)
    const reloads = commands.join('\n').split('systemctl reload').length - 1
    const before = this.reloads
    let script = commands.map((command) => `${command}\necho '${END}'\n`).join('')
    for (const [page, here] of this.words) script = script.replaceAll(page, here)
    const { stdout } = await execFile('bash', ['-euc', `exec 2>&1\n${script}`], { cwd: this.folder })
    await until(() => this.reloads === before + reloads)
    let printed = stdout
    for (const [page, here] of this.words) printed = printed.replaceAll(here, page)
    return printed.split(`${END}\n`).slice(0, -1)
  }

  /** How often gateways have read their settings again. */
  private get reloads(): number {
    return this.log.split('the settings were reloaded').length - 1
  }

  private get log(): string {
    return readFileSync(this.path('gateway.log'), 'utf8')
  }

  /** The API keys that the file has. */
  get keys(): string[] {
    return [...readFileSync(this.path('api-keys'), 'utf8').matchAll(/^shop:(.*)$/gm)].map(([, key]) => key as string)
  }

  private path(name: string): string {
    return join(this.folder, name)
  }

  async close(): Promise<void> {
    this.isOver = true
    await Promise.allSettled(this.repeated)
    for (const close of this.closing.splice(0).reverse()) await close()
    await Promise.all([...this.agents.values()].map((agent) => agent.close()))
  }
}
