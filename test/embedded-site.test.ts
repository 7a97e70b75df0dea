import { createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { DEMO_USERS } from '../src/lms/index.js'
import { Command } from './support/command.js'

const commands: Command[] = []
afterEach(() => Promise.all(commands.splice(0).map((command) => command.stop())))

function start(...flags: string[]): Command {
  const command = new Command(flags)
  commands.push(command)
  return command
}

const basic = (login: string, password: string) => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`

async function ask(address: string, query: string, authorization?: string): Promise<any> {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
  return (await fetch(`${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).json()
}

/** The port of the embedded LMS in the line of the start, as an offset from that of the gateway. */
async function offsetOf(command: Command): Promise<number> {
  const address = await command.address()
  const [, port] = /embedded LMS at http:\/\/127\.0\.0\.1:(\d+)[;\n]/.exec(command.printed) ?? []
  return Number(port) - Number(new URL(address).port)
}

const listening = (port: number) =>
  new Promise<Server | null>((resolve) => {
    const server = createServer().once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })

const closed = (server: Server | null) => new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)))

/** A free port that is followed by three free ports, below those that the system gives to other processes. */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 2_000) * 4; port < 32_000; port += 4) {
    const servers = await Promise.all([0, 1, 2, 3].map((offset) => listening(port + offset)))
    await Promise.all(servers.map(closed))
    if (!servers.includes(null)) return port
  }
  throw new Error('No four free ports follow each other.')
}

describe.each(['lms', 'learndash'])('a gateway in front of its own LMS with the profile %s', (profile) => {
  it('knows each demo user, and refuses wrong passwords', async () => {
    const address = await start('--port', '0', '--profile', profile).address()
    for (const { id, login, password, name } of DEMO_USERS)
      expect(await ask(address, '{ viewer { databaseId name } }', basic(login, password))).toEqual({
        data: { viewer: { databaseId: id, name } },
      })
    expect(await ask(address, '{ viewer { databaseId } }')).toEqual({ data: { viewer: null } })
    if (profile !== 'lms') return
    const { data, errors } = await ask(address, '{ viewer { databaseId } }', basic('learner', 'wrong'))
    expect(data).toEqual({ viewer: null })
    expect(errors).toMatchObject([{ path: ['viewer'], extensions: { code: 'UNAUTHENTICATED', upstream: { status: 401 } } }])
  })
})

describe('a gateway in front of its own LMS', () => {
  it('knows the next lessons of the demo learner, and shows authors, images and terms, whose addresses answer', async () => {
    const address = await start('--port', '0').address()
    const query = '{ viewer { courseProgress(first: 20) { nodes { status nextLesson { databaseId } nextLessonReason } } } }'
    const { data, errors } = await ask(address, query, basic('learner', 'learner-demo'))
    expect(errors).toBeUndefined()
    const rows = data.viewer.courseProgress.nodes as { status: string; nextLesson: object | null; nextLessonReason: string | null }[]
    expect(rows).toHaveLength(12)
    for (const { status, nextLesson, nextLessonReason } of rows)
      expect([nextLesson === null, nextLessonReason]).toEqual(status === 'COMPLETED' ? [true, 'COURSE_COMPLETED'] : [false, null])

    const shown =
      '{ course(id: 10001) { link author { name avatarUrl } featuredImage { url width sizes { url } } categories { name link } } }'
    const {
      data: { course },
    } = await ask(address, shown)
    const { link, author, featuredImage, categories } = course
    const urls = [
      link,
      author.avatarUrl,
      featuredImage.url,
      ...featuredImage.sizes.map((size: { url: string }) => size.url),
      categories[0].link,
    ]
    for (const url of urls) expect([url, (await fetch(url)).status]).toEqual([url, 200])
  })

  it('does without them where they are switched off', async () => {
    const address = await start(
      '--port',
      '0',
      '--switch',
      'siteRoutes=false,progressSteps=false,enrolments=false,courseSteps=false,topics=false,questionList=false',
    ).address()
    const query = '{ viewer { name } course(id: 10001) { title featuredImage { url } } }'
    const { data, errors } = await ask(address, query, basic('learner', 'learner-demo'))
    expect(data).toMatchObject({ viewer: null, course: { title: expect.any(String), featuredImage: null } })
    expect(errors).toMatchObject([{ path: ['course', 'featuredImage'], extensions: { code: 'NOT_AVAILABLE' } }])
  })

  it('gives the LMS the port after its own, so that links stay the same', async () => {
    const port = await freePort()
    const links = []
    for (let time = 0; time < 2; time++) {
      const command = start('--port', String(port))
      expect(await offsetOf(command)).toBe(1)
      links.push((await ask(await command.address(), '{ course(id: 10001) { link } }')).data.course.link)
      await command.stop()
    }
    expect(links).toEqual([links[0], links[0]])
    expect(new URL(links[0]).port).toBe(String(port + 1))
  })

  it('gives it the next free port when that is taken, also by the metrics', async () => {
    const port = await freePort()
    const taken = createServer().listen(port + 1, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const command = start('--port', String(port), '--metrics', String(port + 2))
    expect(await offsetOf(command)).toBe(3)
    await new Promise((resolve) => taken.close(resolve))
  })
})
